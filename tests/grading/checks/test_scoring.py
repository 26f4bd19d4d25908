"""scoring.py: points for the measured speed and for correctness cases."""

import pytest

from grader.course.criteria import Band, Case, SpeedGoal
from grader.course.rubric import Correctness
from grader.course.tolerance import Tolerance
from grader.grading.checks.scoring import award_speed, required_rate
from grader.results.metrics import Interval
from grader.results.verdicts import Verdict

GOAL = SpeedGoal(
    sizes={"n": 1},
    bands=(Band(fraction=0.8, points=40), Band(fraction=0.5, points=20), Band(fraction=0.3, points=5)),
    minimum={"H200": 1500},
)


@pytest.mark.parametrize(
    ("fraction", "verdict", "points"),
    [
        (1.2, Verdict.PASSED, 40),
        (0.8, Verdict.PASSED, 40),
        (0.79, Verdict.PARTIAL, 20),
        (0.6, Verdict.PARTIAL, 20),
        (0.3, Verdict.PARTIAL, 5),
        (0.29, Verdict.FAILED, 0),
    ],
)
def test_a_kernel_earns_the_highest_band_it_reaches(fraction, verdict, points):
    """A kernel earns the points of the highest band that it reaches. Only the highest band of the goal counts as
    passed.
    """
    assert award_speed(GOAL, Interval(median=fraction, low=fraction, high=fraction)) == (verdict, points)


def test_doubt_is_the_students():
    """A band's points are awarded if the upper end of the measured interval reaches the band, so uncertainty never
    costs the student points.
    """
    assert award_speed(GOAL, Interval(median=0.77, low=0.7, high=0.81)) == (Verdict.PASSED, 40)


def test_cases_share_their_points():
    """The cases share the points equally. A practice case earns no points and has no share."""
    cases = [Case(name=str(number), sizes={"n": 1}, practice=number == 12) for number in range(13)]
    asked = Correctness(tolerance=Tolerance(rule="exact"), points=48, cases=cases)
    assert [asked.points_of(case) for case in cases] == [4.0] * 12 + [0.0]


def test_a_minimum_applies_to_the_device_it_names():
    """A minimum rate applies to all devices whose name contains the given text, regardless of case."""
    assert required_rate(GOAL, "NVIDIA h200 NVL") == 1500
    assert required_rate(GOAL, "pthread-AMD EPYC") is None
