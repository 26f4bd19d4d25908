"""Limits on connections. Unused connections are closed, and a single client cannot use all of them.

Each connection is checked every few seconds. It is closed if the next request does not arrive in time, if a body that
is not read continues, or if the client does not read the answer. It is closed at once if a body arrives in tiny pieces.
"""

import asyncio
import logging
import re
import resource
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.service.db.session import utc_now
from grader.service.network.throttle import THIS_MACHINE, network_of
from grader.service.web.state import ARRIVED_KEY

REQUEST_SECONDS = 20.0
"""Seconds, from the start of the connection or the last answer, within which a request with all its headers must
arrive.
"""

LINGER_SECONDS = 2.0
"""Seconds within which the next request must arrive if the body of the last one was not read. The browser needs this
time to read the answer.
"""

CHECK_SECONDS = 10.0
"""Seconds between two checks of a connection."""

MIN_BYTES_TAKEN = 10 * 1024
"""Bytes of an answer that the client must read between two checks, which is 1 KiB per second."""

MAX_HEADER_BYTES = 64 * 1024
"""Maximum size of the headers of a request, in bytes."""

FREE_PIECES, MIN_PIECE_BYTES = 200, 256
"""Number of pieces (chunks or packets) of a body that may have any size, and the average size in bytes that further
pieces must have. Each piece costs the web process about the same time, regardless of its size.
"""

TOO_MANY_PIECES = "The body of your request came in too many small pieces. Send it in larger ones."

MAX_CONNECTIONS, MAX_CONNECTIONS_PER_NETWORK = 4000, 400
"""Maximum number of connections at once, in all and per network (throttle.network_of). This machine and the configured
proxies may use all of them. A room of students may share an address, and each student has up to six streams.
"""

RESERVED_FILES = 200
"""Number of open files that the process needs besides its connections, for the database, zip archives and libraries."""

LINES_PER_MINUTE = 20
"""Maximum number of log lines of one kind per minute. Invalid requests must not fill the disk."""


LONG_GAP = re.compile(rb"[\t\v\f ]{64}")
"""Pattern of more consecutive blanks than a header needs. The time that h11 takes grows with the square of their
number, so 65,000 of them block all pages for 40 s.
"""

GAP_IN_HEADER = "A header of your request has 64 blanks in a row."

BLANK_LINE = re.compile(rb"\n\r?\n")


class RequestConnection(h11.Connection):
    """A connection that records when each request arrives. It refuses bodies in tiny pieces and headers with long gaps
    as if they were not HTTP.

    When all headers of a request have arrived, `begin` is called with the time of its first byte. `refusal` is the
    reason for a refusal, or empty.
    """

    def __init__(self, begin: Callable[[datetime], None]) -> None:
        super().__init__(h11.SERVER, MAX_HEADER_BYTES)
        self.refusal = ""
        self._begin = begin
        self._pieces, self._came = 0, 0
        self._received = utc_now()
        self._first_byte: datetime | None = None
        """Time of the first byte of a request whose headers are still incomplete."""

    def receive_data(self, data: bytes) -> None:
        """Receive bytes from the client. Bytes that do not belong to a body begin a request or continue its headers."""
        self._received = utc_now()
        if self._first_byte is None and self.their_state is not h11.SEND_BODY:
            self._first_byte = self._received
        super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event of the request. Raises RemoteProtocolError if the request is invalid or refused."""
        head = BLANK_LINE.split(self.trailing_data[0], maxsplit=1)[0]
        if self.their_state is h11.IDLE and LONG_GAP.search(head):
            self.refusal = GAP_IN_HEADER
            raise h11.RemoteProtocolError(self.refusal)
        event = super().next_event()
        if isinstance(event, h11.EndOfMessage) and self.trailing_data[0]:
            self._first_byte = self._received  # the next request had started to arrive by this time
        if isinstance(event, h11.Request):
            self._begin(self._first_byte or self._received)
            self._first_byte = None
            self._pieces, self._came = 0, 0
        elif isinstance(event, h11.Data):
            self._pieces, self._came = self._pieces + 1, self._came + len(event.data)
            if self._came < (self._pieces - FREE_PIECES) * MIN_PIECE_BYTES:
                self.refusal = TOO_MANY_PIECES
                raise h11.RemoteProtocolError(self.refusal)
        return event


class TimeLimitedProtocol(H11Protocol):
    """Uvicorn's protocol with time limits. Uvicorn itself waits indefinitely for requests, bodies and slow readers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it if there are too many."""
        self._unsent, self._taken = 0, False
        self._deadline: asyncio.TimerHandle | None = None
        self.conn: RequestConnection = RequestConnection(self._note_arrival)
        super().connection_made(transport)
        self.network: str = "" if self.client is None else network_of(self.client[0])
        if not self._has_room():
            transport.abort()
            return
        self.loop.call_later(CHECK_SECONDS, self._check)
        self._expect_request(REQUEST_SECONDS)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has already arrived."""
        answered = self.cycle
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if self.cycle is answered:
            self._expect_request(LINGER_SECONDS if unread else REQUEST_SECONDS)

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request with the reason. If an answer has already been sent, before the body was read,
        close the connection instead.
        """
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(self.conn.refusal or msg)
        else:
            self.transport.abort()

    def resume_writing(self) -> None:
        """Record that the client has read almost everything that was written."""
        self._taken = True
        super().resume_writing()

    def _note_arrival(self, arrived: datetime) -> None:
        """Store the time of the first byte in the state of a request, before it waits for a thread or the database."""
        self.app_state = {**self.app_state, ARRIVED_KEY: arrived}

    def _expect_request(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._end_unless_asked, self.cycle)

    def _end_unless_asked(self, answered: object) -> None:
        """Close the connection, unless another request has arrived or the client is still reading the answer."""
        if self.cycle is not answered or self not in self.connections:
            return
        if self.transport.get_write_buffer_size():
            self._expect_request(REQUEST_SECONDS)
        else:
            self.transport.abort()

    def _check(self) -> None:
        if self not in self.connections:
            return
        unsent = self.transport.get_write_buffer_size()
        if self._unsent and not self._taken and unsent > self._unsent - MIN_BYTES_TAKEN:
            self.transport.abort()
            return
        self._unsent, self._taken = unsent, False
        self.loop.call_later(CHECK_SECONDS, self._check)

    def _has_room(self) -> bool:
        """True if the number of connections, including this one, is within the limits."""
        if len(self.connections) > min(MAX_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES):
            return False
        named = self.config.forwarded_allow_ips
        proxies = named if isinstance(named, list) else []
        if self.client is None or self.network == THIS_MACHINE or self.client[0] in proxies:
            return True
        networks = Counter(each.network for each in self.connections if isinstance(each, TimeLimitedProtocol))
        return networks[self.network] <= MAX_CONNECTIONS_PER_NETWORK


class LogRateFilter(logging.Filter):
    """Logs each kind of line at most LINES_PER_MINUTE times per minute. The last line states that further ones are
    omitted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._minute, self._said = 0, Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the line is logged."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._said = minute, Counter()
        kind = str(record.msg)
        self._said[kind] += 1
        if self._said[kind] == LINES_PER_MINUTE:
            record.msg, record.args = f"{record.getMessage()} (further lines of this kind are omitted for a minute)", ()
        return self._said[kind] <= LINES_PER_MINUTE


def raise_file_limit() -> None:
    """Raise the limit on open files, which also limits connections, to the maximum that the system allows. The default
    is often 1,024.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
