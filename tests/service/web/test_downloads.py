"""downloads.py: files of a result contain only what their reader may see."""

import json
import zlib
from xml.etree import ElementTree

import pytest
from hidden_parts import HIDDEN, SECRET, failing, hiding_course, right
from services import Service, graded

from grader.results.result import Result
from grader.service.station.grader import ready


def test_each_file_is_saved_under_a_name_that_says_what_it_is(service):
    """The report, the full record and the JUnit file have descriptive names. They are served with a sandbox policy, so
    that no script can run.
    """
    where = f"{service.page_of(service.graded(service.hand_in()))}/download"
    ada = service.browser("ada")
    kinds = {
        "report.html": "text/html; charset=utf-8",
        "result.json": "application/json",
        "junit.xml": "application/xml",
    }
    found = {name: ada.get(f"{where}/{name}") for name in kinds}
    for name, answer in found.items():
        assert answer.headers["content-type"] == kinds[name]
        assert answer.headers["content-disposition"] == f'attachment; filename="small-1-{name}"'
        assert answer.headers["content-security-policy"] == "sandbox"
        assert f"{where}/{name}" in ada.get(where.removesuffix("/download")).text
    assert found["report.html"].content == zlib.decompress(graded(service.course).early_page)
    assert Result.model_validate_json(found["result.json"].content).points == 15
    assert ElementTree.fromstring(found["junit.xml"].content).tag in {"testsuite", "testsuites"}


def test_programs_get_the_same_files(service):
    """The API returns the same files as the pages."""
    attempt = service.attempt(service.graded(service.hand_in()))
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    for name in ("report.html", "result.json", "junit.xml"):
        own = service.browser("ada").get(f"/attempts/{attempt.public}/download/{name}").content
        told = service.browser().get(f"/api/v1/attempts/{attempt.public}/download/{name}", headers=bearer)
        assert told.content == own


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", HIDDEN)
def test_no_file_of_a_students_tells_of_hidden_checks(tmp_path, hidden):
    """Files for a student contain nothing hidden, even with a manipulated address. An instructor can download
    everything.
    """
    service = Service(tmp_path, hiding_course(tmp_path / "course", hidden))
    assignment = service.course.load("small")
    outcome = ready(failing(right(assignment), HIDDEN[hidden]), assignment)
    where = f"{service.page_of(service.graded(service.hand_in(), outcome))}/download"
    ada, staff = service.browser("ada"), service.browser("staff")
    for name in ("report.html", "result.json", "junit.xml"):
        for asked in ("", "?all=1"):
            assert SECRET not in ada.get(f"{where}/{name}{asked}").text
        assert SECRET not in staff.get(f"{where}/{name}").text
    assert SECRET in staff.get(f"{where}/result.json?all=1").text
    assert SECRET in staff.get(f"{where}/junit.xml?all=1").text
    assert json.loads(ada.get(f"{where}/result.json").text)["checks"][HIDDEN[hidden]]["reason"] == "HIDDEN"


def test_there_is_nothing_before_a_result(service):
    """Files do not exist before the result. Unknown names are answered with 404."""
    attempt = service.hand_in()
    ada, where = service.browser("ada"), f"{service.page_of(attempt)}/download"
    assert ada.get(f"{where}/result.json").status_code == 404
    service.graded(attempt)
    assert ada.get(f"{where}/result.txt").status_code == 404
    assert [ada.get(f"{where}/{name}").status_code for name in ("result.json", "report.html")] == [200, 200]
