"""summaries.py: a short form of each grade is stored next to its result and can be read back unchanged."""

from dataclasses import replace

from hidden_parts import failing, hiding_course, right
from services import Service, graded

from grader.course.submissions.handin import Student
from grader.results.gradebook import StudentRow, grade_of
from grader.service.grades.summaries import brief_of, briefs_in
from grader.service.station.grader import ready


def test_a_grade_in_brief_is_the_grade_without_the_source(service):
    """The short form equals the grade without its source. It includes every check, even hidden ones."""
    result = failing(right(service.course.load("small")), 1)
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    (grading,) = service.gradings(attempt)
    with service.database.reading() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
    assert brief.grade == brief.shown == replace(grade_of(result), source="")
    assert result.source not in brief_of(result, result)


def test_what_students_are_not_shown_is_in_the_grade_alone(tmp_path):
    """The full grade includes the points of a hidden case, and the grade that students see does not."""
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", "case"))
    assignment = service.course.load("small")
    outcome = ready(right(assignment), assignment)
    (grading,) = service.gradings(service.graded(service.hand_in(), outcome))
    with service.database.reading() as session:
        (brief,) = briefs_in(session, [grading.id]).values()
    assert brief.grade.points > brief.shown.points == outcome.early_points
    row = StudentRow(student=Student(label="Ada", name="Ada"), assignment="small", grade=brief.grade, shown=brief.shown)
    assert row.hidden_points == outcome.max_points - outcome.early_max == 5
    assert brief.shown.max_points == 24


def test_what_is_not_done_has_no_grade(service):
    """A grading without a result has no short form of a grade."""
    done, waiting = service.graded(service.hand_in()), service.hand_in()
    numbers = [service.gradings(each)[0].id for each in (done, waiting)]
    with service.database.reading() as session:
        assert list(briefs_in(session, numbers)) == numbers[:1]
