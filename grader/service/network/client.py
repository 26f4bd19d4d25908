"""Sends one request to another service. It does not follow redirects, and it cuts off answers that are too large or too
slow.

A guard checks the address of each connection of a session, and ends the session after some seconds. It looks up the
addresses of a host once, checks them, and connects to them directly. A second look-up could return a different address.
"""

import contextlib
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock, Timer
from typing import Any

import requests
from requests import Session
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError

from grader.protocol.text import showable
from grader.service.network.addresses import ANY_NETWORK, Network, is_public, is_within

NOT_IN_TIME = "did not answer in time"

CONNECT_SECONDS = 5.0
"""Seconds to wait for a connection to each address of a host."""

MAX_WORDS = 300
"""Maximum number of characters of the other side's answer that are kept for messages."""

CHUNK_BYTES = 64 * 1024
"""Number of bytes that are read at a time from an answer."""


class UnansweredError(OSError):
    """A request did not get an answer. The text completes a sentence about the host, and does not contain the
    address.
    """


class _AddressError(Exception):
    """The service must not connect to an address. This class is not an OSError, which urllib3 would wrap into its own
    errors.
    """


class _Guard:
    """The connections of a guarded session. `is_over` is true once its time is over."""

    def __init__(self, private: Sequence[Network]) -> None:
        self._private, self._lock, self._sockets = private, Lock(), list[socket.socket]()
        self.is_over = False

    def addresses(self, host: str, port: int, *, uses_tls: bool) -> list[str]:
        """The addresses of a host. Raises _AddressError unless the service may reach all of them."""
        try:
            found = [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError) as error:
            raise _AddressError("cannot be reached: no machine has this name") from error
        for each in found:
            if is_within(each, self._private):
                continue
            if not is_public(each):
                raise _AddressError(f"has a private address; list {each} in private_networks")
            if not uses_tls:
                raise _AddressError("cannot be reached: its address does not begin with https://")
        return found

    def add(self, made: socket.socket) -> None:
        """Keep a connection so that `end` can shut it down. If the time is already over, the connection ends
        at once.
        """
        with self._lock:
            self._sockets.append(made.dup())  # TLS detaches the socket while it still waits for the other side
        if self.is_over:
            self.end()

    def end(self) -> None:
        """End all connections, even while another thread waits for them."""
        self.is_over = True
        with self._lock:
            for each in self._sockets:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the duplicates of the connections."""
        with self._lock:
            while self._sockets:
                self._sockets.pop().close()


@contextlib.contextmanager
def guarded(session: Session, private: Sequence[Network], seconds: float) -> Iterator[None]:
    """During the block, let a session connect only to public addresses by TLS, and to the `private` networks. All its
    connections end after `seconds`, even if the other side sends a byte from time to time. Raises UnansweredError if an
    address must not be reached or the time is over.
    """
    guard = _Guard(private)
    session.trust_env = private == ANY_NETWORK  # a proxy would look up the addresses itself
    for scheme in ("https://", "http://"):
        session.mount(scheme, _GuardedAdapter(guard))
    ending = Timer(seconds, guard.end)
    ending.daemon = True
    ending.start()
    try:
        with session:
            yield
    except _AddressError as error:
        raise UnansweredError(str(error)) from error
    except Exception as error:
        if guard.is_over:
            raise UnansweredError(NOT_IN_TIME) from error
        raise
    else:
        if guard.is_over:  # an ended connection may look like the end of the answer
            raise UnansweredError(NOT_IN_TIME)
    finally:
        ending.cancel()
        guard.close()


@cache
def _certificates() -> ssl.SSLContext:
    """A TLS context with the certificate authorities of this machine and of the requests library. Loading them takes
    0.2 s.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
    return context


class _GuardedAdapter(HTTPAdapter):
    def __init__(self, guard: _Guard) -> None:
        self._guard = guard
        super().__init__(max_retries=0)

    def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
        """Use connections that check the address."""
        super().init_poolmanager(*arguments, **more, ssl_context=_certificates())
        self.poolmanager.pool_classes_by_scheme = self._pool_classes()

    def proxy_manager_for(self, *arguments: Any, **more: Any) -> Any:
        """Use the same connections for a proxy."""
        manager = super().proxy_manager_for(*arguments, **more, ssl_context=_certificates())
        manager.pool_classes_by_scheme = self._pool_classes()
        return manager

    def _pool_classes(self) -> dict[str, type]:
        class Plain(_Checked, HTTPConnection):
            guard = self._guard

        class Tls(_Checked, HTTPSConnection):
            guard, uses_tls = self._guard, True

        plain = type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": Plain})
        return {"http": plain, "https": type("TlsPool", (HTTPSConnectionPool,), {"ConnectionCls": Tls})}

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Prevent requests from loading the certificate authorities again for each connection."""
        super().cert_verify(conn, url, verify, cert)
        if verify is True:
            conn.ca_certs = None


class _Checked(HTTPConnection):
    """A connection that is made only to checked addresses."""

    guard: _Guard
    uses_tls = False

    def _new_conn(self) -> socket.socket:
        name = self._dns_host
        *others, last = self.guard.addresses(name, self.port, uses_tls=self.uses_tls)
        try:
            for each in others:
                self._dns_host = each
                with contextlib.suppress(NewConnectionError):
                    return self._noted()
                if self.guard.is_over:  # a name may have hundreds of addresses that refuse slowly
                    break
            self._dns_host = last
            return self._noted()
        finally:
            self._dns_host = name

    def _noted(self) -> socket.socket:
        made = super()._new_conn()
        self.guard.add(made)
        return made


@dataclass(frozen=True, kw_only=True)
class HttpAnswer:
    """The answer of another service, cut off at the maximum size."""

    status: int
    headers: Mapping[str, str]
    text: str
    is_complete: bool = True

    @property
    def is_accepted(self) -> bool:
        """True if the other side has accepted the request."""
        return 200 <= self.status < 300

    @property
    def words(self) -> str:
        """The beginning of the answer's text, in one line."""
        return " ".join(showable(self.text).split())[:MAX_WORDS]


@dataclass(frozen=True, kw_only=True)
class HttpClient:
    """Sends requests to public addresses by TLS, and to the `private` networks. A whole answer may take `seconds` and
    have `max_bytes`. Each wait for its next part may take `read_seconds`.
    """

    private: Sequence[Network] = ()
    read_seconds: float = 10.0
    seconds: float = 30.0
    max_bytes: int = 4 * 1024 * 1024  # a page of a platform's roster with 1,000 members has about 500 KB

    def send(self, method: str, url: str, headers: Mapping[str, str], data: Any = None) -> HttpAnswer:
        """Send a request. `data` is bytes or the fields of a form. Raises UnansweredError with the reason if there is
        no answer.
        """
        session = _WithoutRedirects()
        with _in_words(), guarded(session, self.private, self.seconds):
            answer = session.request(
                method,
                url,
                headers={**headers, "user-agent": "grader"},
                data=data,
                timeout=(CONNECT_SECONDS, self.read_seconds),
                allow_redirects=False,
                stream=True,
            )
            content = self._start_of(answer)
        return HttpAnswer(
            status=answer.status_code,
            headers=answer.headers,
            text=content[: self.max_bytes].decode("utf-8", "replace"),
            is_complete=len(content) <= self.max_bytes,
        )

    def _start_of(self, answer: requests.Response) -> bytes:
        content = b""
        for part in answer.iter_content(min(CHUNK_BYTES, self.max_bytes + 1)):
            content += part
            if len(content) > self.max_bytes:
                break
        return content


class _WithoutRedirects(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None, because the requests library would otherwise read the whole answer and parse the new address."""


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Convert network errors to UnansweredError, with a reason in words."""
    try:
        yield
    except UnansweredError:
        raise
    except requests.exceptions.SSLError as error:
        raise UnansweredError("has no valid certificate") from error
    except requests.exceptions.Timeout as error:
        raise UnansweredError(NOT_IN_TIME) from error
    except (requests.exceptions.RequestException, ValueError, OSError) as error:
        raise UnansweredError("cannot be reached: no connection") from error
