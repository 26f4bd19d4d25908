"""avoiding.py: kernels that avoid an exercise, from the reference folder and from the baseline."""

from project import ROOT

from grader.authoring.avoiding import avoiding
from grader.common.record import replace

MADE = ["the baseline", "one work-item does everything", "one work-item in each group"]


def names(assignment):
    return [each.name for each in avoiding(assignment)]


def test_three_are_made_from_a_baseline_with_the_same_arguments(transposition):
    """The baseline, one work-item, and one in each group."""
    assert names(transposition) == MADE


def test_the_baseline_keeps_its_text_under_the_name_of_the_exercise(transposition):
    """Its launch has the sizes of the exercise, so that nothing but the name changes."""
    naive = (ROOT / "reference" / "coalsTransp" / "baseline.cl").read_text()
    assert next(avoiding(transposition)).source == naive.replace("naiveTransp", "coalsTransp")


def test_a_baseline_of_other_sizes_is_dealt_out(course):
    """Its work-items are taken in turn by those of the exercise."""
    first, *_ = avoiding(course.load("rgblkMMM"))
    assert "void naiveMMM(" in first.source
    assert "__kernel void naiveMMM(" not in first.source
    assert "__kernel void rgblkMMM(" in first.source


def test_none_is_made_from_a_baseline_of_another_shape(course):
    """One kernel in the place of two; what avoids that exercise is in its reference folder."""
    assert names(course.load("loopNest")) == ["levels-of-a-tank-together", "one-work-item-does-everything"]


def test_a_baseline_with_barriers_is_not_taken_apart(course):
    """All work-items of a group must reach a barrier."""
    assert names(course.load("reduction"))[-1:] == ["the baseline"]
    assert "one-work-item-in-each-group" in names(course.load("reduction"))


def test_parts_of_a_suite_have_folders_of_their_own(course):
    """Each part has only the kernels that avoid its own step."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    assert names(ladder["mmRowPrivate"]) == ["row-from-global-memory", *MADE]
    assert names(ladder["mmBlock"]) == MADE


def test_a_size_that_the_kernel_is_not_given_cannot_be_dealt_out(transposition):
    """The number of the baseline's work-items would not be known in the kernel."""
    (naive,) = transposition.baseline
    elsewhere = replace(naive, global_size=("ceil_to(depth, TILE)", "1"))
    assert names(replace(transposition, baseline=(elsewhere,))) == []


def test_sizes_that_students_state_are_stated(course):
    """Without them nothing would be launched."""
    assert all("// grader: vectorAdd global = " in each.source for each in avoiding(course.load("vectorAdd")))


def test_the_variables_of_a_made_kernel_hide_no_argument(course):
    """A size may be called n, as the number of a work-item once was."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    for each in avoiding(ladder["mmRow"]):
        assert "uint grader_number" in each.source
        assert "for (uint n " not in each.source
