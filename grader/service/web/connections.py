"""Connections: an unused connection is closed, and no client can have all of them.

Each connection is checked every few seconds. It is closed if the next request is not there in time, if a body that was
not read continues, or if the client does not take what was written. It is closed at once if a body is in tiny pieces.
"""

import asyncio
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.service.db.clock import utc_now
from grader.service.web.state import ARRIVED

PATIENCE = 20.0
"""Seconds in which a request must have come with all its headers: since the connection began, or the last answer."""

LINGER = 2.0
"""The same after an answer to a request whose body nobody has read: time for the browser to see the answer."""

LOOK = 10.0
"""Seconds between two looks at a connection."""

LEAST = 10 * 1024
"""Bytes of an answer that must be taken between two looks: a kibibyte a second."""

HEADERS = 64 * 1024
"""Largest headers of a request, in bytes."""

PIECES, PIECE = 200, 256
"""Number of pieces (chunks or packets) of any size in which a body may come, and the average size in bytes that further
pieces must have. A piece of any size costs the process that serves pages the same time.
"""

IN_CRUMBS = "The body of your request came in too many small pieces. Send it in larger ones."

IN_ALL, AN_ADDRESS = 4000, 400
"""Connections at once. The machine itself, and proxies that are named, may have all of them; a room of students shares
an address and has six streams each at most.
"""

OUR_OWN_FILES = 200
"""Files that this process needs beside its connections: the database, packed data, what libraries open."""

SAID_A_MINUTE = 20
"""Lines of one kind in the log: whoever sends nonsense must not fill the disk."""


class RequestConnection(h11.Connection):
    """A connection that notes when each request arrives, and refuses a body in tiny pieces as if it were not HTTP.

    `begin` is called with the time of a request's first byte when all its headers have arrived. `crumbs` is true if a
    body was refused.
    """

    def __init__(self, begin: Callable[[datetime], None]) -> None:
        super().__init__(h11.SERVER, HEADERS)
        self.crumbs = False
        self._begin = begin
        self._pieces, self._came = 0, 0
        self._received = utc_now()
        self._first_byte: datetime | None = None
        """Time of the first byte of a request whose headers are not complete."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes of the client. Bytes that do not belong to a body begin a request, or continue its headers."""
        self._received = utc_now()
        if self._first_byte is None and self.their_state is not h11.SEND_BODY:
            self._first_byte = self._received
        super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event of the request. Raises RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.EndOfMessage) and self.trailing_data[0]:
            self._first_byte = self._received  # the next request has begun, in the last bytes at the latest
        if isinstance(event, h11.Request):
            self._begin(self._first_byte or self._received)
            self._first_byte = None
            self._pieces, self._came = 0, 0
        elif isinstance(event, h11.Data):
            self._pieces, self._came = self._pieces + 1, self._came + len(event.data)
            self.crumbs = self._came < (self._pieces - PIECES) * PIECE
        if self.crumbs:
            raise h11.RemoteProtocolError(IN_CRUMBS)
        return event


class PatientProtocol(H11Protocol):
    """Uvicorn's own, which waits for ever for requests, bodies and readers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A browser, or whoever, is there; it is sent away where there are too many."""
        self._unsent, self._taken = 0, False
        self._deadline: asyncio.TimerHandle | None = None
        self.conn: RequestConnection = RequestConnection(self._note_arrival)
        super().connection_made(transport)
        if not self._has_room():
            transport.abort()
            return
        self.loop.call_later(LOOK, self._look)
        self._expect_request(PATIENCE)

    def on_response_complete(self) -> None:
        """The next request may be there already; else it is waited for."""
        answered = self.cycle
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if self.cycle is answered:
            self._expect_request(LINGER if unread else PATIENCE)

    def send_400_response(self, msg: str) -> None:
        """Answer a faulty request with the reason, unless it is already answered, as before its body was read."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(IN_CRUMBS if self.conn.crumbs else msg)
        else:
            self.transport.abort()

    def resume_writing(self) -> None:
        """What was written has been taken, but for a little."""
        self._taken = True
        super().resume_writing()

    def _note_arrival(self, arrived: datetime) -> None:
        """Give a request the time of its first byte, before it waits for a thread or the database."""
        self.app_state = {**self.app_state, ARRIVED: arrived}

    def _expect_request(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._end_unless_asked, self.cycle)

    def _end_unless_asked(self, answered: object) -> None:
        """End it, unless a request has come since, or the answer is still being taken."""
        if self.cycle is not answered or self not in self.connections:
            return
        if self.transport.get_write_buffer_size():
            self._expect_request(PATIENCE)
        else:
            self.transport.abort()

    def _look(self) -> None:
        if self not in self.connections:
            return
        unsent = self.transport.get_write_buffer_size()
        if self._unsent and not self._taken and unsent > self._unsent - LEAST:
            self.transport.abort()
            return
        self._unsent, self._taken = unsent, False
        self.loop.call_later(LOOK, self._look)

    def _has_room(self) -> bool:
        """Whether this connection, which is counted already, is not one too many."""
        if len(self.connections) > min(IN_ALL, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - OUR_OWN_FILES):
            return False
        named = self.config.forwarded_allow_ips
        proxies = named if isinstance(named, list) else []
        if self.client is None or is_this_machine(self.client[0]) or self.client[0] in proxies:
            return True
        hosts = (each.client[0] for each in self.connections if isinstance(each, H11Protocol) and each.client)
        return sum(host == self.client[0] for host in hosts) <= AN_ADDRESS


def is_this_machine(address: str) -> bool:
    """Whether it is one by which a machine reaches itself."""
    return address.startswith("127.") or address == "::1"


class Seldom(logging.Filter):
    """Lets each kind of line through so often a minute, and says that it leaves out the others."""

    def __init__(self) -> None:
        super().__init__()
        self._minute, self._said = 0, Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._said = minute, Counter()
        kind = str(record.msg)
        self._said[kind] += 1
        if self._said[kind] == SAID_A_MINUTE:
            record.msg, record.args = f"{record.getMessage()} (more of these are not written for a minute)", ()
        return self._said[kind] <= SAID_A_MINUTE


def raise_limit_of_files() -> None:
    """As many connections as the system lets this process have: what it starts with is often 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
