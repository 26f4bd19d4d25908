"""sample_kernels.py: kernels that avoid an exercise, from the reference folder and from the baseline, and the model
solution without one barrier or one guard.
"""

import pytest
from project import ROOT

from grader.authoring.sample_kernels import avoiding, slips
from grader.common.record import replace

MADE = ["the baseline", "one work-item does everything", "one work-item in each group"]


def names(assignment):
    return [each.name for each in avoiding(assignment)]


def test_three_are_made_from_a_baseline_with_the_same_arguments(transposition):
    """If the baseline's kernel takes the same arguments as the exercise's, three kernels are made from it: the baseline
    itself, one in which one work-item does everything, and one in which one work-item of each group does everything.
    """
    assert names(transposition) == MADE


def test_the_baseline_keeps_its_text_under_the_name_of_the_exercise(transposition):
    """If both launches have the same sizes, the only change to the baseline is that its kernel gets the name of the
    exercise's kernel.
    """
    naive = (ROOT / "reference" / "coalsTransp" / "baseline.cl").read_text()
    assert next(avoiding(transposition)).source == naive.replace("naiveTransp", "coalsTransp")


def test_a_baseline_of_other_sizes_is_dealt_out(course):
    """If the launches differ in size, the generated kernel runs the baseline's work-items in a loop."""
    first, *_ = avoiding(course.load("rgblkMMM"))
    assert "void grader_naiveMMM(" in first.source
    assert "__kernel void grader_naiveMMM(" not in first.source
    assert "__kernel void rgblkMMM(" in first.source


def test_a_baseline_may_have_the_name_of_the_exercise(transposition):
    """If the baseline's kernel has the same name as the exercise's kernel, the generated function gets a different name
    than the kernel that calls it.
    """
    launches = (replace(transposition.baseline[0], kernel="naiveTransp"),)
    _, one, _ = avoiding(replace(transposition, kernel="naiveTransp", launches=launches))
    assert "void grader_naiveTransp(" in one.source
    assert one.source.count("void naiveTransp(") == 1


def test_none_is_made_from_a_baseline_of_another_shape(course):
    """If the baseline has one kernel where the exercise has two, no kernel is made from it. Only the kernels in the
    reference folder are used.
    """
    assert names(course.load("loopNest")) == ["levels-of-a-tank-together", "one-work-item-does-everything"]


def test_a_baseline_with_barriers_is_not_taken_apart(course):
    """A baseline with barriers is used only as a whole, because all work-items of a group must reach each barrier."""
    assert names(course.load("reduction"))[-1:] == ["the baseline"]
    assert "one-work-item-in-each-group" in names(course.load("reduction"))


def test_parts_of_a_suite_have_folders_of_their_own(course):
    """Each part of a suite has only the kernels that avoid the exercise of that part."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    assert names(ladder["mmRowPrivate"]) == ["row-from-global-memory", *MADE]
    assert names(ladder["mmBlock"]) == MADE


def test_a_size_that_the_kernel_is_not_given_cannot_be_dealt_out(transposition):
    """If the launch sizes of the baseline depend on a value that is not a kernel argument, no kernel is made, because
    the generated kernel could not compute the number of work-items.
    """
    (naive,) = transposition.baseline
    elsewhere = replace(naive, global_size=("ceil_to(depth, TILE)", "1"))
    assert names(replace(transposition, baseline=(elsewhere,))) == []


def test_sizes_that_students_state_are_stated(course):
    """If students must state the launch sizes, the generated kernels state them, too, because the kernels could not be
    launched otherwise.
    """
    assert all("// grader: vectorAdd global = " in each.source for each in avoiding(course.load("vectorAdd")))


def test_the_variables_of_a_made_kernel_hide_no_argument(course):
    """The variables of a generated kernel start with `grader_`, so that they cannot shadow an argument such as `n`."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    for each in avoiding(ladder["mmRow"]):
        assert "uint grader_number" in each.source
        assert "for (uint n " not in each.source


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
