"""Requests to addresses from a registration or a platform. They must not reach machines behind the firewall.

The address of a host is looked up once, checked, and used for the connection. A second look-up could return another
address.
"""

import contextlib
import re
import socket
import time
from collections.abc import Collection, Iterator
from threading import Timer
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError

from grader.service.errors import RefusedError
from grader.service.public_addresses import is_public

MAX_ADDRESS_LENGTH = 2000

HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+", re.ASCII)
"""Pattern of a host. Policies of pages contain the host, so it must not have other characters."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine. If they are among the private hosts, they may be used without TLS."""


def require_address(url: str, what: str, private_hosts: Collection[str]) -> str:
    """The address, if the service may send requests to it. Otherwise, raises RefusedError. `what` names the address in
    the message.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise RefusedError(f"The {what} is not an address: {url[:200]}.") from error
    odd = "@" in parts.netloc or parts.fragment or len(url) > MAX_ADDRESS_LENGTH or not url.isprintable()
    if odd or not HOST.fullmatch(host):
        raise RefusedError(f"The {what} is not an address: {url[:200]}.")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK and host in private_hosts):
        raise RefusedError(f"The {what} must begin with https://, not {url[:200]}.")
    return url


@contextlib.contextmanager
def guarded_session(private_hosts: Collection[str], seconds: float) -> Iterator[requests.Session]:
    """A session that connects only to public addresses, and to the private hosts. It does not use a proxy, which would
    look up the addresses itself. Its connections end after these seconds, even if the other side sends a byte from time
    to time.
    """
    opened = _Connections(time.monotonic() + seconds)
    ending = Timer(seconds, opened.end)
    ending.daemon = True
    ending.start()
    try:
        with requests.Session() as session:
            session.trust_env = False
            adapter = _GuardedAdapter(frozenset(private_hosts), opened)
            session.mount("https://", adapter)
            session.mount("http://", adapter)
            yield session
    finally:
        ending.cancel()


class _Connections:
    """The connections of a session, and the time at which they end."""

    def __init__(self, until: float) -> None:
        self._until, self._sockets = until, list[socket.socket]()

    def add(self, made: socket.socket) -> None:
        """Note a connection, which ends at once if the time is over."""
        self._sockets.append(made)
        if time.monotonic() >= self._until:
            self.end()

    def end(self) -> None:
        """End all connections, even while another thread reads from them."""
        for each in self._sockets:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(each, socket.SHUT_RDWR)  # a TLS socket would change its state under the reader


class _GuardedAdapter(HTTPAdapter):
    def __init__(self, private_hosts: frozenset[str], opened: _Connections) -> None:
        self._private_hosts, self._opened = private_hosts, opened
        super().__init__(max_retries=0)

    def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
        """Use connections that check the address."""
        super().init_poolmanager(*arguments, **more)
        private, connections = self._private_hosts, self._opened

        class Plain(_Checked, HTTPConnection):
            private_hosts, opened = private, connections

        class Tls(_Checked, HTTPSConnection):
            private_hosts, opened = private, connections

        plain = type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": Plain})
        tls = type("TlsPool", (HTTPSConnectionPool,), {"ConnectionCls": Tls})
        self.poolmanager.pool_classes_by_scheme = {"http": plain, "https": tls}


class _Checked(HTTPConnection):
    """A connection to a checked address."""

    private_hosts: frozenset[str] = frozenset()
    opened: _Connections

    def connect(self) -> None:
        """Connect, and note the connection."""
        super().connect()
        self.opened.add(self.sock)

    def _new_conn(self) -> socket.socket:
        name = self._dns_host
        *others, last = self._checked(name)
        try:
            for each in others:
                self._dns_host = each
                with contextlib.suppress(NewConnectionError):
                    return super()._new_conn()
            self._dns_host = last
            return super()._new_conn()
        finally:
            self._dns_host = name

    def _checked(self, name: str) -> list[str]:
        """The addresses of a host to which the service may connect."""
        try:
            found = [each[4][0] for each in socket.getaddrinfo(name, self.port, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError) as error:
            raise NewConnectionError(self, "the name of the host is not known") from error
        usable = [str(each) for each in found if name in self.private_hosts or is_public(str(each))]
        if not usable:
            raise NewConnectionError(self, PRIVATE)
        return usable


PRIVATE = "the host has a private address; list it in lti.private_hosts"
