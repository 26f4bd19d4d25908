"""Draws an error map as lines of text."""

from grader.grading.explain.error_map import PARTLY, RIGHT, UNWRITTEN, WRONG
from grader.results.findings import ErrorMap

MEANINGS = {RIGHT: "right", PARTLY: "some wrong", WRONG: "wrong", UNWRITTEN: "not written"}


def informative(error_map: ErrorMap | None) -> ErrorMap | None:
    """Return the map if some of its cells differ. If all are alike, the message already states that."""
    return error_map if error_map is not None and len(set("".join(error_map.cells))) > 1 else None


def legend(error_map: ErrorMap) -> str:
    """Describe the array, the size of a cell, and the meanings of the signs that occur."""
    rows, columns = error_map.block
    cells = "element by element" if rows == columns == 1 else f"in cells of {rows:,} x {columns:,}"
    used = set("".join(error_map.cells))
    signs = "  ".join(f"{sign} {meaning}" for sign, meaning in MEANINGS.items() if sign in used)
    return f"{error_map.buffer} {cells}:  {signs}"


def as_text(error_map: ErrorMap) -> str:
    """Return the legend with the map below it."""
    return "\n".join((legend(error_map), *error_map.cells))
