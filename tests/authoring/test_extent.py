"""extent.py: a quick validation does not time kernels, and a full validation does."""

from types import SimpleNamespace

from grader.authoring.extent import FULL, LEFT_OUT, QUICK
from grader.common.record import replace
from grader.grading.phases.speed import NO_SPEED, prepare_own
from grader.results.verdicts import NOT_MADE, UNTIMED


def context(assignment):
    """Return a stand-in for the context of a grading, which has only the assignment."""
    return SimpleNamespace(task=SimpleNamespace(assignment=assignment))


def test_a_quick_validation_leaves_out_the_speed_that_an_assignment_checks(transposition):
    """A quick validation skips the speed check and lists what it leaves unchecked. An assignment without a speed check
    has nothing to skip.
    """
    assert QUICK.prepare(context(transposition)) is LEFT_OUT
    assert QUICK.prepare(context(replace(transposition, performance=None))) is NO_SPEED
    assert QUICK.unchecked


def test_a_full_validation_leaves_out_nothing():
    """A full validation times kernels as every grading does."""
    assert FULL.prepare is prepare_own
    assert FULL.unchecked == ()


def test_speed_that_is_left_out_is_neither_lost_nor_measured_again():
    """The points for speed stay open after a quick validation, and the speed check is not repeated as if a measurement
    had failed.
    """
    assert LEFT_OUT.reason in NOT_MADE
    assert LEFT_OUT.reason not in UNTIMED
