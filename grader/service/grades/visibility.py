"""Access to results for students and for people who teach. The two differ while results are held back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.grades.final import FinalGrade
from grader.service.grades.records import grades_of, published_grades_of
from grader.service.grades.wording import change_in_words
from grader.service.submissions.progress import ChecksInBrief, ProgressNote, notes_after


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
