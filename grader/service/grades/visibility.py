"""Grades and results, as far as their reader may see them. Students and people who teach see different ones while
results are held back. The records from which final.py computes final grades are read by five statements, regardless of
the size of the course.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from sqlalchemy import Select, SQLColumnExpression, case, select
from sqlalchemy.orm import Session

from grader.service.course.assignment_view import AssignmentView
from grader.service.course.groups import BELONGS, PEOPLE, linked_people
from grader.service.db.tables.decisions import DecisionRow, ExclusionRow, ExtensionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow, ShareRow
from grader.service.grades.final import FinalGrade, GradeKey, RecordedAttempt, Records, final_grades, held_back
from grader.service.grades.publication import held_assignments
from grader.service.grades.wording import change_in_words
from grader.service.submissions.progress import ChecksInBrief, ProgressNote, notes_after


@dataclass(frozen=True, kw_only=True)
class _Statements:
    """Statements that read the records. They are built once because SQLAlchemy takes longer to build them than to run
    them.
    """

    students: Select[int, str | None]
    attempts: Select[int, int, str, datetime, int | None, float | None, float | None]
    shares: Select[int, int]
    extensions: Select[ExtensionRow]
    decisions: Select[DecisionRow]

    @classmethod
    def of_all(cls, points: SQLColumnExpression[float | None]) -> Self:
        """Statements for all people. `points` is the column or expression for the points of an attempt."""
        attempt = AttemptRow.id, AttemptRow.person_id, AttemptRow.assignment, AttemptRow.received
        return cls(
            students=select(PersonRow.id, PersonRow.team).where(PersonRow.role == CourseRole.STUDENT),
            attempts=select(*attempt, ExclusionRow.id, points, GradingRow.max_points)
            .outerjoin(GradingRow, AttemptRow.counted_id == GradingRow.id)
            .outerjoin(ExclusionRow, ExclusionRow.attempt_id == AttemptRow.id)
            .where(AttemptRow.trial.is_(False))
            .order_by(AttemptRow.received, AttemptRow.number),  # an instructor may have stated an earlier arrival
            shares=select(ShareRow.attempt_id, ShareRow.person_id),
            extensions=select(ExtensionRow),
            decisions=select(DecisionRow),
        )

    def of_people(self) -> Self:
        """Statements restricted to the people whose numbers are the parameter PEOPLE."""
        return replace(
            self,
            students=self.students.where(PersonRow.id.in_(PEOPLE)),
            attempts=self.attempts.where(BELONGS),
            shares=self.shares.where(ShareRow.person_id.in_(PEOPLE)),
            extensions=self.extensions.where(ExtensionRow.person_id.in_(PEOPLE)),
            decisions=self.decisions.where(DecisionRow.person_id.in_(PEOPLE)),
        )

    def read(self, session: Session, asked: Mapping[str, Sequence[int]]) -> Records:
        """Read the records."""
        teams = {row.id: row.team for row in session.execute(self.students, asked)}
        sharing: dict[int, list[int]] = {}
        for attempt, person in session.execute(self.shares, asked):
            sharing.setdefault(attempt, []).append(person)
        tries: dict[GradeKey, list[RecordedAttempt]] = {}
        for number, person, name, received, exclusion, earned, most in session.execute(self.attempts, asked):
            excluded = exclusion is not None
            points = None if excluded else earned
            one = RecordedAttempt(number=number, received=received, points=points, most=most, excluded=excluded)
            for each in (person, *sharing.get(number, ())):
                if each in teams:
                    tries.setdefault((each, name), []).append(one)
        extensions, decisions = session.scalars(self.extensions, asked), session.scalars(self.decisions, asked)
        return Records(
            teams=teams,
            attempts=tries,
            extensions={(row.person_id, row.assignment): row for row in extensions},
            decisions={(row.person_id, row.assignment): row for row in decisions},
        )


_ALL = _Statements.of_all(GradingRow.points)
_EQUAL = case((GradingRow.points.is_not(None), 0.0))
"""Points of each graded attempt while results are held back. Because all points are equal, neither the choice of the
best attempt nor the late days that it costs reveal which attempt is better.
"""

_PUBLISHED = _Statements.of_all(GradingRow.published_points).of_people()
_ALL_AS_STUDENTS_SEE = _Statements.of_all(case((GradingRow.held, _EQUAL), else_=GradingRow.published_points))
_AS_STUDENTS_SEE = _ALL_AS_STUDENTS_SEE.of_people()


def grades_of_all(session: Session, assignments: Sequence[AssignmentView]) -> dict[GradeKey, FinalGrade]:
    """Final grades of all students. They include hidden points."""
    return final_grades(_ALL.read(session, {}), assignments)


def shown_grades_of_all(session: Session, assignments: Sequence[AssignmentView]) -> dict[GradeKey, FinalGrade]:
    """Final grades of all students, as the students see them (grades_of)."""
    held = held_assignments(session)
    found = final_grades(_ALL_AS_STUDENTS_SEE.read(session, {}), assignments)
    return {key: held_back(grade) if key[1] in held else grade for key, grade in found.items()}


def grades_of(session: Session, assignments: Sequence[AssignmentView], person_id: int) -> dict[str, FinalGrade]:
    """Final grades of one student, by assignment. They depend only on points that the student may see, because the
    choice of the best attempt must not reveal hidden points. `assignments` must contain all assignments of the course
    because they share the late days. While results are held back, a grade does not have points.
    """
    grades, held = _own(session, _AS_STUDENTS_SEE, assignments, person_id), held_assignments(session)
    return {name: held_back(grade) if name in held else grade for name, grade in grades.items()}


def published_grades_of(
    session: Session, assignments: Sequence[AssignmentView], person_id: int
) -> dict[str, FinalGrade]:
    """Final grades of one student, as the student will see them once all results are published."""
    return _own(session, _PUBLISHED, assignments, person_id)


def _own(
    session: Session, statements: _Statements, assignments: Sequence[AssignmentView], person_id: int
) -> dict[str, FinalGrade]:
    found = final_grades(statements.read(session, {"people": [*linked_people(session, person_id)]}), assignments)
    return {
        each.name: found.get((person_id, each.name)) or FinalGrade(rules=each.rules, most=each.points)
        for each in assignments
    }


@dataclass(frozen=True, kw_only=True)
class SeenResult:
    """The part of an attempt's result that its reader may see."""

    points: float | None
    max_points: float | None
    hidden_points: float
    checks: ChecksInBrief


Note = tuple[int, ProgressNote]
"""The number of a note about a running grading, and the note itself."""


@dataclass(frozen=True, kw_only=True)
class ResultAccess:
    """Functions that read a student's grades, the result of an attempt and the notes about a grading, as far as the
    reader may see them.
    """

    grades: Callable[[Session, Sequence[AssignmentView], int], dict[str, FinalGrade]]
    result: Callable[[AttemptRow], SeenResult | None]
    notes: Callable[[Session, GradingRow, int], Sequence[Note]]


def points_change(old: SeenResult | None, new: SeenResult | None) -> str:
    """The change of points from an earlier attempt to this one, in words; empty unless the reader may see the points of
    both.
    """
    if old is None or new is None or old.points is None or new.points is None:
        return ""
    return change_in_words(old.points, new.points)


def checks_of(grading: GradingRow) -> ChecksInBrief:
    """The checks of a grading that is done, as the student may see them."""
    return _in_brief(grading.checks)


def _in_brief(checks: str | None) -> ChecksInBrief:
    return ChecksInBrief(checks=()) if checks is None else ChecksInBrief.model_validate_json(checks)


def _published(attempt: AttemptRow) -> SeenResult | None:
    counted = attempt.counted
    if counted is None:
        return None
    return SeenResult(
        points=counted.published_points,
        max_points=counted.max_points,
        hidden_points=counted.hidden_points,
        checks=_in_brief(counted.published_checks),
    )


def _shown(attempt: AttemptRow) -> SeenResult | None:
    return None if attempt.counted is None or attempt.counted.held else _published(attempt)


def _shown_notes(session: Session, grading: GradingRow, after: int) -> Sequence[Note]:
    """Notes about a grading; empty while results are held back, because notes contain the outcomes of checks."""
    return () if grading.held else notes_after(session, grading, after)


STUDENT_ACCESS = ResultAccess(grades=grades_of, result=_shown, notes=_shown_notes)
"""Access for students, which excludes results that are held back."""

STAFF_ACCESS = ResultAccess(grades=published_grades_of, result=_published, notes=notes_after)
"""Access for people who teach: results as students will see them once they are published."""
