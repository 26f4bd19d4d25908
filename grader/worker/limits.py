"""The resource limits that a worker puts on itself before it runs anything that is not ours."""

import resource

from grader.protocol import Limits


def apply(limits: Limits) -> None:
    """Lower each limit to what the job says; never raises one.

    Memory is limited as data (private writable memory): GPU drivers reserve far more address
    space than they use, so a limit on address space would stop them.
    """
    for kind, value in (
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_CORE, 0),
    ):
        if value is None:
            continue
        _, hard = resource.getrlimit(kind)
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowered, lowered))
    _limit_processor_time(limits.cpu_seconds)


def _limit_processor_time(seconds: int) -> None:
    """Ended with SIGXCPU, which has a name of its own; at the hard limit, a moment later, it would be SIGKILL."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    ceiling = seconds + 1 if hard == resource.RLIM_INFINITY else min(seconds + 1, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (min(seconds, ceiling), ceiling))
