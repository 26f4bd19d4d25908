"""responses.py: a large answer is sent in parts."""

import zlib

from fastapi.testclient import TestClient
from services import ORIGIN

from grader.service.course.assignments import AssignmentCache
from grader.service.web.http.responses import PART_BYTES, POLICY, _parts


def test_a_large_report_is_sent_part_by_part(service):
    """A large report is sent in parts, so that a slow reader occupies little memory. Quotation marks can make a report
    ten times as large as the submitted file.
    """
    page = b"'" * (3 * PART_BYTES) + b"end"
    parts = list(_parts(zlib.compress(page)))
    assert b"".join(parts) == page
    assert max(map(len, parts)) == PART_BYTES
    service.graded(attempt := service.hand_in())
    said = service.browser("ada").get(f"{service.page_of(attempt)}/report")
    assert "content-length" not in said.headers
    assert said.text.startswith("<!DOCTYPE html>")


def test_every_answer_keeps_browsers_on_our_side(service):
    """Pages, files and errors have headers that forbid frames, sniffing and scripts from elsewhere."""
    client = service.browser("ada")
    own = service.page_of(service.hand_in())
    for path in ("/", "/nothing", "/sign-in", "/static/style.css", "/health", own, f"{own}/file"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy or policy == "sandbox"
        assert "unsafe" not in policy


def test_an_answer_that_tells_of_a_fault_of_ours_keeps_browsers_on_our_side_too(service, monkeypatch):
    """An internal error has the security headers and does not reveal any details, for browsers and programs."""
    monkeypatch.setattr(AssignmentCache, "guide", lambda _: 1 / 0)
    monkeypatch.setattr(AssignmentCache, "all", lambda _: 1 / 0)
    cookies = dict(service.browser("ada").cookies)
    client = TestClient(service.app, base_url=ORIGIN, cookies=cookies, raise_server_exceptions=False)
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    for said in (client.get("/guide"), client.get("/api/v1/assignments", headers=bearer)):
        assert said.status_code == 500
        assert "our fault, not yours" in said.text
        assert "ZeroDivision" not in said.text
        assert said.headers["content-security-policy"] == POLICY


def test_no_page_has_a_script_or_a_style_of_its_own(service):
    """Pages do not contain inline scripts or styles, because the security policy would block them."""
    client = service.browser("staff")
    attempt = service.hand_in(person=service.staff)
    for path in ("/", "/assignments/small", service.page_of(attempt), "/course", "/course/people", "/course/audit"):
        page = client.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick" not in page
        assert "<script>" not in page
