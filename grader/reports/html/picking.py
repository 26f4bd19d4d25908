"""How the table of all submissions can be sorted, and cut down to some: by numbers and classes, without a script."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from grader.reports.statistics import per_cent
from grader.results.gradebook import Speed, StudentRow


def shares(speeds: Iterable[Speed]) -> list[float]:
    """Of the model solution's speed, where that is known."""
    return [speed.fraction_of_reference for speed in speeds if speed.fraction_of_reference is not None]


def _points(row: StudentRow) -> float:
    return -1.0 if row.grade is None else per_cent(row.grade)


def _speed(row: StudentRow) -> float:
    """Of the model solution's; none is less than any."""
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
"""How the table of all can be sorted, besides by label."""


def ranks_of(rows: Sequence[StudentRow]) -> list[dict[str, int]]:
    """For each row its place among all, by each of these; rows that are equal stay in their order."""
    ranks: list[dict[str, int]] = [{} for _ in rows]
    for by, worth in SORTED_BY.items():
        for rank, place in enumerate(sorted(range(len(rows)), key=partial(_worth, rows, worth)), start=1):
            ranks[place][by] = rank
    return ranks


def _worth(rows: Sequence[StudentRow], worth: Callable[[StudentRow], Any], place: int) -> Any:
    return worth(rows[place])


SHOWN = ("passed", "failed", "ungraded", "excused", "excluded", "absent", "late", "corrected", "same file")
"""What the table of all can be cut down to."""


def flags_of(row: StudentRow) -> str:
    """Which of these a row is, as classes."""
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
