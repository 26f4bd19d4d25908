"""Starts the workers that are processes: one after the first is a fork, without half a second of imports.

    judge --orders--> fork server --+--> warden --> worker --> sessions, and whatever these start
          ==lifelines===============+==> warden
                                    +--> warden --> worker ...

The fork server is a part of the judge, with an environment of its own. It imports what a worker needs, runs no OpenCL,
and has one thread. Asked for a worker, it forks a warden, which reads on its lifeline what worker that shall be: so the
fork server knows nothing of any worker, and there is nothing of an earlier one in the memory of a later one.
"""
