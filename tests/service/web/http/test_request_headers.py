"""request_headers.py: a form or a link back belongs to a page of this service."""

import pytest
from services import ORIGIN
from starlette.datastructures import Headers

from grader.service.web.http.request_headers import from_own_page, referring_page


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({"origin": ORIGIN}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ORIGIN + ".evil.example"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"referer": ORIGIN + "/assignments/small"}, True),
        ({"referer": "http://evil.example/" + ORIGIN}, False),
        ({"referer": "http://[broken"}, False),
        ({}, True),
    ],
)
def test_a_form_must_come_from_a_page_of_ours(headers, own):
    """A form is accepted only from a page of this service. If the browser does not say where the form comes from, it is
    accepted.
    """
    assert from_own_page(Headers(headers), ORIGIN) is own


@pytest.mark.parametrize(
    ("referer", "address"),
    [
        (f"{ORIGIN}/assignments/small/edit?start=1#text", f"{ORIGIN}/assignments/small/edit"),
        (f"{ORIGIN}//evil.example/x", f"{ORIGIN}//evil.example/x"),
        (f"{ORIGIN}/\\evil.example", f"{ORIGIN}/\\evil.example"),
        (ORIGIN + "@evil.example/x", "/"),
        (ORIGIN + ".evil.example/x", "/"),
        ("http://ada@127.0.0.1:8000/x", "/"),
        ("http://127.0.0.1/x", "/"),
        ("//127.0.0.1:8000/x", "/"),
        ("http://[broken", "/"),
        (None, "/"),
    ],
)
def test_a_link_back_leads_to_a_page_of_ours(referer, address):
    """A link back leads to a page of this service, or to the first page if the request came from elsewhere."""
    assert referring_page(Headers({} if referer is None else {"referer": referer}), ORIGIN) == address


NASTY = "a" * 30_000 + "-" + "a" * 30_000
"""Text that takes a punycode decoder time quadratic in its length."""


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "multipart/form-data; boundary=XX; charset=punycode",
            f'--XX\r\nContent-Disposition: form-data; name="token"\r\n\r\n{NASTY}\r\n--XX--\r\n',
        ),
        ("multipart/form-data; charset=undefined; boundary=XX", "--XX--"),
        ("application/x-www-form-urlencoded", "&" * 60_000),
        ("application/json", "{}"),
        ("text/plain", "token=x"),
    ],
)
def test_only_a_form_of_ours_is_read(service, kind, body):
    """Only the kind of form that this service uses is parsed. Otherwise, strangers could keep the process busy."""
    said = service.browser().post("/join", content=body.encode(), headers={"content-type": kind})
    assert (said.status_code, said.headers["connection"]) == (415, "close")
    assert "not from a page of this service" in said.text
