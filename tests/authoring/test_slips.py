"""slips.py: the model solution without one barrier or one guard."""

import pytest

from grader.authoring.slips import slips


def sources(assignment):
    return {each.name: each.source for each in slips(assignment)}


@pytest.mark.whole
def test_each_barrier_is_left_out_once(course):
    """Each slip removes one barrier and leaves all other lines, and the line numbers, unchanged."""
    found = sources(course.load("coalsTransp"))
    model = course.load("coalsTransp").source("kernels.cl")
    changed = found["the model solution without the barrier in line 33"]
    assert changed.count("\n") == model.count("\n")
    differing = [
        number
        for number, (old, new) in enumerate(zip(model.split("\n"), changed.split("\n"), strict=True), start=1)
        if old != new
    ]
    assert differing == [33]
    assert "barrier" not in changed.split("\n")[32].partition("//")[0]


def test_a_guard_that_returns_never_does(course):
    """A guard that returns early becomes `if (0)`, so work-items past the last element continue."""
    changed = sources(course.load("coalsProgrm"))["the model solution without the guard in line 12"]
    assert changed.split("\n")[11].strip() == "if (0)"


def test_a_guard_of_a_statement_always_lets_it_run(course):
    """A guard around a statement becomes `if (1)`, so every work-item runs the statement."""
    changed = sources(course.load("blockMMM"))["the model solution without the guard in line 66"]
    assert changed.split("\n")[65].strip() == "if (1)"


def test_a_condition_on_no_size_is_no_guard(course):
    """A condition that does not contain a size is not a guard. In a reduction, removing such a condition would change
    the algorithm.
    """
    assert list(sources(course.load("reduction"))) == ["the model solution without the barrier in line 24"]


def test_only_the_kernels_of_the_part_are_changed(course):
    """The slips of a part change only the kernels of that part, because the other kernels do not affect its result."""
    parts = {part.part: part for part in course.load("productLadder").parts}
    assert list(sources(parts["mmRow"])) == ["the model solution without the guard in line 26"]
    assert len(sources(parts["mmBlock"])) == 3


def test_what_the_exercise_is_about_is_no_slip(course):
    """An assignment that teaches how to handle the edges of a matrix has no slips that remove guards."""
    assert all("barrier" in name for name in sources(course.load("rectMMM")))
