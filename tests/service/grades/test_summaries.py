"""summaries.py: a grade is kept beside its result, and reads back the same."""

from hiding import failing, hiding_course, right
from services import Service, graded
from sqlalchemy import update

from grader.common.record import replace
from grader.course.submissions.handin import Student
from grader.results.gradebook import StudentRow, grade_of
from grader.service.db.models import GradingRow
from grader.service.grades.summaries import brief_of, briefs_in
from grader.service.station.grader import ready


def test_a_grade_in_brief_is_the_grade_without_the_source(service):
    """Every check, hidden ones too."""
    result = failing(right(service.course.load("small")), 1)
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    (grading,) = service.gradings(attempt)
    with service.database.reading() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
    assert brief.grade == brief.shown == replace(grade_of(result), source="")
    assert result.source not in brief_of(result, result)


def test_what_students_are_not_shown_is_in_the_grade_alone(tmp_path):
    """As where a case is hidden; of what was graded before briefs were kept, no more is told."""
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    assignment = service.course.load("small")
    outcome = ready(right(assignment), assignment)
    (grading,) = service.gradings(service.graded(service.hand_in(), outcome))
    with service.database.writing() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
        session.execute(update(GradingRow).values(brief=None))
        (older,) = briefs_in(session, [grading.id]).values()
    for each in (brief, older):
        assert each.grade.points > each.shown.points == outcome.early_points
        ada = Student(label="Ada", name="Ada")
        row = StudentRow(student=ada, assignment="small", grade=each.grade, shown=each.shown)
        assert row.hidden_points == outcome.max_points - outcome.early_max == 5
    assert (brief.shown.max_points, older.shown.max_points) == (24, 19)
    assert older.shown.checks == ()


def test_what_was_graded_before_is_read_from_its_result(service):
    """As after an upgrade; what is not done has no grade."""
    done, waiting = service.graded(service.hand_in()), service.hand_in()
    numbers = [service.gradings(each)[0].id for each in (done, waiting)]
    with service.database.writing() as session:
        kept = briefs_in(session, numbers)
        session.execute(update(GradingRow).values(brief=None))
        assert briefs_in(session, numbers) == kept
    assert list(kept) == numbers[:1]
