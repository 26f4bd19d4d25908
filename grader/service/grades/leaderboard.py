"""Leaderboards: for each device, the speeds of correct kernels relative to the model solution.

Students see only results that the reports of the listed students show. Before release, a kernel therefore counts as
correct if its shown checks pass (results/withholding.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from math import isfinite
from statistics import geometric_mean
from typing import NamedTuple

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


class _Timed(NamedTuple):
    """The result of a counting attempt. `shown` is the speed that the student sees."""

    person_id: int
    name: str
    pseudonym: str | None
    attempt: str
    device: str
    speed: float
    shown: float | None


def _timed(session: Session, assignment: str, speed: SQLColumnExpression[float | None]) -> list[_Timed]:
    """The results of counting attempts that have a speed of this kind, the fastest first. Attempts with equal speeds
    are in the order in which they were handed in.
    """
    person = PersonRow.id, PersonRow.name, PseudonymRow.name
    measured = AttemptRow.public, GradingRow.device, speed, GradingRow.shown_speed
    wanted = (
        select(*person, *measured)
        .join(AttemptRow, AttemptRow.person_id == PersonRow.id)
        .join(GradingRow, AttemptRow.counted_id == GradingRow.id)
        .outerjoin(PseudonymRow, PseudonymRow.person_id == PersonRow.id)
        .where(AttemptRow.assignment == assignment, PersonRow.role == CourseRole.STUDENT, speed.is_not(None))
        .where(AttemptRow.trial.is_(False), AttemptRow.id.not_in(select(ExclusionRow.attempt_id)))
    )
    return [_Timed._make(row) for row in session.execute(wanted.order_by(speed.desc(), AttemptRow.id))]


def _boards(timed: Iterable[_Timed]) -> tuple[Leaderboard, ...]:
    """One leaderboard for each device. Each student appears at most once on a leaderboard."""
    fastest: dict[str, dict[int, _Timed]] = {}
    for row in timed:
        fastest.setdefault(row.device, {}).setdefault(row.person_id, row)
    return tuple(
        Leaderboard(device=device, places=tuple(starmap(_placed, enumerate(rows.values(), start=1))))
        for device, rows in sorted(fastest.items())
    )


def _placed(rank: int, row: _Timed) -> LeaderboardLine:
    return LeaderboardLine(
        rank=rank,
        person_id=row.person_id,
        name=row.name,
        pseudonym=row.pseudonym,
        speed=row.speed,
        attempt=row.attempt,
        shown=row.pseudonym is not None and row.shown is not None,
    )
