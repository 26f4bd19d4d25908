"""Leaderboards: for each device, the speeds of correct kernels relative to the model solution.

Students see only results that the reports of the listed students show. Before release, a kernel therefore counts as
correct if its shown checks pass (results/withholding.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import geometric_mean
from typing import Any

from sqlalchemy import SQLColumnExpression, select
from sqlalchemy.orm import Session

from grader.course.rubric import Kind
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict
from grader.service.db.tables.decisions import ExclusionRow
from grader.service.db.tables.people import CourseRole, PersonRow, PseudonymRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow

REQUIRED_KINDS = frozenset({Kind.BUILD, Kind.CORRECTNESS, Kind.SANITIZER})
"""Kinds of checks that must not have failed."""


def speed_of(result: Result) -> float | None:
    """Speed of a kernel relative to the model solution; None unless the kernel is correct and every part was timed. The
    speed of a suite is the geometric mean of its kernels' speeds.
    """
    if any(each.kind in REQUIRED_KINDS and each.verdict in {Verdict.FAILED, Verdict.PARTIAL} for each in result.checks):
        return None
    speeds = [_speed(each) for each in result.checks if each.kind is Kind.PERFORMANCE]
    known = [each for each in speeds if each is not None]
    return geometric_mean(known) if known and len(known) == len(speeds) else None


def _speed(check: Check) -> float | None:
    if check.performance is None or check.reason not in {None, Reason.TOO_SLOW}:
        return None
    fraction = check.performance.fraction_of_reference
    return fraction.median if fraction is not None and isfinite(fraction.median) and fraction.median > 0 else None


@dataclass(frozen=True, kw_only=True)
class LeaderboardLine:
    """A student on a leaderboard, with their fastest attempt on the device. `pseudonym` is None if the student has not
    chosen one. `shown` is true if students see the line.
    """

    rank: int
    person_id: int
    name: str
    pseudonym: str | None
    speed: float
    attempt: str
    shown: bool


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """The leaderboard of a device: the students whose kernels were timed on it, the fastest first."""

    device: str
    places: tuple[LeaderboardLine, ...]


def boards_for_students(session: Session, assignment: str) -> tuple[Leaderboard, ...]:
    """Leaderboards of the students with a pseudonym, by the speeds that their own reports show."""
    return _boards(row for row in _timed(session, assignment, GradingRow.shown_speed) if row.pseudonym is not None)


def boards_for_staff(session: Session, assignment: str) -> tuple[Leaderboard, ...]:
    """Leaderboards of all students, by all measured speeds."""
    return _boards(_timed(session, assignment, GradingRow.speed))


def _timed(session: Session, assignment: str, speed: SQLColumnExpression[float | None]) -> Sequence[Any]:
    """The results of counting attempts that have a speed of this kind, the fastest first. Attempts with equal speeds
    are in the order in which they were handed in.
    """
    person = PersonRow.id, PersonRow.name, PseudonymRow.name.label("pseudonym")
    wanted = (
        select(*person, AttemptRow.public, GradingRow.device)
        .add_columns(speed.label("speed"), GradingRow.shown_speed.label("shown"))
        .join(AttemptRow, AttemptRow.person_id == PersonRow.id)
        .join(GradingRow, AttemptRow.counted_id == GradingRow.id)
        .outerjoin(PseudonymRow, PseudonymRow.person_id == PersonRow.id)
        .where(AttemptRow.assignment == assignment, PersonRow.role == CourseRole.STUDENT, speed.is_not(None))
        .where(AttemptRow.trial.is_(False), AttemptRow.id.not_in(select(ExclusionRow.attempt_id)))
    )
    return session.execute(wanted.order_by(speed.desc(), AttemptRow.id)).all()


def _boards(timed: Iterable[Any]) -> tuple[Leaderboard, ...]:
    """One leaderboard for each device. Each student appears at most once on a leaderboard."""
    fastest: dict[str, dict[int, LeaderboardLine]] = {}
    for row in timed:
        lines = fastest.setdefault(row.device, {})
        if row.id not in lines:
            lines[row.id] = LeaderboardLine(
                rank=len(lines) + 1,
                person_id=row.id,
                name=row.name,
                pseudonym=row.pseudonym,
                speed=row.speed,
                attempt=row.public,
                shown=row.pseudonym is not None and row.shown is not None,
            )
    return tuple(Leaderboard(device=name, places=tuple(lines.values())) for name, lines in sorted(fastest.items()))
