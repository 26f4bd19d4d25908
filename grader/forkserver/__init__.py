"""Starts workers that are processes. Each worker is a fork, so that only the first one waits half a second for imports.

    judge --orders--> fork server --+--> warden --> worker --> sessions, and the processes that these start
          ==lifelines===============+==> warden
                                    +--> warden --> worker ...

The fork server is a part of the judge, with a separate environment. It imports all modules that a worker needs, makes
no OpenCL calls, and has one thread. For each worker, it forks a warden. The warden reads the order for the worker from
its lifeline. So the fork server has no data of any worker, and the memory of a worker contains nothing of earlier ones.
"""
