"""Problems of speed: a kernel is too slow, its times are implausible, or the machine is too busy to measure them."""

import dataclasses

from grader.common.phrases import count, numeral, percent, share_of
from grader.course.criteria import SpeedGoal
from grader.grading.explain.problem import Problem
from grader.results.metrics import Interval, Performance
from grader.results.verdicts import Reason

ASK = "Ask your instructor to look at it."

NO_TIME = Problem(
    reason=Reason.IMPLAUSIBLE,
    message="the device reports that its launch took no time at all.",
    help=ASK,
)

ON_A_PROCESSOR = (
    "This is a processor, which runs the work-items of a group one after the other: what is slow here need not be slow "
    "on a GPU."
)


def of_missed_goal(fraction: Interval, goal: SpeedGoal, device_class: str) -> Problem:
    """The problem of a kernel that is too slow for full points."""
    wanted = goal.bands[0].fraction
    words = (
        f"it runs at {share_of(fraction.median)} the model solution's speed, "
        f"{percent(fraction.high)} at most; full points need {percent(wanted)}."
    )
    return Problem(reason=Reason.TOO_SLOW, message=words, detail=ON_A_PROCESSOR if device_class == "cpu" else "")


def of_speed_elsewhere(timed: Performance) -> Problem:
    """The problem of a speed that was measured without a model solution to compare it with."""
    copied = f" and {percent(timed.fraction_of_copy)} of a copy's" if timed.unit == "GB/s" else ""
    return Problem(
        reason=Reason.DECIDED_ELSEWHERE,
        message="speed is decided on the course's machine. Here the kernel reaches "
        f"{timed.speed_up_over_baseline.median:.1f} times the naive kernel's speed{copied}.",
    )


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
        message=f"its times mean {percent(fraction_of_copy)} of the device's copy bandwidth, which no kernel reaches.",
        help=ASK,
    )


def of_too_much_arithmetic(fraction_of_peak: float) -> Problem:
    """The problem of times that are too short for the rate at which the device multiplies and adds."""
    return Problem(
        reason=Reason.IMPLAUSIBLE,
        message=f"its times mean {percent(fraction_of_peak)} of the rate at which the device multiplies and adds, "
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
        f"over {count(pairs, 'pair')} of launches, the submission waited for a processor for {percent(share)} of its "
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


def of_timed_run(problem: Problem, number: int) -> Problem:
    """The problem of a timed run, with the number of the run. A timed run has new data and a size that does not occur
    in the cases.
    """
    return dataclasses.replace(problem, message=f"in timed run {number}, {problem.message}")
