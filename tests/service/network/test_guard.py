"""guard.py: each connection leads to an address that the service may reach."""

import socket
import time

import pytest
from listening import LOCAL, listening
from urllib3.exceptions import NewConnectionError

from grader.service.network import guard
from grader.service.network.addresses import ANY_NETWORK
from grader.service.network.client import HttpClient
from grader.service.network.guard import UnansweredError

QUICK = HttpClient(private=LOCAL, seconds=0.4)


def test_a_name_with_a_private_address_is_not_asked(monkeypatch):
    """A name that has a private address, even in addition to a public one or in decimal or octal form, is refused
    without a connection.
    """
    found = [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(guard.HTTPConnection, "_new_conn", lambda _: pytest.fail("it connected"))
    for host in ("localhost", "2130706433", "0177.0.0.1"):
        with pytest.raises(UnansweredError, match=r"has a private address; list 127\.0\.0\.1 in private_networks"):
            HttpClient().send("POST", f"https://{host}/", {}, b"")
    monkeypatch.setattr(guard.socket, "getaddrinfo", lambda *_, **__: found)
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

    monkeypatch.setattr(guard.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(guard.HTTPConnection, "_new_conn", refuse)
    with pytest.raises(UnansweredError, match="did not answer in time"):
        QUICK.send("GET", "https://ci.example.org/", {})
    assert len(tried) < 20


def test_without_tls_only_networks_of_the_operator_are_reached(monkeypatch):
    """Plain HTTP to a public address is refused without a connection."""
    found = [(0, 0, 0, "", ("93.184.216.34", 80))]
    monkeypatch.setattr(guard.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(guard.HTTPConnection, "_new_conn", lambda _: pytest.fail("it connected"))
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
