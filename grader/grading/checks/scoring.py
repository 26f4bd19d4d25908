"""Points: pure functions from what was measured to what it earns."""

from grader.course.rubric import Case, Correctness, SpeedGoal
from grader.results.metrics import Interval
from grader.results.result import Verdict


def case_share(asked: Correctness) -> float:
    """The points of each correctness case that is not for practice."""
    return asked.points / sum(not each.practice for each in asked.cases)


def case_points(asked: Correctness, case: Case) -> float:
    """The points of one correctness case."""
    return 0.0 if case.practice else case_share(asked)


def award_speed(goal: SpeedGoal, fraction: Interval) -> tuple[Verdict, float]:
    """Verdict and points of the highest band that the fraction may reach: the student has the benefit of the doubt.

    Judged by the upper end of the interval, a kernel that is as fast as a band asks for misses it once in 200 gradings
    (CONFIDENCE of timing/intervals.py), not every second time. DOUBT limits how far that end is from the median.
    """
    for band in goal.bands:
        if fraction.high >= band.fraction:
            return Verdict.PASSED if band is goal.bands[0] else Verdict.PARTIAL, band.points
    return Verdict.FAILED, 0.0


def required_rate(goal: SpeedGoal, device_name: str) -> float | None:
    """The absolute minimum for this device, None if the assignment names none."""
    return next((rate for name, rate in goal.minimum.items() if name.lower() in device_name.lower()), None)
