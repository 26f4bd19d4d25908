"""The causes of failed checks at an assignment, each with all students whose attempts are affected."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.reports.statistics import family_of
from grader.results.check import FOR_INSTRUCTORS, Reason, Verdict
from grader.results.gradebook import Mark, StudentRow


@dataclass(frozen=True, kw_only=True)
class CountedCause:
    """A cause of failed checks: a sentence, the reason, and the headings of the checks that fail because of it.
    `students` contains the label of each affected student once. If `is_example` is true, the sentence comes from one
    report as an example; otherwise all reports contain it.
    """

    sentence: str
    is_example: bool
    reason: Reason | None
    checks: tuple[str, ...]
    students: tuple[str, ...]


def causes_of(rows: Iterable[StudentRow]) -> tuple[CountedCause, ...]:
    """The causes of failed checks in these rows, the most frequent first. Checks that were skipped after another
    failure do not count as a cause.
    """
    return _grouped((row.student.label, mark) for row in rows for mark in _marks(row) if _is_failed(mark))


def to_decide(rows: Iterable[StudentRow]) -> tuple[CountedCause, ...]:
    """The reasons why an instructor must decide checks in these rows, the most frequent first."""
    return _grouped((row.student.label, mark) for row in rows for mark in _marks(row) if mark.reason in FOR_INSTRUCTORS)


def _marks(row: StudentRow) -> tuple[Mark, ...]:
    return () if row.grade is None else row.grade.checks


def _is_failed(mark: Mark) -> bool:
    return mark.verdict in {Verdict.FAILED, Verdict.PARTIAL} and mark.reason is not Reason.NOT_RUN


def _grouped(found: Iterable[tuple[str, Mark]]) -> tuple[CountedCause, ...]:
    by_cause: dict[tuple[Reason | None, str], list[tuple[str, Mark]]] = {}
    for label, mark in found:
        by_cause.setdefault((mark.reason, mark.cause), []).append((label, mark))
    causes = (_cause(befell) for befell in by_cause.values())
    return tuple(
        sorted(causes, key=lambda each: (-len(each.students), each.is_example, str(each.reason), each.sentence))
    )


def _cause(befell: list[tuple[str, Mark]]) -> CountedCause:
    _, first = min(befell, key=lambda each: each[0])
    return CountedCause(
        sentence=first.cause or first.message,
        is_example=not first.cause,
        reason=first.reason,
        checks=tuple(dict.fromkeys(family_of(mark) for _, mark in befell)),
        students=tuple(sorted({label for label, _ in befell})),
    )
