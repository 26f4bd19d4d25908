"""Words for the student: what went wrong, where, and what to look at."""

import math
import re
import signal
from dataclasses import dataclass, replace

from grader.assignment import Sizes, SpeedGoal
from grader.checking import Mismatch
from grader.outcome import Failure, Garbled, TimedOut
from grader.protocol import BuildFailed, Died, Refused
from grader.result import Check, Interval, Reason, Verdict

DETAIL_LIMIT = 64 * 1024
"""Characters of detail kept in a result; a build log is the only thing that gets near."""

MEMORY_ERRORS = frozenset({"OUT_OF_HOST_MEMORY", "MEM_OBJECT_ALLOCATION_FAILURE"})


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Why a check failed: the reason for machines, a sentence for people, and what backs it."""

    reason: Reason
    message: str
    detail: str = ""

    def fail(self, check: Check) -> Check:
        """The check, failed for this reason."""
        return check.model_copy(
            update={
                "verdict": Verdict.FAILED,
                "points": 0.0,
                "reason": self.reason,
                "message": self.message,
                "detail": self.detail,
            }
        )


def of_failure(failure: Failure) -> Problem:
    """What a failed request to the submission's worker says about the submission."""
    match failure:
        case BuildFailed(log=log):
            return of_build_log(log)
        case TimedOut(doing=doing, seconds=seconds):
            return Problem(
                reason=Reason.TIME_LIMIT,
                message=f"stopped after {seconds:g} s of {doing}: is there a loop that never ends, "
                "or a barrier that not every work-item reaches?",
            )
        case Died(signal=number, exit_code=code):
            return _of_death(number, code)
        case Refused(error=error) if error in MEMORY_ERRORS:
            return Problem(reason=Reason.MEMORY_LIMIT, message="the memory limit was reached.", detail=error)
        case Refused(call=call, error=error):
            return Problem(
                reason=Reason.LAUNCH_ERROR,
                message=f"the OpenCL driver refused the kernel with {error} ({call}): "
                "look at required work-group sizes and at how much local memory it declares.",
            )
        case Garbled(what=what):
            return Problem(reason=Reason.CRASH, message=f"the process that ran the kernel broke: {what}.")


def _of_death(number: int | None, code: int | None) -> Problem:
    if number is None:
        return Problem(
            reason=Reason.CRASH, message=f"the process that ran the kernel ended by itself with status {code}."
        )
    if number == signal.SIGXCPU:
        return Problem(reason=Reason.TIME_LIMIT, message="the limit of processor time was reached.")
    if number == signal.SIGXFSZ:
        return Problem(reason=Reason.OUTPUT_LIMIT, message="the limit of output was reached.")
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return Problem(reason=Reason.CRASH, message=f"the kernel crashed with {name}{CRASH_HINTS.get(number, '')}.")


FAR_OUTSIDE = ": it read or wrote far outside its buffers. Check every index against the sizes"

CRASH_HINTS: dict[int, str] = {
    signal.SIGSEGV: FAR_OUTSIDE,
    signal.SIGBUS: FAR_OUTSIDE,
    signal.SIGABRT: ": memory next to its buffers was overwritten, or there was none left",
    signal.SIGFPE: ": most likely an integer division by zero",
    signal.SIGILL: ": the compiler met undefined behaviour, such as a missing return value",
}


# --- build logs -------------------------------------------------------------------------------

LOG_PATH = re.compile(r"(?:<kernel>|(?:/[^\s:<>\"]+/)?tempfile_\w+\.cl|<program source>|<source>)(?=:)")
"""How PoCL, NVIDIA and others name the text they were given."""

OUR_PATH = re.compile(r"/[^\s:<>\"',;]+/(?=[^\s/:<>\"',;]+)")

NOISE = re.compile(
    r"^(?:Device .* failed to build the program"
    r"|.*redefinition of typedef 'uint' is a C11 feature.*"
    r"|\d+ (?:warning|error)s? generated\.)$"
)


def of_build_log(log: str) -> Problem:
    """A build error: the first error as the sentence, the whole log behind it."""
    text = clean_log(log)
    first = next((line for line in text.splitlines() if "error" in line.lower()), "")
    return Problem(
        reason=Reason.BUILD_ERROR,
        message=f"the compiler refused it: {first}" if first else "the compiler refused it.",
        detail=text or "the compiler gave no reason.",
    )


def clean_log(log: str) -> str:
    """A build log that speaks of kernels.cl, without folders of the machine that graded it, and cut to size."""
    lines = [OUR_PATH.sub("", LOG_PATH.sub("kernels.cl", line)) for line in log.splitlines()]
    text = "\n".join(line.rstrip() for line in lines if not NOISE.match(line.strip())).strip()
    if len(text) > DETAIL_LIMIT:
        text = text[:DETAIL_LIMIT] + "\n(the rest of the log was cut)"
    return text


# --- wrong results ----------------------------------------------------------------------------


def of_mismatch(mismatch: Mismatch) -> Problem:
    """A wrong array: how much of it, the first wrong element, and how far off."""
    where = mismatch.buffer + "".join(f"[{i}]" for i in mismatch.index)
    if mismatch.unwritten == mismatch.total:
        return Problem(
            reason=Reason.NOT_WRITTEN,
            message=f"the kernel wrote nothing to {mismatch.buffer} ({_count(mismatch.total)} elements).",
        )
    parts = [f"{_count(mismatch.wrong)} of {_count(mismatch.total)} elements of {mismatch.buffer} are wrong"]
    if mismatch.unwritten:
        parts.append(f"{_count(mismatch.unwritten)} of them were never written")
    parts.append(f"the first is {where}: got {_number(mismatch.got)}, expected {_number(mismatch.expected)}")
    return Problem(reason=Reason.WRONG_OUTPUT, message="; ".join(parts) + ".", detail=_how_far(mismatch))


def _how_far(mismatch: Mismatch) -> str:
    if math.isnan(mismatch.largest_error):
        return "some elements are not numbers (NaN)."
    if mismatch.excess is None:
        return f"largest error: {_number(mismatch.largest_error)}; this data is compared exactly."
    error, excess = _number(mismatch.largest_error), _number(mismatch.excess)
    return f"largest error: {error}, {excess} times what rounding allows there."


def of_stray_write(buffer: str, words: int) -> Problem:
    """A write into a guard band; `words` counts from the buffer's end, or, below zero, from its start."""
    place = f"{words + 1} elements past the end" if words >= 0 else f"{-words} elements before the start"
    return Problem(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"the kernel wrote outside {buffer}: {place} of it. Work-items beyond the edge must not store.",
    )


def of_changed_input(buffer: str) -> Problem:
    """An input that did not come back as it was sent."""
    return Problem(
        reason=Reason.INPUT_CHANGED, message=f"the kernel changed its input {buffer}, which it may only read."
    )


def of_timed_run(problem: Problem, number: int) -> Problem:
    """A problem that showed in a timed run, with new data and at a size that no case has."""
    return replace(problem, message=f"in timed run {number}, {problem.message}")


# --- speed ------------------------------------------------------------------------------------


def of_missed_goal(fraction: Interval, goal: SpeedGoal) -> Problem:
    """Slower than full points ask for."""
    wanted = goal.bands[0].fraction
    doubt = " The two are too close to call on this machine." if fraction.low <= wanted <= fraction.high else ""
    return Problem(
        reason=Reason.TOO_SLOW,
        message=f"it runs at {_percent(fraction.median)} of the model solution's speed; "
        f"full points need {_percent(wanted)}.{doubt}",
    )


def of_missed_minimum(rate: float, required: float, unit: str, device: str) -> Problem:
    """Slower than the absolute minimum for a named device."""
    return Problem(
        reason=Reason.TOO_SLOW,
        message=f"it reaches {_number(rate)} {unit}; on {device} at least {_number(required)} are asked for.",
    )


def of_too_fast(fraction_of_copy: float) -> Problem:
    """Faster than the memory of the device."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"it claims {_percent(fraction_of_copy)} of the device's copy bandwidth, which no kernel can move. "
        "Your instructor should look at it.",
    )


def of_other_clock(device_seconds: float, judge_seconds: float) -> Problem:
    """The device's clock and the judge's disagree."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"its launches are said to take {device_seconds * 1e3:.3g} ms, but the grader saw them take "
        f"{judge_seconds * 1e3:.3g} ms. Your instructor should look at it.",
    )


# --- phrases ----------------------------------------------------------------------------------


def sizes_in_words(sizes: Sizes) -> str:
    """For example "height 53, width 90"."""
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def _count(number: int) -> str:
    return f"{number:,}"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.0f} %"
