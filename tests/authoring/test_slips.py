"""slips.py: the model solution with one barrier or one guard less."""

from grader.authoring.slips import slips


def sources(assignment):
    return {each.name: each.source for each in slips(assignment)}


def test_each_barrier_is_left_out_once(course):
    """Its line keeps its place and loses nothing else."""
    found = sources(course.load("coalsTransp"))
    model = course.load("coalsTransp").source("kernels.cl")
    changed = found["without the barrier in line 33"]
    assert changed.count("\n") == model.count("\n")
    differing = [
        number
        for number, (old, new) in enumerate(zip(model.split("\n"), changed.split("\n"), strict=True), start=1)
        if old != new
    ]
    assert differing == [33]
    assert "barrier" not in changed.split("\n")[32].partition("//")[0]


def test_a_guard_that_returns_never_does(course):
    """Work-items past the last element go on."""
    changed = sources(course.load("coalsProgrm"))["without the guard in line 12"]
    assert changed.split("\n")[11].strip() == "if (0)"


def test_a_guard_of_a_statement_always_lets_it_run(course):
    """The store is made by every work-item."""
    changed = sources(course.load("blockMMM"))["without the guard in line 66"]
    assert changed.split("\n")[65].strip() == "if (1)"


def test_a_condition_on_no_size_is_no_guard(course):
    """The tree of a reduction chooses who adds: without that it would be another algorithm."""
    assert list(sources(course.load("reduction"))) == ["without the barrier in line 24"]


def test_only_the_kernels_of_the_part_are_changed(course):
    """A slip in another part of the suite would change nothing here."""
    parts = {part.part: part for part in course.load("productLadder").parts}
    assert list(sources(parts["mmRow"])) == ["without the guard in line 26"]
    assert len(sources(parts["mmBlock"])) == 3


def test_what_the_exercise_is_about_is_no_slip(course):
    """An assignment about the edges of a matrix counts no missing guard as a slip."""
    assert all("barrier" in name for name in sources(course.load("rectMMM")))
