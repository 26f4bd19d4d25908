"""jobs.py: a separate process with limits makes each file, one at a time."""

import io
import shutil
import threading
import zipfile

import pytest
from courses import course_of
from processes import wait_for
from services import Service

from grader.service.exports import jobs


@pytest.fixture
def staff(service):
    return service.browser("staff")


def test_a_file_is_made_by_another_process(service, staff):
    """A separate process makes a file, and the browser saves it under its name."""
    service.graded(service.hand_in())
    said = staff.get("/course/exports/course.zip?assignment=small")
    assert said.headers["content-disposition"] == 'attachment; filename="course.zip"'
    assert "sources/Ada/small.cl" in zipfile.ZipFile(io.BytesIO(said.content)).namelist()
    assert staff.get("/course/exports/grades.csv").text.count("\r\n") == 3


@pytest.mark.whole
def test_one_file_is_made_at_a_time_and_who_asks_meanwhile_waits(service, staff, monkeypatch):
    """Only one file is made at a time. A second request waits for a limited time and is then refused."""
    other, said = service.browser("staff"), []
    asking = threading.Thread(target=lambda: said.append(other.get("/course/exports/grades.csv")))
    with jobs.EXPORT_LIMIT.slot():
        asking.start()
        assert wait_for(lambda: jobs.EXPORT_LIMIT._admitted._value == 2)
    asking.join()
    assert said[0].status_code == 200
    monkeypatch.setattr(jobs.EXPORT_LIMIT, "_wait_seconds", 0.05)
    with jobs.EXPORT_LIMIT.slot():
        late = staff.get("/course/exports/grades.csv")
    assert late.status_code == 409
    assert "try again in a moment" in late.text


@pytest.mark.whole
def test_an_export_that_needs_too_much_is_ended_and_the_next_one_works(staff, monkeypatch):
    """An export that uses too much processor time is ended with SIGXCPU, and the page gives advice. The next export
    works.
    """
    monkeypatch.setattr(jobs, "EXPORT_ARGUMENTS", ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)"))
    said = staff.get("/course/exports/grades.csv")
    assert said.status_code == 409
    assert "ask for one assignment alone" in said.text
    monkeypatch.undo()
    assert staff.get("/course/exports/grades.csv").status_code == 200


@pytest.mark.whole
@pytest.mark.parametrize(
    "address",
    [
        pytest.param("exports/grades.csv", id="all"),
        pytest.param("exports/grades.csv?assignment=small", id="one", marks=pytest.mark.whole),
        pytest.param("overview", id="overview", marks=pytest.mark.whole),
    ],
)
def test_while_an_assignment_cannot_be_read_no_file_is_made_and_the_answer_names_it(tmp_path, address):
    """While an assignment is unreadable, no files are made, and the error names the assignment. Unlike pages, exports
    do not know its last valid version and would count late days wrongly.
    """
    service = Service(tmp_path, course=course_of(tmp_path / "course"))
    for each in (service.course.assignments, service.course.reference):
        shutil.copytree(each / "small", each / "second")
    service.graded(service.hand_in())
    staff = service.browser("staff")
    assert [staff.get(each).status_code for each in ("/course", f"/course/{address}")] == [200, 200]
    rubric = service.course.assignments / "second" / "assignment.yaml"
    rubric.write_text(rubric.read_text().replace("title:", "titel:"))
    assert "second" in staff.get("/course").text
    said = staff.get(f"/course/{address}")
    assert said.status_code == 409
    assert "Fix it first: " in said.text
    assert "assignments/second/assignment.yaml, line 1: titel:" in said.text
