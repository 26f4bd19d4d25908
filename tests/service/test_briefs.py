"""briefs.py: a grade is kept beside its result, and reads back the same."""

from hiding import failing, right
from services import graded
from sqlalchemy import update

from grader.common.record import replace
from grader.results.gradebook import grade_of
from grader.service.briefs import brief_of, grades_in
from grader.service.database.tables import GradingRow


def test_a_grade_in_brief_is_the_grade_without_the_source(service):
    """Every check, hidden ones too."""
    result = failing(right(service.course.load("small")), 1)
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    (grading,) = service.gradings(attempt)
    with service.database.reading() as session:
        assert grades_in(session, [grading.id]) == {grading.id: replace(grade_of(result), source="")}
    assert result.source not in brief_of(result)


def test_what_was_graded_before_is_read_from_its_result(service):
    """As after an upgrade; what is not done has no grade."""
    done, waiting = service.graded(service.hand_in()), service.hand_in()
    numbers = [service.gradings(each)[0].id for each in (done, waiting)]
    with service.database.writing() as session:
        kept = grades_in(session, numbers)
        session.execute(update(GradingRow).values(brief=None))
        assert grades_in(session, numbers) == kept
    assert list(kept) == numbers[:1]
