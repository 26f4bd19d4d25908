"""avoiding.py: kernels that avoid an exercise, from the reference folder and from the baseline."""

from project import ROOT

from grader.authoring.avoiding import avoiding
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
