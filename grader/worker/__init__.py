"""The untrusted side: compiles and launches kernels, and reports facts. Starts as `python -m grader.worker`.

    judge --requests--> this process --+--> session (forked): OpenCL context, programs, buffers
          <--replies---                +--> session (forked) ...

This process imports pyopencl once and makes no OpenCL call, so that every session forks from a
clean state in milliseconds, and a kernel that crashes takes only its own session with it.

It knows no truth and no verdict. Of grader's packages it imports only protocol; the worker image holds only these two.
"""
