"""avoiding.py: kernels that avoid an exercise, from the reference folder and from the baseline."""

from project import ROOT

from grader.authoring.avoiding import avoiding
from grader.common.record import replace

MADE = ["the baseline", "one work-item does everything", "one work-item in each group"]


def names(assignment):
    return [each.name for each in avoiding(assignment)]


def test_three_are_made_from_a_baseline_with_the_same_arguments(transposition):
    """A baseline with the exercise's arguments gives three kernels: itself, one work-item, and one per group."""
    assert names(transposition) == MADE


def test_the_baseline_keeps_its_text_under_the_name_of_the_exercise(transposition):
    """The baseline becomes the exercise's kernel by a new name alone, because its launch has the same sizes."""
    naive = (ROOT / "reference" / "coalsTransp" / "baseline.cl").read_text()
    assert next(avoiding(transposition)).source == naive.replace("naiveTransp", "coalsTransp")


def test_a_baseline_of_other_sizes_is_dealt_out(course):
    """If the launches differ in size, the exercise's work-items loop over the baseline's work-items."""
    first, *_ = avoiding(course.load("rgblkMMM"))
    assert "void naiveMMM(" in first.source
    assert "__kernel void naiveMMM(" not in first.source
    assert "__kernel void rgblkMMM(" in first.source


def test_none_is_made_from_a_baseline_of_another_shape(course):
    """A baseline with one kernel for two gives no kernel. The reference folder has kernels that avoid that exercise."""
    assert names(course.load("loopNest")) == ["levels-of-a-tank-together", "one-work-item-does-everything"]


def test_a_baseline_with_barriers_is_not_taken_apart(course):
    """A baseline with barriers is used whole, because all work-items of a group must reach a barrier."""
    assert names(course.load("reduction"))[-1:] == ["the baseline"]
    assert "one-work-item-in-each-group" in names(course.load("reduction"))


def test_parts_of_a_suite_have_folders_of_their_own(course):
    """Each part of a suite has only the kernels that avoid its own step."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    assert names(ladder["mmRowPrivate"]) == ["row-from-global-memory", *MADE]
    assert names(ladder["mmBlock"]) == MADE


def test_a_size_that_the_kernel_is_not_given_cannot_be_dealt_out(transposition):
    """A baseline with a size that is not an argument gives no kernel, because a kernel cannot know its work-items."""
    (naive,) = transposition.baseline
    elsewhere = replace(naive, global_size=("ceil_to(depth, TILE)", "1"))
    assert names(replace(transposition, baseline=(elsewhere,))) == []


def test_sizes_that_students_state_are_stated(course):
    """Kernels for an assignment with stated sizes state them. Without them, there would be no launch."""
    assert all("// grader: vectorAdd global = " in each.source for each in avoiding(course.load("vectorAdd")))


def test_the_variables_of_a_made_kernel_hide_no_argument(course):
    """Generated variables start with `grader_`, so they hide no argument such as a size n."""
    ladder = {part.part: part for part in course.load("productLadder").parts}
    for each in avoiding(ladder["mmRow"]):
        assert "uint grader_number" in each.source
        assert "for (uint n " not in each.source
