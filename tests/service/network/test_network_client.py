"""client.py: slow, large or invalid answers of other services do no harm."""

import time

import pytest
from listening import LOCAL, listening

from grader.service.network.client import HttpClient
from grader.service.network.guard import UnansweredError

QUICK = HttpClient(private=LOCAL, seconds=0.4)


def test_a_redirect_is_not_followed_and_a_long_answer_is_cut():
    """A redirect does not count as accepted. Of a long answer, only the beginning is read."""
    answer = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 100000\r\n\r\n" + b"x" * 2000
    client = HttpClient(private=LOCAL, max_bytes=300)
    with listening(answer) as (port, taken):
        said = client.send("POST", f"http://localhost:{port}/hook?a=b", {"x-test": "1"}, b"{}")
    assert (said.status, said.is_accepted, said.is_complete, said.words) == (302, False, False, "x" * 300)
    assert taken[0].startswith(b"POST /hook?a=b HTTP/1.1\r\n")
    assert b"x-test: 1" in taken[0]


@pytest.mark.parametrize(
    ("scheme", "start", "drip"),
    [
        ("http", b"", b""),
        ("http", b"HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n", b"x"),
        ("http", b"HTTP/1.1 200 OK\r\nx: ", b"x"),
        ("http", b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
        ("https", b"\x16\x03\x03\x40\x00", b"x"),
    ],
    ids=["silence", "body of known length", "header", "body", "handshake"],
)
def test_an_answer_that_comes_byte_by_byte_is_given_up(scheme, start, drip):
    """A whole answer must arrive within the time limit, even if each of its bytes comes soon after the previous one."""
    began = time.monotonic()
    with listening(start, drip) as (port, _), pytest.raises(UnansweredError, match="did not answer in time"):
        QUICK.send("GET", f"{scheme}://localhost:{port}/secret", {})
    assert time.monotonic() - began < 2.5


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://localhost:1/secret", "cannot be reached: no connection"),
        ("https://nowhere.invalid/secret", "cannot be reached: no machine has this name"),
        ("http://[strange/secret", "cannot be reached: no connection"),
    ],
)
def test_a_failure_is_a_phrase_without_the_address(address, words):
    """The error of a failed request gives the reason, but does not quote the address, which may be a secret."""
    with pytest.raises(UnansweredError) as failed:
        HttpClient(private=LOCAL).send("POST", address, {}, b"")
    assert str(failed.value) == words


def test_a_server_without_a_certificate_is_refused_by_tls():
    """A server that does not use TLS does not receive the request."""
    with listening(b"HTTP/1.1 200 OK\r\n\r\n") as (port, taken), pytest.raises(UnansweredError, match="certificate"):
        HttpClient(private=LOCAL).send("POST", f"https://localhost:{port}/", {}, b"secret")
    assert b"secret" not in b"".join(taken)
