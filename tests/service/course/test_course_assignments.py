"""assignments.py: the assignments of pages follow their files, and stay open after a mistake in a file."""

import os
import shutil

import pytest
from courses import course_of
from project import ROOT
from services import Service

from grader.course.catalogue import Course
from grader.service.course.assignments import AssignmentCache, classes_of, elsewhere
from grader.service.errors import NotFoundError
from grader.service.submissions.queue import claim


def test_a_handout_that_changes_is_read_again(service):
    """A handout that has changed or was deleted is read again without a restart."""
    path = service.course.assignments / "small" / "README.md"
    path.write_text("Subtract.\n")
    os.utime(path, (1, 1))
    assert "Subtract" in service.app_state.cache.assignment("small").handout
    path.unlink()
    assert service.app_state.cache.assignment("small").handout == ""


@pytest.mark.whole
def test_every_handout_of_the_course_can_be_shown(course):
    """Every handout of the course and the guide to reports can be rendered."""
    cache = AssignmentCache(course, ROOT / "docs" / "reading-your-report.md")
    assert len(cache.all()) == len(course.names())
    assert all("<h1>" in each.handout for each in cache.all())
    assert "DATA_RACE" in cache.guide()


def test_a_slip_in_an_assignment_closes_nothing(tmp_path):
    """If an assignment file becomes invalid, its last valid version is used and the error is reported. An assignment
    that was never valid is left out.
    """
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    before = cache.all()
    assert cache.problems() == []
    rubric = copied.assignments / "small" / "assignment.yaml"
    right = rubric.read_text()
    rubric.write_text(right.replace("title:", "titel:"))
    assert cache.all() == before == [cache.assignment("small")]
    (problem,) = cache.problems()
    assert "titel" in problem
    fresh = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    assert fresh.all() == []
    with pytest.raises(NotFoundError):
        fresh.assignment("small")
    rubric.write_text(right)
    assert cache.problems() == []


@pytest.fixture
def reads(monkeypatch):
    """Return a list that records the name of each assignment that is read from its files."""
    found, load = [], Course.load
    monkeypatch.setattr(Course, "load", lambda course, name: (found.append(name), load(course, name))[1])
    return found


def test_an_assignment_that_cannot_be_read_is_not_tried_again_for_every_page(tmp_path, reads):
    """An unreadable assignment is read again only when one of its files or their permissions change."""
    copied = course_of(tmp_path)
    rubric = copied.assignments / "small" / "assignment.yaml"
    rubric.write_text("title: [")
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    for _ in range(3):
        assert cache.all() == []
        assert len(cache.problems()) == 1
    assert reads == ["small"]
    rubric.chmod(0o600)
    cache.problems()
    assert reads == ["small"] * 2


def test_files_are_looked_at_again_only_after_a_while(tmp_path, monkeypatch):
    """Files are checked for changes at most once a second. Otherwise, a page with 13 assignments would check a hundred
    files.
    """
    now = 100.0
    monkeypatch.setattr("grader.service.course.assignments.time.monotonic", lambda: now)
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md", fresh=1.0)
    before = cache.assignment("small").handout
    (copied.assignments / "small" / "README.md").write_text("# Said now\n")
    now += 0.9
    assert cache.assignment("small").handout == before
    now += 0.1
    assert "Said now" in cache.assignment("small").handout


@pytest.mark.parametrize(
    "lacking", ["reference/small/oracle.py", "reference/small/baseline.cl", "reference/small/kernels.cl"]
)
def test_an_assignment_is_read_again_when_what_it_lacks_is_there(tmp_path, lacking):
    """An assignment with a missing reference file is read again as soon as the file exists."""
    copied = course_of(tmp_path)
    text = (tmp_path / lacking).read_text()
    (tmp_path / lacking).unlink()
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    (problem,) = cache.problems()
    assert f"{lacking} is missing" in problem
    (tmp_path / lacking).write_text(text)
    assert (cache.problems(), len(cache.all())) == ([], 1)


def test_what_changes_in_the_course_is_shown_without_a_new_start(tmp_path):
    """Changed handouts, changed policies and removed assignments take effect without a restart."""
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    handout = copied.assignments / "small" / "README.md"
    handout.unlink(missing_ok=True)
    assert cache.assignment("small").handout == ""
    handout.write_text("# Said now\n")
    assert "Said now" in cache.assignment("small").handout
    handout.unlink()
    assert [each.handout for each in cache.all()] == [""]
    (tmp_path / "course.yaml").write_text("attempts: {most: 7}\n")
    assert cache.assignment("small").policies.attempts.most == 7
    shutil.rmtree(copied.assignments / "small")
    course_of(tmp_path, name="other")
    assert [each.name for each in cache.all()] == ["other"]
    with pytest.raises(NotFoundError):
        cache.assignment("small")


def test_a_station_passes_over_what_is_graded_elsewhere(service):
    """A station skips gradings for another device class and takes the next one. A station of that class takes the
    first.
    """
    first, second = service.hand_in(assignment="large"), service.hand_in(person=service.ben)
    left = elsewhere({"small": "cpu", "large": "gpu", "other": ""}, "cpu")
    assert left == {"large"}
    with service.database.writing() as session:
        taken = claim(session, "one", service.now, left)
        assert claim(session, "one", service.now, left) is None
        other = claim(session, "two", service.now, elsewhere({"small": "cpu", "large": "gpu"}, "gpu"))
    assert [taken.grading_id, other.grading_id] == [service.gradings(each)[0].id for each in (second, first)]


@pytest.mark.parametrize(("text", "found"), [("device_class: gpu\n", "gpu"), ("", "")])
def test_the_class_is_what_the_course_says(tmp_path, text, found):
    """An assignment that has become unreadable keeps its last device class. If it could never be read, it has none, so
    a station of any class takes its gradings and reports the error.
    """
    service = Service(tmp_path, policies=f"{text}counts: best\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    (service.course.assignments / "small" / "assignment.yaml").write_text("title: [\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    assert classes_of(AssignmentCache(service.course, ROOT / "docs" / "reading-your-report.md")) == {"small": ""}
