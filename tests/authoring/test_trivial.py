"""trivial.py: results that need no computation are not accepted."""

import pytest

from grader.authoring.trivial import accepted
from grader.common.record import replace
from grader.course.tolerance import Tolerance


@pytest.mark.parametrize("name", ["coalsTransp", "loopNest", "vectorAdd"])
def test_no_assignment_of_the_course_accepts_one(course, name):
    """No assignment of the course accepts a trivial result, not even one with a case whose exact result is zero, such
    as the gain of a single day.
    """
    assert list(accepted(course.load(name))) == []


def test_a_tolerance_that_admits_zeros_is_found(course):
    """If the tolerance accepts zeros, each case with random data that accepts them is found. Cases with exact data
    never do.
    """
    assignment = course.load("optimProgram")
    loose = Tolerance(rule="rounding", factor=2.0**25)
    asked = replace(assignment, correctness=replace(assignment.correctness, tolerance=loose))
    found = list(accepted(asked))
    assert {"zeros"} <= {each.what for each in found}
    random = {case.name for case in assignment.correctness.cases if case.data == "random"}
    assert {each.case for each in found if each.what == "zeros"} <= random


def test_nothing_stored_is_never_accepted(course):
    """The initial content of a buffer is never accepted, because it is NaN."""
    assignment = course.load("optimProgram")
    loose = Tolerance(rule="rounding", factor=2.0**60)
    asked = replace(assignment, correctness=replace(assignment.correctness, tolerance=loose))
    assert "nothing" not in {each.what for each in accepted(asked)}
