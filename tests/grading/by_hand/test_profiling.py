"""profiling.py: `grader profile` counts a submission on the simulator."""

# ruff: noqa: ARG001 - a fixture that only requires the simulator

import pytest
from project import ROOT

from grader.common.errors import InputError
from grader.course.submissions.submission import Task, read_submission
from grader.grading.by_hand.profiling import profile_submission
from grader.grading.checks.simulation.counts import Counted
from grader.grading.explain.problem import Problem
from grader.results.verdicts import Reason


def profiled(assignment, environment, path):
    task = Task(assignment=assignment, submission=read_submission(path), seed=1)
    return profile_submission(task, environment, lambda _: None)


def test_a_right_submission_has_counts_and_no_problem(transposition, environment, simulator):
    """A submission is counted at the sizes of the memory checks. For the correct transposition, every word is read and
    written once.
    """
    counted = profiled(transposition, environment, transposition.reference / "kernels.cl")
    assert isinstance(counted, Counted)
    assert counted.run.problem is None
    assert counted.profile.sizes == transposition.memory.sizes
    assert counted.profile.read == counted.profile.written == 4 * 128 * 192


def test_a_wrong_one_has_both(transposition, environment, simulator):
    """A submission with wrong results has counts as well as a problem, because its author may want to see its memory
    behaviour.
    """
    folder = ROOT / "tests" / "submissions" / "coalsTransp" / "copied-not-transposed"
    counted = profiled(transposition, environment, folder)
    assert isinstance(counted, Counted)
    assert counted.run.problem.reason is Reason.WRONG_OUTPUT


def test_one_that_does_not_build_has_the_reason(course, environment, simulator):
    """For a submission that does not build, the reason is the one that a grading gives."""
    folder = ROOT / "tests" / "submissions" / "optimProgram" / "undeclared-identifier"
    found = profiled(course.load("optimProgram"), environment, folder)
    assert isinstance(found, Problem)
    assert found.reason is Reason.BUILD_ERROR


def test_an_assignment_without_memory_checks_cannot_be_profiled(transposition, environment):
    """An assignment without memory checks has no sizes for a profile, so the error says which section to add."""
    bare = transposition.model_copy(update={"memory": None})
    with pytest.raises(InputError, match="add `memory:`"):
        profiled(bare, environment, transposition.reference / "kernels.cl")
