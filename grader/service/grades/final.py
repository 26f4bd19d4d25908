"""Final grades, computed by pure functions from records. A final grade combines the attempt that counts, the deduction
for lateness, and decisions by hand.

    tables -> Records (visibility.py) -> Work of each student or group -> settle (course/policies/) -> FinalGrade

Final grades are not stored, so a changed date, an extension or an exclusion applies at once, also to earlier attempts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from grader.course.policies.corrections import Amount
from grader.course.policies.counting import CountedAttempt, Try, Work, settle
from grader.course.policies.deadlines import Extension, Lateness, days_late, lateness
from grader.service.course.assignment_view import AssignmentView
from grader.service.course.limits import HandInRules
from grader.service.db.tables.decisions import Decision, DecisionRow, ExtensionRow
from grader.service.grades.wording import decision_in_words, deduction_in_words

GradeKey = tuple[int, str]
"""The number of a person and the name of an assignment."""

GradeState = Literal["passed", "partly", "failed", "open"]
"""State of a grade: all points, some points, no points, or not decided yet."""


@dataclass(frozen=True, kw_only=True)
class FinalGrade:
    """Final grade of a student at an assignment: the number of attempts, how many of them are excluded, the attempt
    that counts (if one does), the points that it `earned` before any deduction, and decisions by hand. The assignment
    is worth `most` points in the version with which that attempt was graded.
    """

    rules: HandInRules
    most: float
    attempts: int = 0
    excluded: int = 0
    attempt: int | None = None
    counted: CountedAttempt | None = None
    earned: float | None = None
    extension: ExtensionRow | None = None
    decision: DecisionRow | None = None

    @property
    def excused(self) -> bool:
        """True if the student is excused from the assignment."""
        return self.decision is not None and self.decision.kind == Decision.EXCUSE

    @property
    def is_excluded(self) -> bool:
        """True if the student has attempts, and all of them are excluded."""
        return 0 < self.attempts == self.excluded

    @property
    def is_set(self) -> bool:
        """True if the points were set by hand."""
        return self.decision is not None and self.decision.kind == Decision.SET

    @property
    def state(self) -> GradeState:
        """State derived from the points of the attempt that counts; open if they are not decided yet."""
        if self.earned is None:
            return "open"
        return "passed" if self.earned >= self.most else "partly" if self.earned > 0 else "failed"

    @property
    def late(self) -> bool:
        """True if the attempt that counts is late."""
        return self.counted is not None and self.counted.lateness.days > 0

    @property
    def cost(self) -> Lateness | None:
        """The cost of lateness of the attempt that counts; None if it was on time."""
        return self.counted.lateness if self.counted is not None and self.late else None

    @property
    def amount(self) -> Amount | None:
        """The points that were decided by hand, as a change or a new value; None if none were decided."""
        if self.decision is None or self.excused:
            return None
        return Amount(to=self.decision.points) if self.is_set else Amount(to=None, by=self.decision.points)

    @property
    def points(self) -> float | None:
        """The final points; None if nothing is graded or the student is excused."""
        if self.excused:
            return None
        before = None if self.counted is None else self.counted.points
        if self.amount is None or (before is None and not self.is_set):
            return before
        return self.amount.points(before or 0.0, self.most)

    @property
    def why_late(self) -> str:
        """The cost of lateness in words, such as "80 less 10 % for 1 day late"; empty if the attempt was on time."""
        if self.counted is None or self.earned is None:
            return ""
        return deduction_in_words(self.earned, self.counted.lateness)

    @property
    def comment(self) -> str:
        """Comment on the decision by hand; empty if there is no decision."""
        return "" if self.decision is None else self.decision.comment

    @property
    def in_words(self) -> str:
        """Reason why the final points differ from the attempt's, such as "80 less 10 % for 1 day late"; empty if they
        do not differ.
        """
        by_hand = "" if self.decision is None else decision_in_words(self.decision)
        return ", ".join(filter(None, (self.why_late, by_hand)))

    def cost_of(self, received: datetime) -> Lateness:
        """The cost of lateness that an attempt received at this time would have if it were the one that counts."""
        spent = self.rules.spent if self.counted is None else self.counted.spent
        return lateness(self.rules.policies.late, days_late(self.rules.dates, received), spent)


@dataclass(frozen=True, kw_only=True)
class RecordedAttempt:
    """An attempt: its number in the table, the time when it was received, its points, and the maximum points. An
    excluded attempt does not have points.
    """

    number: int
    received: datetime
    points: float | None
    most: float | None
    excluded: bool


@dataclass(frozen=True, kw_only=True)
class Records:
    """The data that final grades depend on: groups of students, their attempts in order, extensions and decisions."""

    teams: dict[int, str | None]
    attempts: dict[GradeKey, list[RecordedAttempt]]
    extensions: dict[GradeKey, ExtensionRow]
    decisions: dict[GradeKey, DecisionRow]


def extension_in(row: ExtensionRow) -> Extension:
    """The extension that a row describes."""
    return Extension(due=row.due, attempts=row.attempts)


@dataclass(frozen=True, kw_only=True)
class _Unit:
    """Students who share all attempts at an assignment, such as a group. The same attempt counts for all of them."""

    assignment: AssignmentView
    people: frozenset[int]
    rules: HandInRules
    attempts: Sequence[RecordedAttempt]

    def work(self, key: int) -> Work[int]:
        """The attempts in the form that the policies need."""
        return Work(
            key=key,
            students=frozenset(self.people),
            late=self.rules.policies.late,
            counts=self.rules.counts,
            tries=tuple(
                Try(at=each.received, days=days_late(self.rules.dates, each.received), points=each.points)
                for each in self.attempts
            ),
        )


def final_grades(records: Records, assignments: Sequence[AssignmentView]) -> dict[GradeKey, FinalGrade]:
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
            numbers = tuple(each.number for each in records.attempts.get((person, assignment.name), ()))
            same.setdefault(numbers, set()).add(person)
        for people in same.values():
            found = records.attempts.get((min(people), assignment.name), ())
            yield _Unit(assignment=assignment, people=frozenset(people), rules=rules, attempts=found)


def _grade(
    unit: _Unit,
    counted: CountedAttempt | None,
    spent: Counter[int],
    records: Records,
    person: int,
) -> FinalGrade:
    here = 0 if counted is None else counted.lateness.covered
    elsewhere = max(spent[each] for each in unit.people) - here
    one = None if counted is None else unit.attempts[counted.position]
    place = person, unit.assignment.name
    return FinalGrade(
        rules=replace(unit.rules, spent=elsewhere) if elsewhere else unit.rules,
        most=unit.assignment.points if one is None or one.most is None else one.most,
        attempts=len(unit.attempts),
        excluded=sum(each.excluded for each in unit.attempts),
        attempt=None if one is None else one.number,
        counted=counted,
        earned=None if one is None else one.points,
        extension=records.extensions.get(place),
        decision=records.decisions.get(place),
    )


def held_back(grade: FinalGrade) -> FinalGrade:
    """The grade without its result, for students while results are held back. Excused students still see that they are
    excused.
    """
    decision = grade.decision if grade.excused else None
    return replace(grade, attempt=None, counted=None, earned=None, decision=decision)
