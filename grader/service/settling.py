"""Grades from records: which attempt counts for whom, what lateness costs, and what was decided by hand.

    tables -> _Records -> Work of each student or group -> settle (course/policies/) -> SettledGrade of each student

Nothing of it is stored: a changed date, an extension or an exclusion holds at once, also for what was handed in before.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from sqlalchemy import Select, SQLColumnExpression, case, select
from sqlalchemy.orm import Session

from grader.course.policies.corrections import Amount
from grader.course.policies.counting import CountedAttempt, Work, settle
from grader.course.policies.deadlines import Extension, Lateness, days_late, lateness
from grader.service.courses import Shown
from grader.service.database.tables import (
    AttemptRow,
    CourseRole,
    Decision,
    DecisionRow,
    ExclusionRow,
    ExtensionRow,
    GradingRow,
    PersonRow,
    ShareRow,
)
from grader.service.holds import held_assignments
from grader.service.policy import HandInRules, tried
from grader.service.teams import BELONGS, PEOPLE, circle_of
from grader.service.wording import decision_in_words, deduction_in_words

Place = tuple[int, str]
"""A person and an assignment."""


@dataclass(frozen=True, kw_only=True)
class SettledGrade:
    """Final grade of a student at an assignment: the number of attempts, the attempt that counts (if one does), the
    points that it `earned` before any deduction, and decisions by hand. The assignment is worth `most` points, by the
    version that graded the counting attempt.
    """

    rules: HandInRules
    most: float
    attempts: int = 0
    attempt: int | None = None
    counted: CountedAttempt | None = None
    earned: float | None = None
    extension: ExtensionRow | None = None
    decision: DecisionRow | None = None

    @property
    def excused(self) -> bool:
        """Whether the student need not do it."""
        return self.decision is not None and self.decision.kind == Decision.EXCUSE

    @property
    def is_set(self) -> bool:
        """Whether its points were set by hand."""
        return self.decision is not None and self.decision.kind == Decision.SET

    @property
    def late(self) -> bool:
        """Whether what counts is late."""
        return self.counted is not None and self.counted.lateness.days > 0

    @property
    def cost(self) -> Lateness | None:
        """What lateness costs what counts; None where it is in time."""
        return self.counted.lateness if self.counted is not None and self.late else None

    @property
    def amount(self) -> Amount | None:
        """The points that were decided by hand."""
        if self.decision is None or self.excused:
            return None
        return Amount(to=self.decision.points) if self.is_set else Amount(to=None, by=self.decision.points)

    @property
    def points(self) -> float | None:
        """What counts in the end; None where there is nothing yet, or the student is excused."""
        if self.excused:
            return None
        before = None if self.counted is None else self.counted.points
        if self.amount is None or (before is None and not self.is_set):
            return before
        return self.amount.points(before or 0.0, self.most)

    @property
    def why_late(self) -> str:
        """What its lateness costs, in words: "80 less 10 % for 1 day late"; empty where it is in time."""
        if self.counted is None or self.earned is None:
            return ""
        return deduction_in_words(self.earned, self.counted.lateness)

    @property
    def comment(self) -> str:
        """What whoever decided by hand says."""
        return "" if self.decision is None else self.decision.comment

    @property
    def in_words(self) -> str:
        """How the points came about where they are not those of the attempt: "80 less 10 % for 1 day late"; empty where
        they are.
        """
        by_hand = "" if self.decision is None else decision_in_words(self.decision)
        return ", ".join(filter(None, (self.why_late, by_hand)))

    def cost_of(self, received: datetime) -> Lateness:
        """What the lateness of any attempt costs, if it is the one that counts."""
        spent = self.rules.spent if self.counted is None else self.counted.spent
        return lateness(self.rules.policies.late, days_late(self.rules.dates, received), spent)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """An attempt: its number in the table, when it came, its points, and the full points."""

    number: int
    received: datetime
    points: float | None
    most: float | None


@dataclass(frozen=True, kw_only=True)
class _Records:
    """What grades follow from: the teams of students, their attempts in order, extensions and decisions."""

    teams: dict[int, str | None]
    tried: dict[Place, list[_Tried]]
    extensions: dict[Place, ExtensionRow]
    decisions: dict[Place, DecisionRow]


@dataclass(frozen=True, kw_only=True)
class _Statements:
    """What reads the records; built once, since to build it takes SQLAlchemy longer than to run it."""

    students: Select[int, str | None]
    attempts: Select[int, int, str, datetime, int | None, float | None, float | None]
    shares: Select[int, int]
    extensions: Select[ExtensionRow]
    decisions: Select[DecisionRow]

    @classmethod
    def of_all(cls, points: SQLColumnExpression[float | None]) -> Self:
        """Of everybody, by points of this kind."""
        attempt = AttemptRow.id, AttemptRow.person_id, AttemptRow.assignment, AttemptRow.received
        return cls(
            students=select(PersonRow.id, PersonRow.team).where(PersonRow.role == CourseRole.STUDENT),
            attempts=select(*attempt, ExclusionRow.id, points, GradingRow.max_points)
            .outerjoin(GradingRow, AttemptRow.counted_id == GradingRow.id)
            .outerjoin(ExclusionRow, ExclusionRow.attempt_id == AttemptRow.id)
            .where(AttemptRow.trial.is_(False))
            .order_by(AttemptRow.received, AttemptRow.number),  # an instructor may state an earlier arrival
            shares=select(ShareRow.attempt_id, ShareRow.person_id),
            extensions=select(ExtensionRow),
            decisions=select(DecisionRow),
        )

    def of_people(self) -> Self:
        """Of the people whose numbers come with it."""
        return replace(
            self,
            students=self.students.where(PersonRow.id.in_(PEOPLE)),
            attempts=self.attempts.where(BELONGS),
            shares=self.shares.where(ShareRow.person_id.in_(PEOPLE)),
            extensions=self.extensions.where(ExtensionRow.person_id.in_(PEOPLE)),
            decisions=self.decisions.where(DecisionRow.person_id.in_(PEOPLE)),
        )

    def read(self, session: Session, asked: Mapping[str, Sequence[int]]) -> _Records:
        """The records."""
        teams = {row.id: row.team for row in session.execute(self.students, asked)}
        sharing: dict[int, list[int]] = {}
        for attempt, person in session.execute(self.shares, asked):
            sharing.setdefault(attempt, []).append(person)
        tries: dict[Place, list[_Tried]] = {}
        for number, person, name, received, excluded, earned, most in session.execute(self.attempts, asked):
            one = _Tried(number=number, received=received, points=None if excluded else earned, most=most)
            for each in (person, *sharing.get(number, ())):
                if each in teams:
                    tries.setdefault((each, name), []).append(one)
        extensions, decisions = session.scalars(self.extensions, asked), session.scalars(self.decisions, asked)
        return _Records(
            teams=teams,
            tried=tries,
            extensions={(row.person_id, row.assignment): row for row in extensions},
            decisions={(row.person_id, row.assignment): row for row in decisions},
        )


_ALL = _Statements.of_all(GradingRow.points)
_EQUAL = case((GradingRow.points.is_not(None), 0.0))
"""Points of each graded attempt while results are held back. With equal points, neither the choice of the best attempt
nor the late days that it costs tells which attempt is better.
"""

_PUBLISHED = _Statements.of_all(GradingRow.published_points).of_people()
_AS_THEY_SEE = _Statements.of_all(case((GradingRow.held, _EQUAL), else_=GradingRow.published_points)).of_people()


def grades_of_all(session: Session, assignments: Sequence[Shown]) -> dict[Place, SettledGrade]:
    """Those of all students, by all points that there are."""
    return _grades(_ALL.read(session, {}), assignments)


def grades_of(session: Session, assignments: Sequence[Shown], person_id: int) -> dict[str, SettledGrade]:
    """Those of one student by the points that the student may see, by assignment: the choice of the best must not tell
    of hidden ones. `assignments` are all of the course, since late days are spent over all. Where results are held
    back, the grade has none.
    """
    grades, held = _own(session, _AS_THEY_SEE, assignments, person_id), held_assignments(session)
    return {name: _held_back(grade) if name in held else grade for name, grade in grades.items()}


def published_grades_of(session: Session, assignments: Sequence[Shown], person_id: int) -> dict[str, SettledGrade]:
    """Grades of one student as the student sees them once all results are published."""
    return _own(session, _PUBLISHED, assignments, person_id)


def _own(
    session: Session, statements: _Statements, assignments: Sequence[Shown], person_id: int
) -> dict[str, SettledGrade]:
    found = _grades(statements.read(session, {"people": [*circle_of(session, person_id)]}), assignments)
    return {
        each.name: found.get((person_id, each.name)) or SettledGrade(rules=each.rules, most=each.points)
        for each in assignments
    }


def _held_back(grade: SettledGrade) -> SettledGrade:
    """The grade without its result. A student who is excused still sees that."""
    decision = grade.decision if grade.excused else None
    return replace(grade, attempt=None, counted=None, earned=None, decision=decision)


def extension_in(row: ExtensionRow) -> Extension:
    """What a row gives."""
    return Extension(due=row.due, attempts=row.attempts)


@dataclass(frozen=True, kw_only=True)
class _Unit:
    """Students whose attempts at an assignment are the same, as those of a group are: they are settled as one."""

    assignment: Shown
    people: frozenset[int]
    rules: HandInRules
    tried: Sequence[_Tried]

    def work(self, key: int) -> Work[int]:
        """The same as the policies take it."""
        return Work(
            key=key,
            students=frozenset(self.people),
            late=self.rules.policies.late,
            counts=self.rules.counts,
            tries=tuple(tried(self.rules, each.received, each.points) for each in self.tried),
        )


def _grades(records: _Records, assignments: Sequence[Shown]) -> dict[Place, SettledGrade]:
    """Of every student at every assignment."""
    units = [unit for each in assignments for unit in _units(records, each)]
    settled = settle(unit.work(key) for key, unit in enumerate(units))
    spent: Counter[int] = Counter()
    for key, counted in settled.items():
        spent.update(dict.fromkeys(units[key].people, counted.lateness.covered))
    return {
        (person, unit.assignment.name): _grade(unit, settled.get(key), spent, records, person)
        for key, unit in enumerate(units)
        for person in unit.people
    }


def _units(records: _Records, assignment: Shown) -> Iterator[_Unit]:
    usual, alone = assignment.rules, assignment.policies.groups == 1
    teams: dict[str | int, set[int]] = {}
    for person, named in records.teams.items():
        teams.setdefault(person if alone or named is None else named, set()).add(person)
    for team in teams.values():
        theirs = [extension_in(row) for each in team if (row := records.extensions.get((each, assignment.name)))]
        rules = assignment.rules_for(*theirs) if theirs else usual
        same: dict[tuple[int, ...], set[int]] = {}
        for person in team:
            numbers = tuple(each.number for each in records.tried.get((person, assignment.name), ()))
            same.setdefault(numbers, set()).add(person)
        for people in same.values():
            found = records.tried.get((min(people), assignment.name), ())
            yield _Unit(assignment=assignment, people=frozenset(people), rules=rules, tried=found)


def _grade(
    unit: _Unit,
    counted: CountedAttempt | None,
    spent: Counter[int],
    records: _Records,
    person: int,
) -> SettledGrade:
    here = 0 if counted is None else counted.lateness.covered
    elsewhere = max(spent[each] for each in unit.people) - here
    one = None if counted is None else unit.tried[counted.position]
    place = person, unit.assignment.name
    return SettledGrade(
        rules=replace(unit.rules, spent=elsewhere) if elsewhere else unit.rules,
        most=unit.assignment.points if one is None or one.most is None else one.most,
        attempts=len(unit.tried),
        attempt=None if one is None else one.number,
        counted=counted,
        earned=None if one is None else one.points,
        extension=records.extensions.get(place),
        decision=records.decisions.get(place),
    )
