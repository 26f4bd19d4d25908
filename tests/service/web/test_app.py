"""app.py: each kind of failure has one answer, as a page for browsers and as a sentence in JSON for programs."""

import pytest
from fastapi.testclient import TestClient
from service_routes import routes
from services import ORIGIN, parts
from sqlalchemy.exc import DataError, OperationalError

from grader.service.course.assignments import AssignmentCache
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.web.app import MAX_TEXT_BYTES, PAGES, PROGRAMS, UPLOAD_PATHS

DISK_FULL = Exception("hush")
DISK_FULL.sqlite_errorname = "SQLITE_FULL"

FAILURES = [
    (RefusedError("The course is closed."), 409, "The course is closed."),
    (FieldError("points", "Write a number."), 409, "Write a number."),
    (NotFoundError(), 404, "There is no such page."),
    (OperationalError("SELECT 1", {}, Exception("hush")), 503, "A form that you send twice counts once."),
    (OperationalError("INSERT", {}, DISK_FULL), 503, "tell your instructor"),
    (DataError("INSERT", {}, Exception("hush")), 400, "characters that cannot be stored"),
    (ValueError("hush"), 500, "our fault, not yours"),
]


@pytest.mark.parametrize(("error", "status", "words"), FAILURES, ids=[type(error).__name__ for error, *_ in FAILURES])
def test_a_failure_is_told_to_browsers_and_programs_without_its_details(service, monkeypatch, error, status, words):
    """A failure leads to the same status and words on a page and in the API. Details of faults stay in the log."""

    def fails(_cache):
        raise error

    cookies = dict(service.browser("ada").cookies)
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    monkeypatch.setattr(AssignmentCache, "all", fails)
    client = TestClient(service.app, base_url=ORIGIN, cookies=cookies, raise_server_exceptions=False)
    page, answer = client.get("/"), client.get("/api/v1/assignments", headers=bearer)
    assert (page.status_code, answer.status_code) == (status, status)
    assert words in page.text
    assert words in answer.json()["detail"]
    assert page.headers["content-type"].startswith("text/html")
    assert "hush" not in page.text + answer.text


def test_a_browser_is_led_to_the_sign_in_and_a_program_gets_the_next_step(service):
    """Without a sign-in, a page leads to the sign-in, a form says that nothing was done, and the API names the command
    that creates a token.
    """
    client = service.browser()
    assert client.get("/").headers["location"] == "/sign-in"
    said = client.post("/tokens", files=parts(name="x"))
    assert (said.status_code, "nothing was done" in said.text) == (401, True)
    said = client.get("/api/v1/me")
    assert (said.status_code, said.headers["www-authenticate"]) == (401, "Bearer")
    assert "`grader login`" in said.json()["detail"]


def test_a_refused_text_is_given_back_unless_it_is_too_large(service):
    """The page of a refusal contains the typed text, so that nothing is lost. A text that is too large for the editor
    is left out.
    """
    for text, kept in (("int a = <b>;", True), ("x" * MAX_TEXT_BYTES, False)):
        said = service.browser().post("/assignments/small/attempts", files=parts(text=text))
        assert said.status_code == 401
        assert ("int a = &lt;b&gt;;" in said.text) is kept


def test_each_upload_has_a_route_that_takes_it(service):
    """Each end of a path with the larger limit on bodies is the end of a route."""
    ends = {each.rpartition("/")[2] for each in routes(service.app)}
    assert ends >= UPLOAD_PATHS


def test_the_description_of_the_api_leaves_pages_out(service):
    """Routes for programs are described, and routes of pages are not."""
    described = service.app.openapi()["paths"].keys()
    programs = {route.path for module in PROGRAMS for route in module.router.routes if route.include_in_schema}
    pages = {route.path for module in PAGES for route in module.router.routes}
    assert programs == described
    assert not pages & described
