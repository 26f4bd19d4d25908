"""Sends a POST request to an address that staff have entered, without giving them access to the operator's network.

The name is resolved once, all its addresses must be public, and the connection uses one of them. It does not matter if
the name resolves to another address a moment later. Redirects are not followed, and slow answers are aborted.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from threading import Timer
from urllib.parse import urlsplit

from grader.protocol.text import showable
from grader.service.public_addresses import is_public

SECONDS = 10.0
"""Seconds within which a receiver must answer."""

MAX_ANSWER_BYTES = 300
"""Number of bytes of an answer that are read."""

Network = IPv4Network | IPv6Network


class BlockedAddressError(OSError):
    """An address that is not public."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The status of an answer, and the beginning of its text."""

    status: int
    text: str

    @property
    def is_accepted(self) -> bool:
        """True if the receiver has accepted the request."""
        return 200 <= self.status < 300


def post(url: str, body: bytes, headers: Mapping[str, str], private: Sequence[Network] = ()) -> Reply:
    """Send a request. Raises OSError if the receiver does not answer, or BlockedAddressError if one of its addresses is
    neither public nor in a `private` network that the operator allows. Only receivers in such a network may do without
    TLS.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        address = _allowed_address(host, port, private)
        if parts.scheme != "https" and not _is_within(address, private):
            raise BlockedAddressError(f"{host} is not reached by https")
        connection = _Connection(host, port, str(address), uses_tls=parts.scheme == "https")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        with _time_limit(connection):
            return _answer(connection, path, body, headers)
    except OSError:  # some errors of TLS are also ValueErrors
        raise
    except (HTTPException, ValueError) as error:  # an answer that is not HTTP, or a name that cannot be resolved
        raise OSError(type(error).__name__) from error


def _answer(connection: HTTPConnection, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
    connection.request("POST", path, body, {**headers, "connection": "close"})
    answer = connection.getresponse()
    text = answer.read(MAX_ANSWER_BYTES).decode("utf-8", "replace")
    return Reply(status=answer.status, text=showable(" ".join(text.split())))


@contextmanager
def _time_limit(connection: "_Connection") -> Iterator[None]:
    """Close a connection at the end of the block. If the time limit ends earlier, end it and raise TimeoutError."""
    ending = Timer(SECONDS, connection.give_up)
    ending.daemon = True
    ending.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if connection.is_given_up:
            raise TimeoutError(f"no answer within {SECONDS:g} s") from error
        raise
    finally:
        ending.cancel()
        connection.close()


def _allowed_address(host: str, port: int, private: Sequence[Network]) -> IPv4Address | IPv6Address:
    """The first address of a host. Raises BlockedAddressError if one of its addresses is not allowed."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    for each in addresses:
        if not is_public(str(each)) and not _is_within(each, private):
            raise BlockedAddressError(f"{host} has the address {each}, which is not public")
    return addresses[0]


def _is_within(address: IPv4Address | IPv6Address, networks: Sequence[Network]) -> bool:
    return any(address in each for each in networks)


class _Connection(HTTPConnection):
    """A connection to this address of a host, whose certificate must be valid for the host's name."""

    def __init__(self, host: str, port: int, address: str, *, uses_tls: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._address, self._uses_tls = address, uses_tls
        self.default_port = 443 if uses_tls else 80
        self._raw: socket.socket | None = None
        self.is_given_up = False

    def connect(self) -> None:
        """Connect to the address, without resolving the name again."""
        self._raw = socket.create_connection((self._address, self.port), SECONDS)
        self.sock = self._raw
        if self._uses_tls:
            self.sock = ssl.create_default_context().wrap_socket(self._raw, server_hostname=self.host)

    def give_up(self) -> None:
        """End the connection from another thread, even while it waits."""
        self.is_given_up = True
        for each in (self.sock, self._raw):
            if each is not None:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
