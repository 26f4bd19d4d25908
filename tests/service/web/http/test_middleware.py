"""middleware.py: every request is checked, and every response has the security headers."""

import asyncio

import pytest
from services import ORIGIN, field, parts, upload

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.db.session import Database
from grader.service.db.tables.submissions import AttemptRow
from grader.service.people.auth import api_tokens
from grader.service.web.http.middleware import (
    MAX_FORM_BYTES,
    MAX_UPLOAD_BYTES,
    RequestChecksMiddleware,
    SingleHostMiddleware,
    _plain_cookies,
)
from grader.service.web.http.responses import POLICY
from grader.service.web.routes.machines.oauth import DEVICE_GRANT


def attempts(service):
    with service.database.reading() as session:
        return session.query(AttemptRow).count()


def test_a_form_of_another_site_does_nothing_even_with_the_right_cookie_and_token(service):
    """A form from another site is refused despite the right cookie and token, because the browser sends its origin."""
    client = service.browser("ada")
    shown = client.get("/assignments/small")
    fields = parts(form_token=field(shown, "form_token"), form_key="k", file=("kernels.cl", b"x"))
    said = client.post("/assignments/small/attempts", files=fields, headers={"origin": "http://evil.example"})
    assert (said.status_code, attempts(service)) == (403, 0)


def test_a_cookie_that_takes_long_to_read_is_left_out(service):
    """A cookie with a backslash is ignored, because parsing it is slow. The session cookie next to it is still read."""
    client = service.browser("ada")
    (own,) = [f"{each.name}={each.value}" for each in client.cookies.jar]
    client.cookies.clear()
    said = client.get("/", headers={"cookie": f'x="{2000 * chr(92)}"; {own}; y="\\"'})
    assert "Sign out" in said.text
    name, value = _plain_cookies((b"cookie", b'x="\\\\"; a=b;c="d"; y="\\"'))
    assert (name, value) == (b"cookie", b' a=b;c="d"')
    assert _plain_cookies((b"user-agent", b"\\")) == (b"user-agent", b"\\")


def test_a_form_without_the_token_of_the_session_does_nothing(service):
    """A form without a token, or with the token of another session, is refused and changes nothing."""
    ada, ben = service.browser("ada"), service.browser("ben")
    for token in ("", field(ben.get("/assignments/small"), "form_token")):
        said = upload(ada, form_token=token)
        assert (said.status_code, attempts(service)) == (409, 0)
        assert "out of date" in said.text


def test_a_page_answers_head_as_get_without_the_body(service):
    """HEAD is answered like GET but without the body, even for an endless stream. Programs that check links use it."""
    client = service.browser("ada")
    own = service.page_of(service.hand_in())
    for path in ("/", "/nothing", "/sign-in", "/static/style.css", "/health", own, f"{own}/file", f"{own}/events"):
        head = client.head(path)
        assert head.content == b""
        assert head.status_code in {200, 404, 303}
        if not path.endswith("/events"):
            asked = client.get(path)
            assert (head.status_code, head.headers.get("content-type")) == (
                asked.status_code,
                asked.headers.get("content-type"),
            )


def test_who_is_not_known_takes_nobodys_turn_to_write(service, monkeypatch):
    """Invalid links and codes are looked up without the write lock, so strangers cannot delay people who write."""

    def refused(_):
        raise AssertionError

    client = service.browser()
    monkeypatch.setattr(Database, "writing", refused)
    assert client.post("/join", files=parts(token="guess")).status_code == 403
    asked = {"grant_type": DEVICE_GRANT, "device_code": "guess"}
    assert client.post("/api/v1/device/token", data=asked).json() == {"error": "expired_token"}
    monkeypatch.setattr(api_tokens, "MAX_WAITING_TERMINALS", 0)
    assert client.post("/api/v1/device/code", data={"client_id": "laptop"}).status_code == 409


@pytest.mark.parametrize("host", ["localhost:8000", "evil.example", "127.0.0.1.evil.example:8000", ""])
def test_who_comes_by_another_name_is_led_to_our_address(service, host):
    """A request under another host name is redirected to the same page at this service's address. No content is shown
    under that name.
    """
    client = service.browser("ada")
    for ask in (client.get, client.head):
        said = ask("/assignments/small/edit?start=0", headers={"host": host})
        assert (said.status_code, said.text) == (307, "")
        assert said.headers["location"] == f"{ORIGIN}/assignments/small/edit?start=0"
        assert said.headers["content-security-policy"] == POLICY
    assert "Ada" in client.get(said.headers["location"]).text


def test_what_is_sent_to_another_name_does_nothing(service):
    """A request with data or a token under another host name has no effect. The answer gives the right address but does
    not redirect, because a redirect would send the data on.
    """
    client, token = service.browser("ada"), service.token(service.ada, "read submit")
    shown = client.get("/assignments/small")
    fields = parts(form_token=field(shown, "form_token"), form_key="k", file=("kernels.cl", b"x"))
    evil = {"host": "evil.example"}
    said = client.post("/assignments/small/attempts", files=fields, headers=evil)
    assert (said.status_code, said.headers["connection"]) == (421, "close")
    assert said.text == f"This service only answers at {ORIGIN}, so nothing was done. Use that address.\n"
    bearer = evil | {"authorization": f"Bearer {token}"}
    for method, path in (("GET", "assignments"), ("POST", "assignments/small/attempts")):
        said = client.request(method, f"/api/v1/{path}", headers=bearer)
        assert (said.status_code, ORIGIN in said.json()["detail"]) == (421, True)
    assert attempts(service) == 0


HOSTILE = (
    b"127.0.0.1:8000@evil.example",
    b"ada@127.0.0.1:8000",
    b"127.0.0.1:8000\r\nset-cookie: grader=x",
    b"127.0.0.1:8000\n",
    b"127.0.0.1\x00",
    b"127.0.0.1:8000/..",
    b"127.0.0.1:80:8000",
    b"127.0.0.1:\xb2",
    b"[127.0.0.1]:8000",
)


@pytest.mark.parametrize("host", HOSTILE, ids=ascii)
def test_a_name_that_only_looks_like_ours_is_another(host):
    """A host that only resembles this service's name is treated as foreign, and no part of it appears in the answer."""
    asked = {"path": "/", "query_string": b"", "headers": [(b"host", host)]}
    assert _of_one_host(asked) == (307, [(b"content-length", b"0"), (b"location", f"{ORIGIN}/".encode())])


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8443"])
def test_our_name_is_ours_at_any_port(service, host):
    """This service's name is accepted with any port. A proxy sends no port or its own one, so a redirect would be
    repeated forever.
    """
    assert service.browser("ada").get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    ("path", "query", "there"),
    [
        ("//evil.example/", b"", "/evil.example/"),
        ("@evil.example/", b"", "/%40evil.example/"),
        ("http://evil.example", b"a=b", "/http%3A//evil.example?a=b"),
        ("/a\r\nb", b"c=\r\nd", "/a%0D%0Ab?c=%0D%0Ad"),
        ("/ä?b", b"", "/%C3%A4%3Fb"),
    ],
)
def test_a_redirect_leads_nowhere_but_to_our_address(path, query, there):
    """A redirect leads only to this service's address, for any requested path and query."""
    asked = {"path": path, "query_string": query, "headers": [(b"host", b"localhost:8000")]}
    assert dict(_of_one_host(asked)[1])[b"location"].decode() == ORIGIN + there


def _of_one_host(asked):
    """Return the status and headers of the answer to a request for a foreign host, which must not reach the
    application.
    """
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", **asked}
    asyncio.run(SingleHostMiddleware(None, ORIGIN)(scope, None, send))
    return sent[0]["status"], sent[0]["headers"]


async def _answered(app, path, chunks, length=None):
    """Return how many chunks an application behind the request checks received, and the status of the answer."""
    taken, sent = 0, []

    async def receive():
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": next(chunks), "more_body": True}

    async def send(message):
        sent.append(message)

    kind = b"multipart/form-data; boundary=a"
    headers = [(b"origin", ORIGIN.encode()), (b"content-type", kind)] + (
        [(b"content-length", b"%d" % length)] if length else []
    )
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    await RequestChecksMiddleware(app, ORIGIN, frozenset({"attempts"}))(scope, receive, send)
    return taken, sent[0]["status"]


@pytest.mark.parametrize(
    ("path", "limit"), [("/join", MAX_FORM_BYTES), ("/assignments/small/attempts", MAX_UPLOAD_BYTES)]
)
@pytest.mark.parametrize("said", [True, False], ids=["length", "none"])
def test_a_body_that_is_too_large_is_never_held(path, limit, said):
    """A body over the limit is never kept in memory. If its length is known, the application receives nothing of it.
    Otherwise, it receives data only up to the limit.
    """
    held = 0

    async def app(_scope, receive, _send):
        nonlocal held
        while True:
            held += len((await receive())["body"])

    def chunks():
        for _ in range(100_000):
            yield bytes(64 * 1024)

    _, status = asyncio.run(_answered(app, path, chunks(), 10**9 if said else None))
    assert status == 413
    assert held <= (0 if said else limit)


@pytest.mark.parametrize(
    ("size", "status", "words"),
    [(SIZE_LIMIT, 303, ""), (SIZE_LIMIT + 1, 422, "1 MiB"), (MAX_UPLOAD_BYTES, 422, "1 MiB")],
)
def test_a_file_is_taken_up_to_a_mebibyte(service, size, status, words):
    """A file of up to 1 MiB is accepted. A larger one, even one that is not read, is refused in the form that sent it.
    Neither is stored.
    """
    said = upload(service.browser("ada"), b"x" * size)
    assert said.status_code == status
    assert words in said.text
    assert ('id="file-error">The file is over 1 MiB' in said.text) == (status == 422)
    assert attempts(service) == (status == 303)


def test_a_form_that_is_too_large_gets_a_page_that_leads_back(service):
    """A page with the limit and a link to the form answers other forms that are too large. Nothing is done."""
    client, page = service.browser("staff"), f"{service.origin}/course/people"
    token = field(client.get("/course/people"), "form_token")
    for path, size, limit in (("/roster", MAX_UPLOAD_BYTES, "1 MiB"), ("", MAX_FORM_BYTES, "64 KiB")):
        fields = parts(form_token=token, file=("roster.csv", b"x" * size))
        said = client.post(f"/course/people{path}", files=fields, headers={"referer": page})
        assert (said.status_code, said.headers["connection"]) == (413, "close")
        assert f"larger than {limit}, so nothing was stored" in said.text
        assert f'<a href="{page}">' in said.text


def test_an_upload_of_nobody_is_not_read(service):
    """An upload without a sign-in is refused before its body is read."""
    client = service.browser()
    fields = parts(form_key="k", file=("kernels.cl", b"x"))
    assert client.post("/assignments/small/attempts", files=fields).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/assignments/small/compare?old=99999999999999999999&new=1",
        "/assignments/small/compare?old=0&new=1",
        "{own}/events?after=99999999999999999999999",
        "{own}/events?after=-1",
    ],
)
def test_numbers_that_no_database_takes_are_not_found(service, path):
    """Numbers that exceed the range of the database are answered with 404 instead of an internal error."""
    own = service.page_of(service.hand_in())
    assert service.browser("ada").get(path.format(own=own)).status_code == 404


def test_whoever_leaves_in_the_middle_of_a_form_is_no_fault_of_ours(service):
    """A client that disconnects in the middle of a form does not cause an exception, so the log contains only real
    faults.
    """
    headers = {"host": "127.0.0.1:8000", "origin": ORIGIN, "content-type": "multipart/form-data; boundary=x"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/join",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    messages = iter([{"type": "http.request", "body": b"--x", "more_body": True}, {"type": "http.disconnect"}])
    sent = []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    asyncio.run(service.app(scope, receive, send))
    assert sent[0]["status"] == 400
