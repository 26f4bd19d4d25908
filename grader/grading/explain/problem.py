"""Composes the sentences that students read: the mistake, its place, and advice."""

import dataclasses
import signal
from collections.abc import Callable
from dataclasses import dataclass

from grader.common.optional import Fault, OptionalWork
from grader.common.phrases import count
from grader.common.record import replace
from grader.course.criteria import SpeedGoal
from grader.course.forbidden import LINE_LIMIT, Construct, Sighting
from grader.course.submissions.scan_process import TooCostly
from grader.course.truth.comparison import Mismatch, place
from grader.execution.outcome import RUNNING, Crashed, Failure, Garbled, OutOfMemory, TimedOut
from grader.grading.explain.build_log import Source, explain
from grader.grading.explain.compilers import advice, how_it_ended, is_of_compiler, observed
from grader.grading.explain.diagnosis.evidence import Explanation, Use
from grader.grading.explain.numerals import numeral, whole_numeral
from grader.grading.explain.resource_usage import excess
from grader.protocol.messages import BuildFailed, Refused, Stopped
from grader.results.check import NOT_MADE, Check, ErrorMap, Reason, Verdict
from grader.results.metrics import Interval, Performance
from grader.results.withholding import LEFT_OUT

MEMORY_WORDS = ("out of memory", "Allocation failed", "bad_alloc")
"""Words that LLVM and C++ print before they end a process that could not allocate memory."""

MEMORY_ERRORS = frozenset({"OUT_OF_HOST_MEMORY", "MEM_OBJECT_ALLOCATION_FAILURE"})


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The cause of a check that did not pass: a reason for programs, a sentence for people, the next step if one is
    known, and details. `use` describes the lines that the problem concerns, if they are not known yet. `faults` are
    faults of grader that prevented parts of the explanation.
    """

    reason: Reason
    message: str
    help: str = ""
    detail: str = ""
    cause: str = ""
    error_map: ErrorMap | None = None
    use: Use | None = None
    faults: tuple[Fault, ...] = ()

    def fail(self, check: Check) -> Check:
        """The check, failed for this reason."""
        return replace(
            check,
            verdict=Verdict.FAILED,
            points=0.0,
            reason=self.reason,
            message=self.message,
            help=self.help,
            detail=self.detail,
            cause=self.cause,
            error_map=self.error_map,
            faults=(*check.faults, *self.faults),
        )

    def mark(self, check: Check) -> Check:
        """The check, failed or skipped, depending on the reason."""
        return self.skip(check) if self.reason in NOT_MADE else self.fail(check)

    def skip(self, check: Check) -> Check:
        """The check, skipped for this reason. The maximum points still include it."""
        return replace(check, verdict=Verdict.SKIPPED, points=0.0, reason=self.reason, message=self.message)


EXPLANATION = "the explanation"
"""Name of the missing part of a report if a problem could not be explained."""

NOT_RIGHT = Problem(reason=Reason.NOT_RUN, message="skipped: fix the wrong results first.")
"""The problem of checks whose points a submission earns only if all of its results are right."""


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
    if number is None:
        message = f"the process that ran the kernel exited with status {crash.exit_code}."
        return Problem(reason=Reason.CRASH, message=message)
    return Problem(
        reason=Reason.CRASH, message=f"the kernel crashed {how_it_ended(crash)}.", help=CRASH_HINTS.get(number, "")
    )


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


# --- build logs -------------------------------------------------------------------------------


def of_build_log(log: str, source: Source) -> Problem:
    """The problem of a failed build. The message is the first error, and the detail contains the first few errors with
    their lines.
    """
    with OptionalWork(EXPLANATION) as work:
        told = explain(log, source)
        return Problem(reason=Reason.BUILD_ERROR, message=told.message, help=told.help, detail=told.detail)
    return Problem(reason=Reason.BUILD_ERROR, message="the compiler refused it.", faults=(work.fault,))


def of_costly_text(cost: TooCostly) -> Problem:
    """The problem of a text that becomes too large when its macros are expanded."""
    message = f"the text is too large once its macros are expanded: {cost.words}."
    return Problem(reason=Reason.BUILD_ERROR, message=message, help="Use fewer or smaller macros.")


def of_later_call(line: int, name: str, advice: str) -> Problem:
    """The problem of a call of a function that only later OpenCL C versions have, even if the driver provides it."""
    message = f"line {line} calls {name}, which OpenCL C 1.2 does not have. Only later versions have it."
    return Problem(reason=Reason.BUILD_ERROR, message=message, help=advice)


def of_other_struct(line: int, name: str, definition: str) -> Problem:
    """The problem of a struct of the assignment that the text defines with another layout."""
    message = f"line {line} defines {name}, which grader defines with another layout; remove it."
    return Problem(
        reason=Reason.BUILD_ERROR, message=message, help=f"Grader compiles this before the file: {definition}"
    )


def of_forbidden(sighting: Sighting) -> Problem:
    """The problem of a construct that submissions may not use."""
    does, remedy = FORBIDDEN_USES[sighting.construct]
    return Problem(
        reason=Reason.FORBIDDEN,
        message=f"line {sighting.line} {does.format(sighting.text)}. The file was not run.",
        help=remedy,
        detail=sighting.text,
    )


ALONE = "Put all code into this file: a submission is one file."

FORBIDDEN_USES = {
    Construct.INCLUDE: ("includes another file", ALONE),
    Construct.LINE: ("sets line numbers with #line", "Delete it, so that messages give your line numbers."),
    Construct.ASM: ("contains assembly code", "Write this code in OpenCL C."),
    Construct.HAS_INCLUDE: ("looks for other files", ALONE),
    Construct.LONG_LINE: (f"is longer than {LINE_LIMIT} characters", "Break the line."),
    Construct.CONTROL: ("has the control character {} in its code", "Delete this character. Compilers refuse it."),
}
"""For each forbidden construct, a phrase about its use and the next step."""


# --- wrong results ----------------------------------------------------------------------------


FAR_OFF = 1000
"""Multiple of the allowed error above which the exact number is not informative."""

NAN_AT_FIRST = "Words that no kernel has written hold NaN, and so do words past the end of an array."
"""Sentence about unwritten words. On some devices, adding to the NaN of an unwritten word gives the same NaN, bit for
bit.
"""


def of_mismatch(mismatch: Mismatch) -> Problem:
    """The problem of a wrong array: the number of wrong elements, the first one, and the largest error."""
    with OptionalWork(EXPLANATION) as work:
        return _of_mismatch(mismatch)
    return Problem(reason=Reason.WRONG_OUTPUT, message=f"`{mismatch.buffer}` is wrong.", faults=(work.fault,))


def _of_mismatch(mismatch: Mismatch) -> Problem:
    if mismatch.unwritten == mismatch.total:
        return _unwritten(mismatch)
    where = place(mismatch)
    if mismatch.total == 1:
        message = f"{where} is wrong: {_got_and_expected(mismatch)}."
        return Problem(reason=Reason.WRONG_OUTPUT, message=message, detail=_how_far(mismatch))
    verb = "is" if mismatch.wrong == 1 else "are"
    parts = [f"{mismatch.wrong:,} of {count(mismatch.total, 'element')} of {mismatch.buffer} {verb} wrong"]
    if mismatch.unwritten:
        share = "all" if mismatch.unwritten == mismatch.wrong else f"{mismatch.unwritten:,}"
        parts.append(f"{share} of them were never written")
    parts.append(f"the first is {where}: {_got_and_expected(mismatch)}")
    return Problem(reason=Reason.WRONG_OUTPUT, message="; ".join(parts) + ".", detail=_how_far(mismatch))


def _unwritten(mismatch: Mismatch) -> Problem:
    """The problem of an array whose elements the launch has not changed. Only floating-point types have NaN."""
    array, elements = mismatch.buffer, count(mismatch.total, "element")
    if isinstance(mismatch.expected, int):
        message, detail = f"nothing was stored in {array}.", f"no value in {elements}."
    else:
        message, detail = f"nothing was written to {array}, or only NaN.", f"no number in {elements}. {NAN_AT_FIRST}"
    use = Use(array=array, writes=True)
    return Problem(reason=Reason.NOT_WRITTEN, message=message, detail=detail, use=use)


def explained(problem: Problem, explanation: Explanation) -> Problem:
    """The problem of a wrong array with the explanation as its message and the numbers as evidence."""
    detail = evidence_of(problem.message, problem.detail)
    return dataclasses.replace(problem, message=explanation.sentence, detail=detail, cause=explanation.cause)


def evidence_of(*parts: str) -> str:
    """Join these parts to a detail, each on a separate line. Empty parts are left out."""
    return "\n".join(filter(None, parts))


MIXED_UP = frozenset(
    {
        Reason.WRONG_OUTPUT,
        Reason.NOT_WRITTEN,
        Reason.OUT_OF_BOUNDS,
        Reason.INPUT_CHANGED,
        Reason.UNINITIALISED,
        Reason.CRASH,
        Reason.TIME_LIMIT,
    }
)
"""Reasons with which a kernel can fail if it confuses its arguments."""


def blamed(check: Check, misordered: str) -> Check:
    """The check with `misordered` as its message, because confused arguments are the cause of all other mistakes. The
    check is unchanged if `misordered` is empty or confused arguments cannot cause its failure.
    """
    if not misordered or check.reason not in MIXED_UP:
        return check
    return replace(
        check,
        message=misordered,
        help="",
        detail=evidence_of(check.message, check.detail),
        cause=misordered.partition(": ")[2],
    )


def _got_and_expected(mismatch: Mismatch) -> str:
    number = _numeral(mismatch)
    if mismatch.first_unwritten:
        return f"never written, expected {number(mismatch.expected)}"
    if mismatch.rule == "multiset":
        return f"{number(mismatch.got)} is there more often than expected"
    got, expected = number(mismatch.got), number(mismatch.expected)
    if got == expected:  # nine digits distinguish any two floats
        got, expected = f"{mismatch.got:.9g}", f"{mismatch.expected:.9g}"
    return f"got {got}, expected {expected}"


def _how_far(mismatch: Mismatch) -> str:
    if mismatch.unwritten == mismatch.wrong:
        return ""
    if mismatch.rule == "share":
        return f"{_percent(mismatch.wrong / mismatch.total)} of the elements differ; {_percent(mismatch.amount)} may."
    if mismatch.rule == "multiset":
        return "the order of the elements does not matter."
    if mismatch.largest_error is None:
        return "none of the wrong elements holds a finite number."
    return f"largest error: {_numeral(mismatch)(mismatch.largest_error)}{_excess(mismatch)}"


def _excess(mismatch: Mismatch) -> str:
    """Words for the ratio of the largest error to the allowed one."""
    if mismatch.excess is None:
        return "; this output must match exactly."
    limit = "rounding" if mismatch.rule == "rounding" else "the tolerance"
    if mismatch.excess > FAR_OFF:
        return f", far more than {limit} explains."
    return f"; at worst {numeral(mismatch.excess)} times what {limit} allows."


def of_stray_write(buffer: str, words: int) -> Problem:
    """The problem of a changed guard band. `words` counts from the end of the buffer or, if negative, from its start.
    The message does not blame a store, because on a CPU, work-items that miss a barrier can also change this memory.
    """
    distance = count(words + 1 if words >= 0 else -words, "element")
    place = "past its end" if words >= 0 else "before its start"
    return Problem(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"memory outside {buffer} was changed, starting {distance} {place}.",
        help="Work-items beyond the edge must not store, but they must still reach every barrier.",
    )


def of_changed_input(buffer: str) -> Problem:
    """The problem of an input that the kernel has changed."""
    return Problem(
        reason=Reason.INPUT_CHANGED, message=f"the kernel changed its input {buffer}, which it may only read."
    )


def of_timed_run(problem: Problem, number: int) -> Problem:
    """The problem of a timed run, with the number of the run. A timed run has new data and a size that does not occur
    in the cases.
    """
    return dataclasses.replace(problem, message=f"in timed run {number}, {problem.message}")


# --- speed ------------------------------------------------------------------------------------


ASK = "Ask your instructor to look at it."


def of_missed_goal(fraction: Interval, goal: SpeedGoal, device_class: str) -> Problem:
    """The problem of a kernel that is too slow for full points."""
    wanted = goal.bands[0].fraction
    words = (
        f"it runs at {_percent(fraction.median)} of the model solution's speed, "
        f"{_percent(fraction.high)} at most; full points need {_percent(wanted)}."
    )
    return Problem(reason=Reason.TOO_SLOW, message=words, detail=ON_A_PROCESSOR if device_class == "cpu" else "")


ON_A_PROCESSOR = (
    "This is a processor, which runs the work-items of a group one after the other: what is slow here need not be slow "
    "on a GPU."
)


def reached_goal(fraction: Interval, goal: SpeedGoal) -> str:
    """Sentence about a kernel that is fast enough for full points."""
    return (
        f"it runs at {_percent(fraction.median)} of the model solution's speed; "
        f"full points need {_percent(goal.bands[0].fraction)}."
    )


def of_speed_elsewhere(timed: Performance) -> Problem:
    """The problem of a speed that was measured without a model solution to compare it with."""
    copied = f" and {_percent(timed.fraction_of_copy)} of a copy's" if timed.unit == "GB/s" else ""
    return Problem(
        reason=Reason.DECIDED_ELSEWHERE,
        message="speed is decided on the course's machine. Here the kernel reaches "
        f"{timed.speed_up_over_baseline.median:.1f} times the naive kernel's speed{copied}.",
    )


PENDING = Problem(reason=Reason.PENDING, message="hidden cases run some minutes after the other checks.")

HIDDEN = Problem(reason=Reason.DECIDED_ELSEWHERE, message="hidden checks are decided on the course's machine.")
"""The problem of checks that are not part of a student kit."""

UNMADE = Problem(reason=Reason.HIDDEN, message=LEFT_OUT)
"""The problem of hidden checks in a dry run, in which they do not run."""


def of_missed_minimum(rate: float, required: float, unit: str, device: str) -> Problem:
    """The problem of a kernel that is slower than the absolute minimum for this device."""
    return Problem(
        reason=Reason.TOO_SLOW,
        message=f"it reaches {numeral(rate)} {unit}; on {device} the assignment asks for at least {numeral(required)}.",
    )


def of_too_fast(fraction_of_copy: float) -> Problem:
    """The problem of times that are too short for the device's memory."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"its times mean {_percent(fraction_of_copy)} of the device's copy bandwidth, which no kernel reaches.",
        help=ASK,
    )


def of_too_much_arithmetic(fraction_of_peak: float) -> Problem:
    """The problem of times that are too short for the rate at which the device multiplies and adds."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"its times mean {_percent(fraction_of_peak)} of the rate at which the device multiplies and adds, "
        "which no kernel can reach.",
        help=ASK,
    )


def of_other_clock(device_seconds: float, judge_seconds: float) -> Problem:
    """The problem of a device's clock that disagrees with the judge's clock."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"the device reports {device_seconds * 1e3:.3g} ms for its launches, but the grader measured "
        f"{judge_seconds * 1e3:.3g} ms.",
        help=ASK,
    )


def of_spent_time(seconds: float, pairs: int) -> Problem:
    """The problem of a kernel that is too slow for its speed to be measured."""
    return Problem(
        reason=Reason.TIME_LIMIT,
        message=f"too slow to time: in {seconds:.3g} s, only {count(pairs, 'pair')} of launches finished.",
    )


def of_noise(noise: Interval, pairs: int, standard: str) -> Problem:
    """The problem of a machine that is too noisy for measurements. There, the ratio of grader's own kernel timed
    against itself is too far from 1.
    """
    return _not_measured(
        f"over {count(pairs, 'pair')} of launches, the {standard} ran at {noise.median:.2f} times its own speed "
        f"({noise.low:.2f} to {noise.high:.2f})"
    )


def of_delay(share: float, pairs: int) -> Problem:
    """The problem of a kernel that waited because other programs used the processor."""
    return _not_measured(
        f"over {count(pairs, 'pair')} of launches, the submission waited for a processor for {_percent(share)} of its "
        "time"
    )


def of_blindness(pairs: int) -> Problem:
    """The problem of a submission that is fast enough only according to a clock that submissions can manipulate."""
    return _not_measured(
        f"over {count(pairs, 'pair')} of short launches, only the device's own clock says that the submission is fast "
        "enough"
    )


def of_interference(one_sided: int, seen: int) -> Problem:
    """The problem of an operating system that did more work during grader's launches than during the submission's, or
    the reverse.
    """
    return Problem(
        reason=Reason.INTERFERENCE,
        message=f"in {one_sided} of {count(seen, 'timed round')}, this machine's operating system did more work during "
        "one of the two compared launches than during the other. The points stay open until the submission is timed "
        "again, with no other programs running.",
    )


def of_few_rounds(one_sided: int, seen: int) -> Problem:
    """The problem of too few valid rounds within the time limit of a submission, which happens on a busy machine."""
    return _not_measured(
        f"in {one_sided} of {count(seen, 'timed round')}, its operating system did more work during one of the two "
        "compared launches than during the other"
    )


def _not_measured(why: str) -> Problem:
    return Problem(
        reason=Reason.NOT_MEASURED,
        message=f"this machine was too noisy to time kernels: {why}. The points are open until it is timed again, with "
        "no other programs running.",
    )


NO_TIME = Problem(
    reason=Reason.IMPLAUSIBLE,
    message="the device reports that its launch took no time at all.",
    help=ASK,
)


# --- phrases ----------------------------------------------------------------------------------


def _numeral(mismatch: Mismatch) -> Callable[[float], str]:
    """The function that writes the numbers of a mismatch."""
    return whole_numeral if mismatch.whole else numeral


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"
