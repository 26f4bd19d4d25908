"""Final grades, as pure functions of records: the attempt that counts for each student, what lateness costs, and what
was decided by hand.

    tables -> Records (records.py) -> Work of each student or group -> settle (course/policies/) -> FinalGrade

No final grade is stored: a changed date, an extension or an exclusion applies at once, also to earlier attempts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from grader.course.policies.corrections import Amount
from grader.course.policies.counting import CountedAttempt, Work, settle
from grader.course.policies.deadlines import Extension, Lateness, days_late, lateness
from grader.service.course.assignments import AssignmentView
from grader.service.course.limits import HandInRules, tried
from grader.service.db.models import Decision, DecisionRow, ExtensionRow
from grader.service.grades.wording import decision_in_words, deduction_in_words

Place = tuple[int, str]
"""A person and an assignment."""


@dataclass(frozen=True, kw_only=True)
class FinalGrade:
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
class RecordedAttempt:
    """An attempt: its number in the table, when it came, its points, and the full points."""

    number: int
    received: datetime
    points: float | None
    most: float | None


@dataclass(frozen=True, kw_only=True)
class Records:
    """What grades follow from: the teams of students, their attempts in order, extensions and decisions."""

    teams: dict[int, str | None]
    tried: dict[Place, list[RecordedAttempt]]
    extensions: dict[Place, ExtensionRow]
    decisions: dict[Place, DecisionRow]


def extension_in(row: ExtensionRow) -> Extension:
    """What a row gives."""
    return Extension(due=row.due, attempts=row.attempts)


@dataclass(frozen=True, kw_only=True)
class _Unit:
    """Students whose attempts at an assignment are the same, as those of a group are: they are settled as one."""

    assignment: AssignmentView
    people: frozenset[int]
    rules: HandInRules
    tried: Sequence[RecordedAttempt]

    def work(self, key: int) -> Work[int]:
        """The same as the policies take it."""
        return Work(
            key=key,
            students=frozenset(self.people),
            late=self.rules.policies.late,
            counts=self.rules.counts,
            tries=tuple(tried(self.rules, each.received, each.points) for each in self.tried),
        )


def final_grades(records: Records, assignments: Sequence[AssignmentView]) -> dict[Place, FinalGrade]:
    """Final grade of each student for each assignment."""
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


def _units(records: Records, assignment: AssignmentView) -> Iterator[_Unit]:
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
    records: Records,
    person: int,
) -> FinalGrade:
    here = 0 if counted is None else counted.lateness.covered
    elsewhere = max(spent[each] for each in unit.people) - here
    one = None if counted is None else unit.tried[counted.position]
    place = person, unit.assignment.name
    return FinalGrade(
        rules=replace(unit.rules, spent=elsewhere) if elsewhere else unit.rules,
        most=unit.assignment.points if one is None or one.most is None else one.most,
        attempts=len(unit.tried),
        attempt=None if one is None else one.number,
        counted=counted,
        earned=None if one is None else one.points,
        extension=records.extensions.get(place),
        decision=records.decisions.get(place),
    )


def held_back(grade: FinalGrade) -> FinalGrade:
    """The grade without its result. A student who is excused still sees that."""
    decision = grade.decision if grade.excused else None
    return replace(grade, attempt=None, counted=None, earned=None, decision=decision)
