"""Failures of a worker as problems of the submission, and the exception that ends a check early. A failure is raised
where it is detected, and is converted to a Problem in one place.

    try:
        fetched = unwrap(worker.session.run(...))  # raises if the worker's answer is a Failure
    except FailedError as failed:
        return failed.problem

In contrast, a fault of grader itself is an exception of common/errors.py, and ends the whole grading.

Failures of an OpenCL compiler are distinguished from crashes of a kernel, with advice on the construct to avoid. Phases
and words come from a worker, so a submission can forge both. Therefore points do not depend on them. They only select
sentences, and the submissions that an instructor has to look at (checks/causes/compiler_failures.py).
"""

import dataclasses
import re
import signal
from collections import Counter
from dataclasses import dataclass
from signal import SIGXCPU
from typing import TypeVar

from grader.common.phrases import ending
from grader.execution.outcome import RUNNING, Crashed, Failure, Garbled, OutOfMemory, TimedOut
from grader.grading.explain.build_log import Source, of_build_log
from grader.grading.explain.problem import Problem
from grader.grading.explain.resource_usage import excess
from grader.grading.source.outline import Function, Outline
from grader.grading.source.reading import outline
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


OWN_WORDS = re.compile(
    r"\bLLVM ERROR\b|\bAssertion `.*' failed|PLEASE submit a bug report|^Stack dump|\bUNREACHABLE executed at\b"
    r"|\blib(?:LLVM|clang|pocl)[\w.+-]*\.so|\bllvmopencl/|Could not find a dominating alternative variable"
)
"""Pattern of the output with which LLVM, clang and PoCL end a process: a fatal error, a failed assertion, or a stack
frame in their own libraries.
"""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A known failure of a compiler: its output, and advice on how to avoid the construct that causes it."""

    says: re.Pattern[str]
    advice: str


KNOWN = (
    Known(
        says=re.compile(r"\bParallelRegion\.cc\b|Could not find a dominating alternative variable"),
        advice="It is known to fail on a loop that contains barriers and a `break`. End the loop by its condition "
        "instead. If the condition reads a word of local memory, copy the word into a private variable between two "
        "barriers, before the loop and at the end of its body, and test the variable.",
    ),
)

SIMPLER = "Simplify unusual parts of the kernel, such as loops with barriers, deeply nested branches and long macros."

LESS_TEXT = "The usual causes are unrolled loops, large macros and many barriers between branches. Use fewer of them."


INLINE = (
    "Some compilers fail on a function that contains barriers and is called from several places, such as {name}. Call "
    "it from one place, or declare it with `__attribute__((always_inline))`."
)
"""Advice on a failure of PoCL 3.1, which does not inline such a function, so that its results vary."""


SIZE_IN_CONDITION = (
    "Some compilers translate a loop with barriers wrongly if its condition calls get_local_size, as in line {line}. "
    "Store the size in a variable before the loop, and compare with the variable."
)
"""Advice on a wrong translation by PoCL 3.1, which was seen with `if (lid % (2 * s) == 0)` in such a loop."""


def is_of_compiler(failure: Failure) -> bool:
    """True if, according to the worker's report, the compiler used the time or ended the process."""
    match failure:
        case TimedOut():
            return failure.was_compiling
        case Crashed(words=words):
            return failure.was_compiling or OWN_WORDS.search(words) is not None
        case _:
            return False


def observed(failure: Crashed | TimedOut) -> str:
    """A sentence about a failure of the compiler."""
    if isinstance(failure, TimedOut):
        return f"compiling took longer than {round(failure.seconds, 1):g} s."
    if failure.signal == SIGXCPU:
        return "compiling reached the limit on processor time."
    when = "while it compiled the kernel" if failure.was_compiling else "after it printed an error message"
    return f"the OpenCL compiler ended {ending(failure.signal, failure.exit_code)} {when}."


def advice(failure: Crashed | TimedOut) -> str:
    """Advice on how to avoid the failure."""
    if isinstance(failure, TimedOut) or failure.signal == SIGXCPU:
        return LESS_TEXT
    return next((known.advice for known in KNOWN if known.says.search(failure.words)), SIMPLER)


def advice_on(source: str) -> str:
    """Advice on how to prevent a compiler from translating this text wrongly."""
    seen = outline(source, ())
    if seen is None:
        return SIMPLER
    called = Counter(token.text for token in seen.code if token.kind == "name")
    for function in seen.functions:
        body = {token.text for token in seen.code[slice(*function.body)]}
        if "barrier" in body and called[function.name] > AS_DEFINED + 1:
            return INLINE.format(name=function.name)
        line = _size_in_condition(seen, function) if "barrier" in body else None
        if line is not None:
            return SIZE_IN_CONDITION.format(line=line)
    return SIMPLER


def _size_in_condition(seen: Outline, function: Function) -> int | None:
    """Return the line of the first loop of a function whose condition calls get_local_size; None if no loop does."""
    for place in range(*function.body):
        if seen.code[place].text in {"for", "while"} and seen.code[place + 1].text == "(":
            head = [token.text for token in seen.code[place + 2 : seen.pairs[place + 1]]]
            condition = " ".join(head).split(";")[1 if ";" in head else 0]
            if "get_local_size" in condition:
                return seen.code[place].line
    return None


AS_DEFINED = 1
"""Number of times that a function's name occurs in its own definition."""
