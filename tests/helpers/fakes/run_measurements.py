"""Handmade measurements, as `grader run` makes them."""

from samples import DEVICE

from grader.execution.outcome import Timing
from grader.grading.by_hand.run import Measured, TimedRow
from grader.grading.explain.problem import Problem
from grader.protocol.messages import StepTime
from grader.results.verdicts import Reason

FAILED = Problem(reason=Reason.LAUNCH_SIZES, message="add would have groups of 8,192 work-items.", detail="why")
WRONG = Problem(reason=Reason.WRONG_OUTPUT, message="2 of 3 elements of z are wrong.")


def launch(milliseconds, turns=1):
    """Return a launch whose steps take these milliseconds. The whole launch takes half a millisecond more."""
    steps = tuple(StepTime(start_ns=0, end_ns=round(each * 1e6)) for each in milliseconds)
    return Timing(steps=steps, wall_seconds=1e-3 * (sum(milliseconds) + 0.5), turns=(turns,))


def measured(assignment, *milliseconds, **changes):
    """Return a measurement of three launches: one of half these times, one of these times, and one of ten times these
    times.
    """
    scaled = [[factor * each for each in milliseconds or (2.0,)] for factor in (0.5, 1, 10)]
    fields = {
        "assignment": assignment,
        "sizes": next((goal.sizes for goal in assignment.goals.values()), {"n": 100000}),
        "device": DEVICE,
        "launches": tuple(launch(each) for each in scaled),
        "totals": tuple(4e-3 * sum(each) for each in scaled),
        "checked": True,
        "problem": None,
    }
    return Measured(**{**fields, **changes})


def row(label, outcome, intensity=None):
    return TimedRow(label=label, outcome=outcome, intensity=intensity)
