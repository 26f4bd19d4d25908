"""extent.py: a quick validation does not time kernels, and a full validation does."""

from types import SimpleNamespace

from grader.authoring.extent import ATTEMPTS, FULL, LEFT_OUT, NOISY, QUICK, patiently
from grader.common.errors import NoiseError
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


def test_a_noisy_machine_is_asked_again():
    """A grading on a noisy machine is tried again, and is complete if a later attempt succeeds."""
    prepared = []

    def grade(prepare):
        prepared.append(prepare)
        if len(prepared) < ATTEMPTS:
            raise NoiseError("this machine was too noisy to time kernels.")
        return "graded"

    assert patiently(grade, FULL) == ("graded", FULL)
    assert prepared == [FULL.prepare] * ATTEMPTS


def test_a_machine_that_stays_noisy_grades_without_timing():
    """If all attempts are too noisy, the last grading times nothing, and its extent says what to do."""

    def grade(prepare):
        if prepare is FULL.prepare:
            raise NoiseError("this machine was too noisy to time kernels.")
        return "graded"

    assert patiently(grade, FULL) == ("graded", NOISY)
    assert NOISY.unchecked == QUICK.unchecked
    assert "--quick" in NOISY.next_step
