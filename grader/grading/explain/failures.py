"""Failures of a worker as problems of the submission, and the exception that ends a check early. A failure is raised
where it is detected, and is converted to a Problem in one place.

    try:
        fetched = unwrap(worker.session.run(...))  # raises if the worker's answer is a Failure
    except FailedError as failed:
        return failed.problem

In contrast, a fault of grader itself is an exception of common/errors.py, and ends the whole grading.
"""

import dataclasses
import signal
from typing import TypeVar

from grader.common.phrases import ending
from grader.execution.outcome import RUNNING, Crashed, Failure, Garbled, OutOfMemory, TimedOut
from grader.grading.explain.build_log import Source, of_build_log
from grader.grading.explain.compilers import advice, is_of_compiler, observed
from grader.grading.explain.problem import Problem
from grader.grading.explain.resource_usage import excess
from grader.protocol.messages import BuildFailed, Refused, Stopped
from grader.results.verdicts import Reason

T = TypeVar("T")

MEMORY_WORDS = ("out of memory", "Allocation failed", "bad_alloc")
"""Words that LLVM and C++ print before they end a process that could not allocate memory."""

MEMORY_ERRORS = frozenset({"OUT_OF_HOST_MEMORY", "MEM_OBJECT_ALLOCATION_FAILURE"})

NO_MEMORY = Problem(
    reason=Reason.MEMORY_LIMIT,
    message="the kernel used more memory than a submission may use.",
    help="Make the arrays of the kernel smaller.",
)

POCLS_LOCAL_MEMORY = "<= local_mem_size' failed"
"""Message of PoCL about local memory. PoCL checks the limit only after it has begun to run the kernel, and then ends
the process.
"""

TOO_MUCH_LOCAL = Problem(
    reason=Reason.LAUNCH_ERROR,
    message="the kernel's __local arrays are larger than the local memory of this device.",
    help="Make these arrays smaller.",
)

FAR_OUTSIDE = "The usual cause is an access far outside a buffer. Check every index against the sizes."

CRASH_HINTS: dict[int, str] = {
    signal.SIGSEGV: FAR_OUTSIDE,
    signal.SIGBUS: FAR_OUTSIDE,
    signal.SIGABRT: "The usual causes are writes just outside a buffer, and a barrier that some work-items of a "
    "group do not reach.",
    signal.SIGFPE: "The usual cause is an integer division by zero.",
    signal.SIGILL: "The usual cause is undefined behaviour, such as a missing return value.",
}


class FailedError(Exception):
    """A problem of the submission, or a failure of its worker, that ends a check."""

    def __init__(self, why: Problem | Failure) -> None:
        super().__init__(why)
        self.why = why

    @property
    def problem(self) -> Problem:
        """The problem that fails the check."""
        return self.why if isinstance(self.why, Problem) else of_failure(self.why)

    @property
    def failure(self) -> Failure | None:
        """The failure of the worker; None if the worker did not fail."""
        return None if isinstance(self.why, Problem) else self.why


def unwrap(outcome: T | Problem | Failure) -> T:
    """Return the value of a success. Raises FailedError for a problem or a failure."""
    if isinstance(outcome, Problem | Failure):
        raise FailedError(outcome)
    return outcome


OF_COMPILERS = frozenset({Reason.CRASH, Reason.TIME_LIMIT})
"""Reasons with which a failure of a compiler is reported if it is not left open."""


def has_compiler_failed(failure: Failure) -> bool:
    """True if the compiler of the device has failed, so that only the simulator can check the kernel."""
    return is_of_compiler(failure) and of_failure(failure).reason in OF_COMPILERS


def of_failure(failure: Failure) -> Problem:  # noqa: PLR0911 - one return for each kind of failure
    """The problem of a submission after a failed request to its worker."""
    match failure:
        case BuildFailed(log=log):
            return of_build_log(log, Source())
        case TimedOut():
            return _of_time(failure)
        case Crashed():
            return _of_crash(failure)
        case OutOfMemory():
            return NO_MEMORY
        case Refused(error=error) | Stopped(error=error) if error in MEMORY_ERRORS:
            return dataclasses.replace(NO_MEMORY, detail=error)
        case Refused():
            return _of_refusal(failure)
        case Stopped(error=error):
            return Problem(
                reason=Reason.CRASH, message="the device stopped the kernel.", help=FAR_OUTSIDE, detail=error
            )
        case Garbled(what=what):
            return Problem(
                reason=Reason.CRASH,
                message=f"the process that ran the kernel misbehaved: {what}.",
            )


def _of_refusal(refused: Refused) -> Problem:
    """The problem of a refused launch. The message contains the resource if the launch needs too much of it."""
    words = f"the OpenCL driver refused the kernel with {refused.error} ({refused.call})."
    asked = excess(refused.demand) if refused.demand else None
    if asked is not None:
        return Problem(reason=Reason.LAUNCH_ERROR, message=asked, detail=words)
    advice = "Check the required work-group size, and how much local memory the kernel declares."
    return Problem(reason=Reason.LAUNCH_ERROR, message=words, help=advice)


def _of_time(timed_out: TimedOut) -> Problem:
    """The problem of a step that took too long. For a kernel, the help contains possible causes."""
    seconds = round(timed_out.seconds, 1)
    if is_of_compiler(timed_out):
        return Problem(reason=Reason.TIME_LIMIT, message=observed(timed_out), help=advice(timed_out))
    if timed_out.doing != RUNNING:
        return Problem(reason=Reason.TIME_LIMIT, message=f"{timed_out.doing} took longer than {seconds:g} s.")
    return Problem(
        reason=Reason.TIME_LIMIT,
        message=f"the kernel was still running after {seconds:g} s.",
        help="Look for a loop that never ends, or a barrier that not every work-item reaches.",
    )


def _of_crash(crash: Crashed) -> Problem:  # noqa: PLR0911 - one return for each kind of crash
    """The problem of a process that ended. Its last output is shown as evidence only if a compiler printed it, because
    output of the runtime concerns grader's own process and not the kernel.
    """
    number = crash.signal
    if any(words in crash.words for words in MEMORY_WORDS):
        return NO_MEMORY
    if POCLS_LOCAL_MEMORY in crash.words:
        return TOO_MUCH_LOCAL
    if number == signal.SIGXFSZ:
        return Problem(reason=Reason.OUTPUT_LIMIT, message="the kernel reached the limit on output.")
    if is_of_compiler(crash):
        reason = Reason.TIME_LIMIT if number == signal.SIGXCPU else Reason.CRASH
        return Problem(reason=reason, message=observed(crash), help=advice(crash), detail=crash.words)
    if number == signal.SIGXCPU:
        return Problem(
            reason=Reason.TIME_LIMIT,
            message="the kernel reached the limit on processor time.",
            help="Look for a loop that never ends.",
        )
    ended = ending(crash.signal, crash.exit_code)
    if number is None:
        return Problem(reason=Reason.CRASH, message=f"the process that ran the kernel ended {ended}.")
    return Problem(reason=Reason.CRASH, message=f"the kernel crashed {ended}.", help=CRASH_HINTS.get(number, ""))
