"""Resource limits that a worker sets on itself before it runs untrusted code."""

import ctypes
import resource
import signal

from grader.protocol.messages import Limits


def apply(limits: Limits) -> None:
    """Lower each limit to the value in the job. Never raises a limit.

    The limit on memory applies to data (private writable memory). GPU drivers reserve far more address space than they
    use, so a limit on address space would stop them.
    """
    for kind, value in (
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_MSGQUEUE, 0),  # a queue would outlive its worker, and is hidden if /dev/mqueue is not mounted
    ):
        if value is None:
            continue
        _, hard = resource.getrlimit(kind)
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowered, lowered))
    _limit_processor_time(limits.cpu_seconds)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; a write beyond the limit could go unnoticed


def _limit_processor_time(seconds: int) -> None:
    """Limit processor time. At the soft limit, SIGXCPU ends the process and shows the reason. The hard limit is 1 s
    higher, because it ends the process with SIGKILL.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    ceiling = seconds + 1 if hard == resource.RLIM_INFINITY else min(seconds + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, ceiling), ceiling))


PR_SET_DUMPABLE = 4
"""linux/prctl.h"""


def close_to_debuggers() -> None:
    """Close this process's memory and descriptors in /proc to sessions, which run as the same user."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def open_to_debuggers() -> None:
    """Give a forked session access to its entries in /proc again, because GPU drivers read them."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
