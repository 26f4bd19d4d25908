"""assignment_view.py: the version of an assignment tells which results must be scored or run again."""

import pytest
import yaml
from courses import course_of
from hidden_parts import FIELDS
from services import NOON, Service, post, upload

from grader.common.errors import InputError
from grader.course.policies.deadlines import Extension
from grader.service.course.assignment_view import memory_in, version_of
from grader.service.course.assignments import AssignmentCache
from grader.service.grades.visibility import grades_of_all
from grader.service.station.backends import Backend
from grader.service.station.grader import Judge
from grader.service.station.storage import Upkeep
from grader.service.web.server import state_for

CLOSED = "timezone: Europe/Berlin\ndue: 2026-11-20T13:00\nlate: refused\n"
"""Policies of an assignment that closed three days ago."""

COSTLY = "timezone: Europe/Berlin\ndue: 2026-11-22T13:00\nlate: {percent: 10}\n"
"""Policies of an assignment that was due a day ago and deducts points for late attempts."""


def test_a_version_tells_scoring_from_measuring(tmp_path):
    """New points change only the hash for scores, a new size changes both, and a new due date changes none."""
    course = course_of(tmp_path)
    path = course.assignments / "small" / "assignment.yaml"

    def version(fields):
        path.write_text(yaml.safe_dump(fields, sort_keys=False))
        return version_of(course.load("small"))

    first = version(FIELDS)
    cheaper = version({**FIELDS, "correctness": {**FIELDS["correctness"], "points": 4}})
    larger = version({**FIELDS, "sanitizer": {"sizes": {"n": 71}, "points": 3}})
    assert version({**FIELDS, "due": "2026-12-24T13:00:00+00:00"}) == first
    assert (cheaper.measured == first.measured, cheaper.scored == first.scored) == (True, False)
    assert (larger.measured == first.measured, larger.scored == first.scored) == (False, False)


def test_the_rules_of_a_student_have_their_extension(tmp_path):
    """A student with an extension gets rules with the later due date, and other students do not."""
    service = Service(tmp_path, policies="due: 2026-11-23T11:00:00+00:00\n")
    view = service.app_state.cache.assignment("small")
    extension = Extension(due=NOON)
    assert view.rules.due < view.rules_for(extension).due == NOON
    gone = view.model_copy(update={"gone": True})
    assert (view.rules.gone, gone.rules.gone, gone.rules_for(extension).gone) == (False, True, True)
    service.database.close()


@pytest.fixture(params=[False, True], ids=["the same process", "a new process"])
def served(request, tmp_path):
    """Return a function that makes a service with these policies. Files go missing while it runs or before
    a restart.
    """
    services = []

    def make(policies):
        made = Service(tmp_path, policies=policies)
        services.append(made)
        made.app_state.cache.all()
        made.restart = request.param
        Upkeep(made.course, AssignmentCache(made.course, made.data)).record_assignments(made.database)
        return made

    yield make
    for each in services:
        each.database.close()


def away(service, path):
    """Move a file or folder of the course away. Restart the service's cache if the test asks for it."""
    (service.course.assignments.parent / path).rename(service.data / "away")
    if service.restart:
        guide = service.data / "guide.md"
        guide.write_text("# Guide\n")
        course = service.course.assignments.parent
        cache = state_for(service.database, course, guide, service.origin).cache
        object.__setattr__(service.app_state, "cache", cache)


def back(service, path):
    """Move the file or folder back to its place."""
    (service.data / "away").rename(service.course.assignments.parent / path)


@pytest.mark.sampled
@pytest.mark.parametrize("path", ["course.yaml", "assignments/small/assignment.yaml", "assignments", "reference"])
def test_a_file_that_is_missing_for_a_moment_opens_nothing_and_closes_nothing(served, monkeypatch, path):
    """While a file is missing, pages still work and closed assignments stay closed. No grading runs, and the page
    System shows the reason.
    """
    service = served(CLOSED)
    attempt = service.graded(service.hand_in())
    away(service, path)
    ada, staff = service.browser("ada"), service.browser("staff")
    for page in ("/", "/assignments/small", service.page_of(attempt)):
        assert ada.get(page).status_code == 200, page
    assert "2026-11-20" in ada.get("/assignments/small").text
    said = upload(ada, b"late")
    assert (said.status_code, "closed" in said.text) == (409, True)
    assert staff.get("/course").status_code == 200
    health = staff.get("/course/system").text
    assert "The course cannot be read, so the last readable version is used:" in health
    assert str(service.course.assignments.parent) in health
    judge = Judge(service.course, Backend("{}"), 1, "cpu", memory_in(service.database))
    with pytest.raises(InputError):
        judge.grade(service.claim() or _claimed(service), print)
    service.passes(seconds=2)
    back(service, path)
    monkeypatch.setattr(service.app_state.cache, "_fresh", 0.0)
    assert "The course cannot be read" not in staff.get("/course/system").text


def _claimed(service):
    service.hand_in(person=service.ben)
    return service.claim()


def test_an_open_assignment_takes_what_is_handed_in_while_a_file_is_missing(served):
    """While its file is missing, an open assignment still accepts attempts. They wait to be graded."""
    service = served("attempts: {most: 20}\n")
    away(service, "assignments/small/assignment.yaml")
    assert upload(service.browser("ada"), b"kernel").status_code == 303


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize("renamed", [False, True], ids=["gone", "renamed"])
def test_an_assignment_whose_folder_is_gone_keeps_receipts_attempts_and_points(served, renamed):
    """An assignment whose folder is gone keeps its receipts, attempts, points and deductions. It no longer accepts or
    grades attempts, and the page System lists it.
    """
    service = served(COSTLY)
    course_of(service.course.assignments.parent, name="other")
    attempt = service.graded(service.hand_in())
    before = points(service)
    assert before == 15 * 0.9
    away(service, "assignments/small")
    if renamed:
        (service.course.reference / "small").rename(service.course.reference / "new")
        (service.data / "away").rename(service.course.assignments / "new")
    assert points(service) == before
    ada, staff = service.browser("ada"), service.browser("staff")
    assert "13.5 / 15" in ada.get("/").text
    assert "no longer part of the course" in ada.get("/assignments/small").text
    assert ada.get(service.page_of(attempt)).status_code == 200
    assert ada.get(f"{service.page_of(attempt)}/file").content.startswith(b"__kernel")
    assert upload(ada, b"more").status_code == 409
    assert ",13.5,15," in staff.get("/course/points.csv").text
    assert "The folder of small is gone:" in staff.get("/course/system").text
    assert "cannot be read" not in staff.get("/course/system").text
    again = post(staff, "/course/regrade", form="/course", assignment="small", which="all")
    assert (again.status_code, "was removed" in again.text) == (409, True)
    assert staff.get("/course/exports").text.count("<option>small</option>") == 0


def points(service):
    """Return Ada's points for the assignment `small`."""
    with service.database.reading() as session:
        return grades_of_all(session, service.app_state.cache.all())[service.ada, "small"].points


def test_an_assignment_at_which_nothing_was_handed_in_goes_with_its_folder(served):
    """An assignment without attempts disappears together with its folder, so that a renamed draft leaves no trace."""
    service = served("")
    course_of(service.course.assignments.parent, name="other")
    away(service, "assignments/small")
    assert service.browser("ada").get("/assignments/small").status_code == 404
    assert "is gone" not in service.browser("staff").get("/course/system").text


def test_attempts_of_which_nothing_else_is_known_are_named(tmp_path):
    """If the folder of an assignment disappeared before the service recorded assignments, the page System lists it
    because of its attempts.
    """
    service = Service(tmp_path)
    service.hand_in(assignment="before")
    assert "The folder of before is gone:" in service.browser("staff").get("/course/system").text
    service.database.close()


def test_a_service_does_not_start_with_what_could_never_be_read(tmp_path):
    """A service does not start if an assignment could never be read, so that the operator learns of the
    error at once.
    """
    service = Service(tmp_path)
    (service.course.assignments / "small" / "assignment.yaml").write_text("title: [")
    with pytest.raises(InputError, match="is not YAML"):
        state_for(service.database, service.course.assignments.parent, service.data, service.origin)
    service.database.close()
