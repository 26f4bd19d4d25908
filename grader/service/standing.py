"""How people stand in assignments, as tables show it: the student's own view, and the instructor's."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from grader.common.record import replace
from grader.course.policies.attempts import Scored
from grader.service import policy
from grader.service.courses import Shown
from grader.service.database.tables import AttemptRow, CourseRole, GradingRow, PersonRow, State
from grader.service.hand_ins import past_of
from grader.service.progress import ChecksInBrief


@dataclass(frozen=True, kw_only=True)
class OwnStanding:
    """Somebody's attempts at an assignment, latest first, and the one that counts, if any does yet."""

    assignment: Shown
    attempts: tuple[AttemptRow, ...]
    left: int | None
    counting: AttemptRow | None
    late: bool


def standing_of(assignment: Shown, attempts: Sequence[AttemptRow], now: datetime) -> OwnStanding:
    """By the points that students may see: the choice of the best must not tell of hidden ones."""
    past = [
        replace(each, points=None if attempt.counted is None else attempt.counted.shown_points)
        for each, attempt in zip(past_of(attempts), attempts, strict=True)
    ]
    best = policy.counting(assignment.rules, past)
    return OwnStanding(
        assignment=assignment,
        attempts=tuple(reversed(attempts)),
        left=policy.left(assignment.rules, past),
        counting=None if best is None else attempts[best],
        late=policy.is_late(assignment.rules, now),
    )


@dataclass(frozen=True, kw_only=True)
class Line:
    """A student's grades, by assignment: the attempt that counts, or None; and how many there are."""

    person: PersonRow
    counting: dict[str, AttemptRow | None]
    attempts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class CourseTable:
    """Everybody's grades, and for each assignment how often which check failed among the attempts that count."""

    assignments: tuple[Shown, ...]
    lines: tuple[Line, ...]
    failing: dict[str, list[tuple[str, int]]]
    open_gradings: int
    faulted: int


SHOWN_FAILURES = 5
"""Checks of an assignment that are listed as failing, the commonest first."""


def course_table(session: Session, assignments: Sequence[Shown]) -> CourseTable:
    """The table of all students, by name. Of most attempts only the points are read: a course has tens of thousands."""
    students = session.scalars(select(PersonRow).where(PersonRow.role == CourseRole.STUDENT).order_by(PersonRow.name))
    scores = _scores(session)
    by_name = {each.name: each for each in assignments}
    counted = {place: _counting(by_name[place[1]], tried) for place, tried in scores.items() if place[1] in by_name}
    rows = _attempts(session, [number for number in counted.values() if number is not None])
    lines = tuple(
        Line(
            person=person,
            counting={each.name: rows.get(counted.get((person.id, each.name))) for each in assignments},
            attempts={each.name: len(scores.get((person.id, each.name), ())) for each in assignments},
        )
        for person in students
    )
    open_states = select(func.count()).where(GradingRow.state.in_((State.WAITING, State.RUNNING)))
    return CourseTable(
        assignments=tuple(assignments),
        lines=lines,
        failing={each.name: _failing(lines, each.name) for each in assignments},
        open_gradings=session.scalar(open_states) or 0,
        faulted=len(faulted(session)),
    )


def _scores(session: Session) -> dict[tuple[int, str], list[tuple[int, Scored]]]:
    """All attempts, oldest first, by person and assignment: their numbers in the table, and their points."""
    columns = AttemptRow.id, AttemptRow.person_id, AttemptRow.assignment, AttemptRow.late, GradingRow.points
    wanted = select(*columns).outerjoin(GradingRow, AttemptRow.counted_id == GradingRow.id)
    found: dict[tuple[int, str], list[tuple[int, Scored]]] = {}
    for number, person, assignment, late, points in session.execute(wanted.order_by(AttemptRow.number)):
        found.setdefault((person, assignment), []).append((number, Scored(late=late, points=points)))
    return found


def _counting(assignment: Shown, scores: Sequence[tuple[int, Scored]]) -> int | None:
    at = policy.counting(assignment.rules, [scored for _, scored in scores])
    return None if at is None else scores[at][0]


def _attempts(session: Session, numbers: Sequence[int]) -> dict[int | None, AttemptRow]:
    """These attempts with the gradings that count."""
    wanted = select(AttemptRow).where(AttemptRow.id.in_(numbers)).options(selectinload(AttemptRow.counted))
    return {row.id: row for row in session.scalars(wanted)}


def _failing(lines: Sequence[Line], name: str) -> list[tuple[str, int]]:
    failed: Counter[str] = Counter()
    for line in lines:
        attempt = line.counting[name]
        if attempt is not None and attempt.counted is not None:
            brief = checks_of(attempt.counted)
            failed.update(each.name for each in brief.checks if each.verdict in {"failed", "partial"})
    return failed.most_common(SHOWN_FAILURES)


def checks_of(grading: GradingRow) -> ChecksInBrief:
    """The checks of a grading that is done, as the student may see them."""
    return ChecksInBrief(checks=()) if grading.checks is None else ChecksInBrief.model_validate_json(grading.checks)


def faulted(session: Session) -> Sequence[GradingRow]:
    """The gradings that ended by a fault of ours and have not been made again since, latest first."""
    latest = select(func.max(GradingRow.id)).group_by(GradingRow.attempt_id)
    wanted = select(GradingRow).where(GradingRow.state == State.FAULTED, GradingRow.id.in_(latest))
    loaded = selectinload(GradingRow.attempt).selectinload(AttemptRow.person)
    return session.scalars(wanted.options(loaded).order_by(GradingRow.id.desc())).all()
