"""remedies.py: advice about memory behaviour is adapted to the source."""

import pytest

from grader.grading.checks.memory_behaviour.reading import Reading
from grader.grading.checks.memory_behaviour.remedies import fitted
from grader.results.verdicts import Reason

ROWS = Reading(value=8, reason=Reason.BANK_CONFLICT, what="", help="Make the rows longer.", lengthens="tile")
TREE = Reading(value=8, reason=Reason.WARP_DIVERGENCE, what="", help="Add in a tree.", tree_for=5)


def kernel(parameters="", *body):
    lines = "\n".join(body)
    return f"__kernel void k({parameters})\n{{\n{lines}\ntile[get_local_id(0)] += 1;\n}}\n"


@pytest.mark.parametrize(
    ("source", "is_possible"),
    [
        (kernel("", "__local float tile[TILE][TILE];"), True),
        (kernel("", "__local float tile[16 * 16];"), True),
        (kernel("__local float *tile"), False),
        (kernel("", "__local float4 tile[16][4];"), False),
        (kernel("", "__local real4 tile[16][4];"), False),
        ("", True),
    ],
)
def test_rows_are_made_longer_only_if_they_can_be(source, is_possible):
    """The advice to lengthen the rows of an array is given only if the kernel declares the array and if its elements
    are not vectors.
    """
    told = fitted(ROWS, source)
    assert (told == ROWS.help) is is_possible
    assert is_possible or "neighbouring words of tile" in told


@pytest.mark.parametrize(
    ("lines", "advice"),
    [
        (("for (uint s = 1; s < n; s *= 2)", "if (me % (2 * s) == 0)"), "first half of the work-items"),
        (("for (uint s = 64; s > 0; s /= 2)", "if (me < s)"), "is already a tree"),
        (("for (uint s = 64; s > 0; s--)", "if (me == 0)"), "Add in a tree."),
    ],
)
def test_a_tree_is_proposed_only_if_there_is_none(lines, advice):
    """The advice to add in a tree is given only if the line is not in a tree already. Otherwise, the advice is about
    this tree.
    """
    assert advice in fitted(TREE, kernel("__local float *tile", *lines))
