"""How people stand in assignments, as tables show it: the student's own view, and the instructor's."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from grader.common.record import replace
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
    """The table of all students, by name."""
    students = session.scalars(select(PersonRow).where(PersonRow.role == CourseRole.STUDENT).order_by(PersonRow.name))
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.counted)
    by_place: dict[tuple[int, str], list[AttemptRow]] = {}
    for attempt in session.scalars(select(AttemptRow).options(*loaded).order_by(AttemptRow.number)):
        by_place.setdefault((attempt.person_id, attempt.assignment), []).append(attempt)
    lines = tuple(_line(person, assignments, by_place) for person in students)
    states = Counter(session.scalars(select(GradingRow.state)))
    return CourseTable(
        assignments=tuple(assignments),
        lines=lines,
        failing={each.name: _failing(lines, each.name) for each in assignments},
        open_gradings=states[State.WAITING] + states[State.RUNNING],
        faulted=len(faulted(session)),
    )


def _line(person: PersonRow, assignments: Sequence[Shown], by_place: dict[tuple[int, str], list[AttemptRow]]) -> Line:
    found = {each.name: by_place.get((person.id, each.name), []) for each in assignments}
    counting = {each.name: policy.counting(each.rules, past_of(found[each.name])) for each in assignments}
    return Line(
        person=person,
        counting={name: None if at is None else found[name][at] for name, at in counting.items()},
        attempts={name: len(attempts) for name, attempts in found.items()},
    )


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
