"""How people stand in assignments, as tables show it: the student's own view, and the instructor's."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from grader.common.record import replace
from grader.course.policies.attempts import Scored, counting_position
from grader.service import policy
from grader.service.courses import Shown
from grader.service.database.tables import AttemptRow, CourseRole, ExtensionRow, GradingRow, PersonRow, State
from grader.service.granting import all_extensions, rules_under
from grader.service.hand_ins import past_of
from grader.service.policy import HandInRules
from grader.service.progress import ChecksInBrief


@dataclass(frozen=True, kw_only=True)
class OwnStanding:
    """Somebody's attempts at an assignment, latest first, and the one that counts, if any does yet."""

    assignment: Shown
    rules: HandInRules
    extension: ExtensionRow | None
    attempts: tuple[AttemptRow, ...]
    left: int | None
    counting: AttemptRow | None
    late: bool

    def is_late(self, attempt: AttemptRow) -> bool:
        """Whether one of the attempts is, by the dates that hold for whoever handed it in."""
        return policy.is_late(self.rules, attempt.received)


def standing_of(
    assignment: Shown, extension: ExtensionRow | None, attempts: Sequence[AttemptRow], now: datetime
) -> OwnStanding:
    """By the rules that hold for the student, and the points that students may see: the choice of the best must not
    tell of hidden ones.
    """
    rules = rules_under(assignment, extension)
    past = [
        replace(each, points=None if attempt.counted is None else attempt.counted.shown_points)
        for each, attempt in zip(past_of(attempts, rules), attempts, strict=True)
    ]
    best = counting_position(rules.counts, past)
    return OwnStanding(
        assignment=assignment,
        rules=rules,
        extension=extension,
        attempts=tuple(reversed(attempts)),
        left=policy.left(rules, past),
        counting=None if best is None else attempts[best],
        late=policy.is_late(rules, now),
    )


@dataclass(frozen=True, kw_only=True)
class Line:
    """A student's grades, by assignment: the attempt that counts, or None; how many there are; and in `late` those
    assignments where the one that counts is late.
    """

    person: PersonRow
    counting: dict[str, AttemptRow | None]
    attempts: dict[str, int]
    late: frozenset[str]


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
    scores = _scores(session, {each.name: each for each in assignments})
    counted = {place: _counting(tried) for place, tried in scores.items()}
    rows = _attempts(session, [each.number for each in counted.values() if each is not None])
    lines = tuple(
        Line(
            person=person,
            counting={each.name: _row(rows, counted.get((person.id, each.name))) for each in assignments},
            attempts={each.name: len(_tried(scores, person.id, each.name)) for each in assignments},
            late=frozenset(
                each.name for each in assignments if (one := counted.get((person.id, each.name))) and one.score.late
            ),
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


@dataclass(frozen=True, kw_only=True)
class _Try:
    """An attempt: its number in the table, and what matters for which one counts."""

    number: int
    score: Scored


@dataclass(kw_only=True)
class _Tried:
    """A student's attempts at an assignment, oldest first, and the rules that hold for the student."""

    rules: HandInRules
    tries: list[_Try]


Place = tuple[int, str]
"""A person and an assignment."""


def _scores(session: Session, assignments: Mapping[str, Shown]) -> dict[Place, _Tried]:
    """All attempts at these assignments."""
    extensions, usual = all_extensions(session), {name: each.rules for name, each in assignments.items()}
    columns = AttemptRow.id, AttemptRow.person_id, AttemptRow.assignment, AttemptRow.received, GradingRow.points
    wanted = select(*columns).outerjoin(GradingRow, AttemptRow.counted_id == GradingRow.id)
    found: dict[Place, _Tried] = {}
    for number, person, name, received, points in session.execute(wanted.order_by(AttemptRow.number)):
        if name not in assignments:
            continue
        place = person, name
        if place not in found:
            row = extensions.get(place)
            rules = usual[name] if row is None else rules_under(assignments[name], row)
            found[place] = _Tried(rules=rules, tries=[])
        tried = found[place]
        score = Scored(late=policy.is_late(tried.rules, received), points=points)
        tried.tries.append(_Try(number=number, score=score))
    return found


def _tried(scores: Mapping[Place, _Tried], person: int, name: str) -> Sequence[_Try]:
    tried = scores.get((person, name))
    return () if tried is None else tried.tries


def _counting(tried: _Tried) -> _Try | None:
    at = counting_position(tried.rules.counts, [each.score for each in tried.tries])
    return None if at is None else tried.tries[at]


def _attempts(session: Session, numbers: Sequence[int]) -> dict[int, AttemptRow]:
    """These attempts with the gradings that count."""
    wanted = select(AttemptRow).where(AttemptRow.id.in_(numbers)).options(selectinload(AttemptRow.counted))
    return {row.id: row for row in session.scalars(wanted)}


def _row(rows: Mapping[int, AttemptRow], chosen: _Try | None) -> AttemptRow | None:
    return None if chosen is None else rows[chosen.number]


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
