"""The untrusted side: compiles and launches kernels, and reports facts. Start it with `python -m grader.worker`.

    judge --requests--> this process --+--> session (forked): OpenCL context, programs, buffers
          <--replies---                +--> session (forked) ...

This process imports pyopencl once and makes no OpenCL calls. So every session forks from a clean state within
milliseconds, and a kernel that crashes ends only its own session.

The worker knows no expected results and no verdicts. It imports only one other package of grader, protocol. The image
of the worker contains only these two packages.
"""
