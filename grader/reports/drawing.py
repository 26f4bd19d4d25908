"""An error map as lines of text."""

from grader.grading.explain.error_map import PARTLY, RIGHT, UNWRITTEN, WRONG
from grader.results.result import ErrorMap

MEANINGS = {RIGHT: "right", PARTLY: "partly wrong", WRONG: "wrong", UNWRITTEN: "not written"}


def tells_something(error_map: ErrorMap) -> bool:
    """Whether some cells differ; if all are alike, the message has said as much."""
    return len(set("".join(error_map.cells))) > 1


def legend(error_map: ErrorMap) -> str:
    """What array it is, what a cell is, and what the cells mean that occur."""
    rows, columns = error_map.block
    cells = "element by element" if rows == columns == 1 else f"in cells of {rows:,} x {columns:,}"
    used = set("".join(error_map.cells))
    signs = "  ".join(f"{sign} {meaning}" for sign, meaning in MEANINGS.items() if sign in used)
    return f"{error_map.buffer} {cells}:  {signs}"


def as_text(error_map: ErrorMap) -> str:
    """The legend and the map below it."""
    return "\n".join((legend(error_map), *error_map.cells))
