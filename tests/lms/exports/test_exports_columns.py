"""columns.py: grades are written to the rows of their students, or refused with a reason."""

from gradebooks import grade, mark, row

from grader.lms.exports.columns import Slot, place
from grader.lms.exports.sheet import read_sheet

SHEET = read_sheet("list.csv", b"id,grade\nABC,\nshort\n")


def slots(*keys):
    """Return one slot for each row below the headings, with these keys."""
    return {key: Slot(line=line, maximum=None, refusal="") for line, key in enumerate(keys, 1)}


def test_keys_of_a_platform_need_no_common_form():
    """A student is found even if the platform writes the key in capitals."""
    placed = place(SHEET, (row("ada", grade(mark()), key="abc"),), 1, slots("ABC", "short"), ".")
    assert list(placed.rows) == [1]
    assert placed.remarks == ()


def test_a_row_without_a_cell_for_the_grade_is_refused():
    """If a row has no cell for the grade, the grade is not written, and a remark gives the reason."""
    placed = place(SHEET, (row("ben", grade(mark()), key="short"),), 1, slots("ABC", "short"), ".")
    assert (placed.cells, len(placed.remarks)) == ({}, 1)
    assert placed.remarks[0].why == "is graded, but not in the copy: its row has no cell for the grade."
    assert SHEET.filled(placed.cells) == b"id,grade\nABC,\nshort\n"
