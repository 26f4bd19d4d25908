"""Orders and filters for the table of all submissions, as numbers and classes, so that the page needs no script."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from grader.reports.statistics import per_cent
from grader.results.gradebook import Speed, StudentRow


def shares(speeds: Iterable[Speed]) -> list[float]:
    """Return the known fractions of the model solution's speed."""
    return [speed.fraction_of_reference for speed in speeds if speed.fraction_of_reference is not None]


def _points(row: StudentRow) -> float:
    return -1.0 if row.grade is None else per_cent(row.grade)


def _speed(row: StudentRow) -> float:
    """Return the largest fraction of the model solution's speed, or -1 if none is known."""
    return max(shares(row.grade.speeds.values()) if row.grade else [], default=-1.0)


def _reason(row: StudentRow) -> str:
    first = row.grade.first_cause if row.grade else None
    return str(first.reason) if first is not None else "~"


FASTEST = "fastest"

SORTED_BY: dict[str, Callable[[StudentRow], float | str]] = {
    "fewest points": _points,
    "most points": lambda row: -_points(row),
    FASTEST: lambda row: -_speed(row),
    "reason": _reason,
}
"""Orders of the table of all submissions, in addition to the order by label."""


def ranks_of(rows: Sequence[StudentRow]) -> list[dict[str, int]]:
    """Return the rank of each row in each of these orders. Rows that compare equal keep their order."""
    ranks: list[dict[str, int]] = [{} for _ in rows]
    for by, worth in SORTED_BY.items():
        worths: list[Any] = [worth(row) for row in rows]
        for rank, place in enumerate(sorted(range(len(rows)), key=worths.__getitem__), start=1):
            ranks[place][by] = rank
    return ranks


SHOWN = ("passed", "failed", "ungraded", "excused", "excluded", "absent", "late", "corrected", "same file")
"""Filters of the table of all submissions."""


def flags_of(row: StudentRow) -> str:
    """Return the filters that a row matches, as CSS classes."""
    passed = row.grade is not None and row.grade.passed
    found = {
        "passed": passed,
        "failed": row.grade is not None and not passed,
        "ungraded": row.status == "ungraded",
        "excused": row.status == "excused",
        "excluded": row.status == "excluded",
        "absent": row.status == "absent",
        "late": row.late,
        "corrected": row.grade is not None and row.grade.correction is not None,
        "same file": bool(row.same_as),
    }
    return " ".join(name.replace(" ", "-") for name in SHOWN if found[name])
