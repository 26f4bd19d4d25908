"""source_lines.py: finds the lines that produce a wrong result."""

import pytest
from samples import BUILD, failed

from grader.grading.explain.diagnosis.evidence import Use
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.source_lines import lines_of, lines_used, locate, whereabouts
from grader.protocol.observation import SeenAccess, SeenArray, SeenBranch, SeenKernel, SeenPixels
from grader.results.verdicts import Reason

SOURCE = """kernel
if (x < n)
for (k = 0; k < n; k++)  // while it lasts
    t[i] = A[i] + A[i + 1];
B[i] = t[i];  // for all
"""
SCENE = Scene(source=SOURCE, dimensions=1, extent=None)


def access(line, array, *, space=1, writes=False):
    counts = {
        "requests": 1,
        "mostly_idle": 0,
        "active": 0,
        "bytes": 4,
        "unused": 0,
        "conflicts": 0,
        "sectors": 1,
        "fewest": 1,
        "worst": 1.0,
        "stride": 4,
    }
    return SeenAccess(line=line, column=1, array=array, space=space, writes=writes, **counts)


def kernel(accesses=(), lines=()):
    branches = (SeenBranch(line=line, reached=1, diverged=0, constant=False) for line in lines)
    arrays = tuple(SeenArray(space=1, buffer=i, name=name, size=64) for i, name in enumerate("AB", start=1))
    return SeenKernel(
        kernel="k",
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=arrays,
        messages=(),
        unset=(),
        accesses=tuple(accesses),
        branches=tuple(branches),
    )


def test_uses_of_global_arrays_and_loops_are_named():
    """The message lists the lines that write and read global arrays, with writes first and each line once, and the
    lines of loops. Conditions and comments are not taken for loops.
    """
    accesses = [
        access(4, "A"),
        access(4, "A"),
        access(4, "t", space=3, writes=True),
        access(5, "B", writes=True),
        access(0, "A"),
    ]
    words = lines_used(kernel(accesses, lines=[2, 3, 5]), SCENE)
    assert words == "line 5 writes `B`; line 4 reads `A`; a loop is in line 3"


def test_uses_of_images_are_named():
    """The message also lists the lines that write or read images."""
    counts = {"column": 1, "times": 1}
    pixels = (
        SeenPixels(line=5, image="B", writes=True, **counts),
        SeenPixels(line=4, image="A", writes=False, **counts),
        SeenPixels(line=2, image="A", writes=False, **counts),
    )
    seen = kernel().model_copy(update={"images": pixels})
    assert lines_used(seen, SCENE) == "line 5 writes `B`; lines 2 and 4 read `A`"
    assert whereabouts([seen, seen], [SCENE] * 2) == f"Follow one element by hand: {lines_used(seen, SCENE)}."


def test_several_lines_are_listed():
    """Several lines are listed in ascending order."""
    assert "lines 2, 4 and 5 read `A`" in lines_used(kernel([access(line, "A") for line in (5, 2, 4)]), SCENE)


def test_a_kernel_that_uses_nothing_is_nowhere():
    """For a kernel that does not use global arrays, the message is empty."""
    assert lines_used(kernel(), SCENE) == ""


def test_the_lines_of_one_use_in_all_launches():
    """The lines that read or write an array are collected from all launches. The message is empty if the array has
    another name in the source or if too many lines use it.
    """
    seen = [kernel([access(5, "B", writes=True), access(4, "A")]), kernel([access(2, "A"), access(7, "A", space=3)])]
    assert lines_of(Use(array="A", writes=False), seen) == "lines 2 and 4 read `A`."
    assert lines_of(Use(array="B", writes=True), seen) == "line 5 writes `B`."
    assert lines_of(Use(array="M", writes=False), seen) == ""
    assert lines_of(Use(array="A", writes=False), [kernel([access(line, "A") for line in range(1, 5)])]) == ""


def test_launches_that_use_the_same_lines_are_told_once():
    """If several launches use the same lines, for example because a kernel is launched repeatedly, these lines are
    reported once.
    """
    both = [access(4, "A"), access(5, "B", writes=True)]
    seen = [kernel(both), kernel(both), kernel()]
    assert whereabouts(seen, [SCENE] * 3) == "Follow one element by hand: line 5 writes `B`; line 4 reads `A`."


def test_a_single_line_is_not_listed():
    """A kernel with one line that uses arrays has no list, because it would only repeat that line."""
    assert whereabouts([kernel([access(4, "A"), access(4, "B", writes=True)])], [SCENE]) == ""


def test_launches_of_a_kernel_are_told_together():
    """Launches of one kernel are combined, even if they use different lines. Other kernels follow in the same
    sentence, which then names the kernels.
    """
    seen = [
        kernel([access(4, "A")]),
        kernel([access(6, "A")]),
        kernel([access(9, "B")]).model_copy(update={"kernel": "g"}),
    ]
    told = "Follow one element by hand: in `k`, lines 4 and 6 read `A`; in `g`, line 9 reads `B`."
    assert whereabouts(seen, [SCENE] * 3) == told
    assert whereabouts([kernel()], [SCENE]) == ""


@pytest.mark.parametrize("reason", [Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN])
def test_the_words_follow_what_names_no_line(reason):
    """If the message about a wrong result does not name a line, the lines become its help, unless it already has a
    help.
    """
    check = failed("correctness: one", reason=reason, message="it is wrong.")
    located = locate(check, "In your file, here.")
    assert (located.message, located.help) == ("it is wrong.", "In your file, here.")
    assert locate(located, "In your file, there.") == located
    assert locate(check, "") == check


def test_what_tells_its_place_is_left_alone():
    """A passed check and a check that failed for another reason are unchanged."""
    crash = failed("correctness: one", reason=Reason.CRASH, message="it crashed.")
    assert locate(crash, "In your file, here.") == crash
    assert locate(BUILD, "In your file, here.") == BUILD
