"""client.py: slow, large or invalid answers of other services do no harm."""

import socket
import time

import pytest
from listening import LOCAL, listening
from urllib3.exceptions import NewConnectionError

from grader.service.network import client
from grader.service.network.addresses import ANY_NETWORK
from grader.service.network.client import HttpClient, UnansweredError

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


def test_a_name_with_a_private_address_is_not_asked(monkeypatch):
    """A name that has a private address, even in addition to a public one or in decimal or octal form, is refused
    without a connection.
    """
    found = [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(client.HTTPConnection, "_new_conn", lambda _: pytest.fail("it connected"))
    for host in ("localhost", "2130706433", "0177.0.0.1"):
        with pytest.raises(UnansweredError, match=r"has a private address; list 127\.0\.0\.1 in private_networks"):
            HttpClient().send("POST", f"https://{host}/", {}, b"")
    monkeypatch.setattr(client.socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(UnansweredError, match=r"list 10\.0\.0\.1 in private_networks"):
        HttpClient(private=LOCAL).send("GET", "https://ci.example.org/", {})


def test_a_name_is_looked_up_once(monkeypatch):
    """The connection uses the address that was checked, even if a second look-up would return a different one."""
    names, found = [], socket.getaddrinfo

    def look_up(host, *arguments, **more):
        names.append(host)
        return found("127.0.0.1" if host == "ci.example.org" else host, *arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with listening(b"HTTP/1.1 204 Done\r\n\r\n") as (port, taken):
        assert HttpClient(private=LOCAL).send("GET", f"http://ci.example.org:{port}/", {}).is_accepted
    assert names == ["ci.example.org", "127.0.0.1"]
    assert f"host: ci.example.org:{port}".encode() in taken[0].lower()


def test_many_addresses_that_refuse_slowly_are_not_all_tried(monkeypatch):
    """The time of a request is limited even if its host has hundreds of addresses, and each refuses after a while."""
    found, tried = [(0, 0, 0, "", (f"127.0.0.{number}", 443)) for number in range(1, 201)], []

    def refuse(connection):
        tried.append(connection._dns_host)
        time.sleep(0.05)
        raise NewConnectionError(connection, "refused")

    monkeypatch.setattr(client.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(client.HTTPConnection, "_new_conn", refuse)
    with pytest.raises(UnansweredError, match="did not answer in time"):
        QUICK.send("GET", "https://ci.example.org/", {})
    assert len(tried) < 20


def test_without_tls_only_networks_of_the_operator_are_reached(monkeypatch):
    """Plain HTTP to a public address is refused without a connection."""
    found = [(0, 0, 0, "", ("93.184.216.34", 80))]
    monkeypatch.setattr(client.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(client.HTTPConnection, "_new_conn", lambda _: pytest.fail("it connected"))
    with pytest.raises(UnansweredError, match="does not begin with https"):
        HttpClient(private=LOCAL).send("GET", "http://ci.example.org/", {})


def test_only_addresses_of_the_operator_use_a_proxy(monkeypatch):
    """Only requests to addresses that the operator enters use a proxy, because a proxy looks up addresses itself."""
    with listening(b"HTTP/1.1 204 Done\r\n\r\n") as (port, taken):
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        with pytest.raises(UnansweredError):
            HttpClient(private=LOCAL).send("GET", "http://nowhere.invalid/", {})
        assert taken == []
        assert HttpClient(private=ANY_NETWORK).send("GET", "http://nowhere.invalid/", {}).is_accepted
    assert taken[0].startswith(b"GET http://nowhere.invalid/ HTTP/1.1\r\n")
