"""Pure functions that convert measurements to points."""

from grader.course.criteria import SpeedGoal
from grader.results.metrics import Interval
from grader.results.verdicts import Verdict


def award_speed(goal: SpeedGoal, fraction: Interval) -> tuple[Verdict, float]:
    """Return verdict and points of the highest band that the fraction may reach, with the benefit of the doubt.

    The upper end of the interval decides. Therefore a kernel that is exactly as fast as a band requires misses the band
    only once in 200 gradings (CONFIDENCE in timing/intervals.py). If the median decided, it would miss the band every
    second time. DOUBT in timing/intervals.py limits the distance between the upper end and the median.
    """
    for band in goal.bands:
        if fraction.high >= band.fraction:
            return Verdict.PASSED if band is goal.bands[0] else Verdict.PARTIAL, band.points
    return Verdict.FAILED, 0.0


def required_rate(goal: SpeedGoal, device_name: str) -> float | None:
    """Return the absolute minimum rate for this device; None if the assignment does not set one."""
    return next((rate for name, rate in goal.minimum.items() if name.lower() in device_name.lower()), None)
