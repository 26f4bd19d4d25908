"""The page of exports: it names every file, and fills in or refuses a file of a platform."""

import pytest
from services import post

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.exports.jobs import FILLED, ExportKind


@pytest.fixture
def staff(service):
    return service.browser("staff")


def test_the_page_names_every_file(staff):
    """The page lists every file except the overview and similar sources, which have pages of their own."""
    page = staff.get("/course/exports").text
    assert all(kind in page for kind in {*ExportKind, *FILLED} - {ExportKind.OVERVIEW, ExportKind.SIMILAR})


@pytest.mark.whole
def test_the_overview_runs_no_script(service, staff):
    """The overview does not run scripts, because it contains text by students."""
    service.graded(service.hand_in())
    said = staff.get("/course/overview")
    assert "1 submission graded" in said.text
    assert said.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_what_there_is_not_is_not_found(staff):
    """Unknown files and assignments are answered with 404."""
    for path in (
        "exports/secret.txt",
        "exports/grades.csv?assignment=none",
        "exports/moodle.zip",
        "overview?assignment=x",
    ):
        assert staff.get(f"/course/{path}").status_code == 404


@pytest.mark.whole
def test_a_platforms_file_is_filled_or_refused_with_the_reason(service, staff):
    """A file from a platform is filled in. If it is missing or comes from another platform, the request is refused with
    the reason.
    """
    service.graded(service.hand_in())
    sheet = b"Identifier,Full name,Grade,Maximum grade\r\nParticipant 7,Ada,,10\r\n"
    said = post(staff, "/course/exports", kind="moodle.zip", file=("grades.csv", sheet), assignment="small")
    assert b"moodle-worksheet.csv" in said.content
    said = post(staff, "/course/exports", kind="canvas.zip", file=("grades.csv", sheet))
    assert said.status_code == 422
    assert "no column &#34;ID&#34;" in said.text
    said = post(staff, "/course/exports", kind="canvas.zip")
    assert (said.status_code, "No file was chosen." in said.text) == (422, True)
    assert 'value="canvas.zip" selected' in said.text
    assert post(staff, "/course/exports", kind="secret.txt").status_code == 422
    assert post(staff, "/course/exports", kind="grades.csv").text == staff.get("/course/exports/grades.csv").text


def test_a_sheet_that_is_too_large_is_refused_at_its_field(staff):
    """The form accepts files up to 1 MiB, like other forms with files. The message about a larger file
    gives its name.
    """
    said = post(staff, "/course/exports", kind="moodle.zip", file=("grades.csv", b"x" * (SIZE_LIMIT + 1)))
    assert said.status_code == 422
    assert 'id="file-error">The file grades.csv is over 1 MiB.' in said.text
