"""error_map.py: draws a small map that shows which blocks of an array are wrong."""

import numpy as np
import pytest

from grader.grading.explain.error_map import COLUMNS, ROWS, error_map

NONE = np.zeros((53, 90), dtype=bool)


def test_a_small_array_is_drawn_element_by_element():
    """A small array is drawn with one character for each element."""
    wrong, unwritten = np.zeros((3, 5), dtype=bool), np.zeros((3, 5), dtype=bool)
    wrong[1, 2:] = unwritten[1, 4] = True
    drawn = error_map("B", wrong, unwritten, {"TILE": 16})
    assert (drawn.buffer, drawn.shape, drawn.block) == ("B", (3, 5), (1, 1))
    assert drawn.cells == (".....", "..##o", ".....")


def test_cells_are_parts_of_blocks():
    """In a large array, each character represents a cell that divides the blocks evenly, here 4 x 4 elements for blocks
    of 16 x 16. It shows if the cell is right, partly wrong, wrong or not written.
    """
    wrong, unwritten = NONE.copy(), NONE.copy()
    wrong[:4, :4] = wrong[4, 4] = wrong[48:] = unwritten[52] = True
    drawn = error_map("C", wrong, unwritten, {"TILE": 16})
    assert drawn.block == (4, 4)
    assert drawn.cells == ("#" + 22 * ".", ".+" + 21 * ".", *(10 * (23 * ".",)), 23 * "#", 23 * "o")


@pytest.mark.parametrize("shape", [(1, 1), (5003, 1), (1, 5003), (8300, 130), (18, 1031), (131072, 64), (20, 40)])
@pytest.mark.parametrize("blocks", [{"TILE": 16}, {"PRG_WGSIZE": 128, "CHUNK": 12}, {}])
def test_every_shape_fits(shape, blocks):
    """Every map has at most ROWS x COLUMNS characters, which together cover the array. The side of a cell divides the
    side of a block, or is a multiple of it.
    """
    wrong = np.zeros(shape, dtype=bool)
    wrong[-1, -1] = True
    drawn = error_map("B", wrong, wrong, blocks)
    assert len(drawn.cells) <= ROWS
    assert all(len(row) == len(drawn.cells[0]) <= COLUMNS for row in drawn.cells)
    assert drawn.cells[-1][-1] in "+o"
    assert "".join(drawn.cells).count(".") == len("".join(drawn.cells)) - 1
    side = min(blocks.values(), default=1)
    assert all(side % extent == 0 or extent % side == 0 for extent in drawn.block)
