"""connections.py: slow or silent clients lose their connections, and no single network can use all of them."""

import asyncio
import logging
import resource
import socket
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

import pytest
import uvicorn
from uvicorn.protocols.http import h11_impl

from grader.service.db.session import utc_now
from grader.service.network.throttle import THIS_MACHINE
from grader.service.web.http import connections
from grader.service.web.http.connections import (
    FREE_PIECES,
    LINES_PER_MINUTE,
    MIN_PIECE_BYTES,
    TOO_MANY_PIECES,
    LogRateFilter,
    TimeLimitedProtocol,
    raise_file_limit,
)
from grader.service.web.state import ARRIVED_KEY

LARGE = 32 * 1024 * 1024
"""Size of a response in bytes. It exceeds every buffer of the system."""

WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = WHOLE[:-2]
BODY_TO_COME = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"


async def _ok(_scope, _receive, send):
    """Answer with two bytes without reading a body."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def _large(_scope, _receive, send):
    """Answer with a single piece that is too large for a client to receive at once."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": bytes(LARGE)})


@asynccontextmanager
async def _serving(app):
    """Serve the application. Yield its address and its open connections."""
    config = uvicorn.Config(app, http=TimeLimitedProtocol, log_level="critical", lifespan="off")
    config.load()
    state = uvicorn.server.ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: TimeLimitedProtocol(config, state, {}), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname(), state.connections


async def _until_closed(words, app=_ok, drips=b""):
    """Connect, send the first bytes at once and the others slowly, and return everything that arrives until the
    connection ends.
    """
    async with _serving(app) as (address, _):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(words)
        dripping = asyncio.create_task(_drip(writer, drips))
        try:
            return await asyncio.wait_for(reader.read(), 10)
        except ConnectionResetError:
            return None
        finally:
            dripping.cancel()
            writer.close()


async def _drip(writer, drips):
    for byte in drips:
        await asyncio.sleep(0.05)
        writer.write(bytes([byte]))


@pytest.fixture
def hurry(monkeypatch):
    """Shorten the limits from seconds to tenths of a second."""
    for name, seconds in (("REQUEST_SECONDS", 0.3), ("LINGER_SECONDS", 0.1), ("CHECK_SECONDS", 0.2)):
        monkeypatch.setattr(connections, name, seconds)


@pytest.mark.parametrize("words", [b"", HALF])
@pytest.mark.usefixtures("hurry")
def test_a_connection_that_asks_nothing_is_closed(words):
    """A connection without a complete request is closed. Otherwise, a few hundred of them could block all users."""
    assert not asyncio.run(_until_closed(words))


@pytest.mark.usefixtures("hurry")
def test_a_connection_is_closed_if_half_a_request_follows_a_whole_one():
    """A connection with an incomplete second request is closed, no matter how slowly it continues, because time counts
    from the last answer.
    """
    said = asyncio.run(_until_closed(WHOLE + b"GET / HTTP/1.1\r\nX: ", drips=b"x" * 400))
    assert said is None or said.endswith(b"ok")


@pytest.mark.usefixtures("hurry")
def test_a_connection_is_closed_if_a_body_that_nobody_reads_never_ends():
    """A connection with an endless body that is not read is closed after the answer."""
    assert asyncio.run(_until_closed(BODY_TO_COME)).endswith(b"ok")


@pytest.mark.whole
@pytest.mark.usefixtures("hurry")
def test_a_connection_may_ask_again_and_again():
    """A connection may send several requests, which may take longer together than the limit for a single request."""

    async def run():
        async with _serving(_ok) as (address, _):
            reader, writer = await asyncio.open_connection(*address)
            for _ in range(5):
                writer.write(WHOLE)
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
                await asyncio.sleep(0.15)
            writer.close()

    asyncio.run(run())


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def _in_chunks(size, number):
    return CHUNKED + (b"%x\r\n" % size + b"x" * size + b"\r\n") * number + b"0\r\n\r\n"


class _Reads:
    """Application that reads and counts the body, and then answers."""

    def __init__(self):
        self.reads, self.came = 0, 0

    async def __call__(self, scope, receive, send):
        more = True
        while more:
            message = await receive()
            self.reads += 1
            self.came += len(message.get("body", b""))
            more = message.get("more_body", False)
        await _ok(scope, receive, send)


def test_a_body_in_crumbs_is_refused_with_the_reason_and_hardly_read():
    """A body in chunks of one byte is refused with the reason, because each chunk costs the server as much as a large
    one.
    """
    app = _Reads()
    said = asyncio.run(_until_closed(_in_chunks(1, 2_000), app))
    assert said.startswith(b"HTTP/1.1 400")
    assert TOO_MANY_PIECES.encode() in said
    assert app.came <= FREE_PIECES


@pytest.mark.parametrize(("size", "number"), [(MIN_PIECE_BYTES, 4_000), (1, FREE_PIECES), (16 * 1024, 60)])
@pytest.mark.usefixtures("hurry")
def test_a_body_in_pieces_as_programs_send_them_is_read(size, number):
    """Bodies in ordinary pieces are read, whether these are many of the minimum size or few of any size."""
    app = _Reads()
    said = asyncio.run(_until_closed(_in_chunks(size, number), app))
    assert said.endswith(b"ok")
    assert app.came == size * number


@pytest.mark.usefixtures("hurry")
def test_nonsense_after_an_answer_ends_the_connection_without_a_fault(caplog):
    """If an unread body continues after the answer, even in tiny or invalid chunks, this does not cause an error in the
    server.
    """
    for body in (b"1\r\nx\r\n" * 40_000, b"nonsense\r\n"):
        said = asyncio.run(_answered_first(CHUNKED, body))
        assert said.endswith(b"ok")
    assert "Fatal error" not in caplog.text


async def _answered_first(words, later):
    """Return the answer to the first bytes, together with everything that arrives after the later bytes."""
    async with _serving(_ok) as (address, _):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(words)
        said = await reader.readuntil(b"ok")
        writer.write(later)
        with suppress(ConnectionError):
            said += await asyncio.wait_for(reader.read(), 10)
        writer.close()
        return said


async def _left_unread(answers):
    """Open connections from clients that never read. Return how many were open at first, after all of them have been
    closed.
    """
    async with _serving(_large) as (address, open_ones):
        asking = []
        for _ in range(answers):
            one = socket.create_connection(address)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(WHOLE)
            asking.append(one)
        await asyncio.sleep(0.1)
        begun = len(open_ones)
        async with asyncio.timeout(10):
            while open_ones:  # noqa: ASYNC110 - uvicorn only offers a set
                await asyncio.sleep(0.05)
        for each in asking:
            each.close()
        return begun


@pytest.mark.usefixtures("hurry")
def test_an_answer_that_is_never_read_is_dropped():
    """An answer that its client never reads is dropped, and its memory is freed."""
    assert asyncio.run(_left_unread(3)) == 3


@pytest.mark.whole
@pytest.mark.usefixtures("hurry")
def test_an_answer_that_is_read_slowly_is_not_dropped():
    """An answer that its client reads slowly is not dropped as long as it makes progress."""

    async def run():
        async with _serving(_large) as (address, _):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(WHOLE)
            got = 0
            while chunk := await reader.read(LARGE // 20):
                got += len(chunk)
                await asyncio.sleep(0.01)
            writer.close()
            return got

    assert asyncio.run(run()) > LARGE


async def _arrival(scope, receive, send):
    """Read the body, wait, and answer with the time at which the request arrived."""
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(PAUSE)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"32")]})
    await send(
        {"type": "http.response.body", "body": scope["state"][ARRIVED_KEY].isoformat(timespec="microseconds").encode()}
    )


PAUSE = 0.2
BODIES = BODY_TO_COME + b"x" * 9


async def _times(*pieces):
    """Send these pieces with a pause after each. Return the time of sending each piece and the time of arrival of each
    request.
    """
    async with _serving(_arrival) as (address, _):
        reader, writer = await asyncio.open_connection(*address)
        sent = []
        for piece in pieces:
            sent.append(utc_now())
            writer.write(piece)
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(2 * PAUSE)  # wait for the last answer
        writer.write_eof()
        answers = (await reader.read()).decode().split("HTTP/1.1 200")[1:]
        writer.close()
        return sent, [datetime.fromisoformat(answer[-32:]) for answer in answers]


def _is_at(time, sent):
    return timedelta() <= time - sent < timedelta(seconds=PAUSE / 2)


@pytest.mark.whole
def test_a_request_has_the_time_of_its_first_byte():
    """A request arrives with its first byte, no matter how long its headers, body and answer take."""
    sent, times = asyncio.run(_times(BODIES[:7], BODIES[7:-3], BODIES[-3:]))
    assert len(times) == 1
    assert _is_at(times[0], sent[0])


@pytest.mark.whole
def test_a_request_behind_another_has_its_own_time():
    """A second request has its own time of arrival, even before the first answer. A slow first request does not give it
    an earlier time.
    """
    sent, times = asyncio.run(_times(BODIES[:-3], BODIES[-3:], BODIES, BODIES))
    assert len(times) == 3
    assert all(map(_is_at, times, (sent[0], sent[2], sent[3])))


@pytest.mark.whole
def test_a_request_that_begins_in_the_last_packet_of_another_has_its_own_time():
    """A request that begins in the last packet of another one arrives with that packet, not with the other request."""
    packet = BODIES[-3:] + BODIES[:-3]
    sent, times = asyncio.run(_times(BODIES[:-3], packet, packet, BODIES[-3:], b"", b""))
    assert len(times) == 3
    assert all(map(_is_at, times, sent))


@pytest.mark.whole
def test_requests_in_one_packet_have_its_time():
    """All requests in one packet arrive with this packet, although the later ones wait for an answer to the first."""
    sent, times = asyncio.run(_times(BODIES * 3, b"", b"", b""))
    assert len(times) == 3
    assert all(_is_at(time, sent[0]) for time in times)


def test_a_request_behind_a_body_that_is_not_read_has_its_own_time():
    """A request after an unread body has its own time of arrival, even if it begins in the packet that ends
    the body.
    """

    async def run():
        seen = []

        async def hasty(scope, receive, send):
            seen.append(scope["state"][ARRIVED_KEY])
            await _ok(scope, receive, send)

        async with _serving(hasty) as (address, _):
            _, writer = await asyncio.open_connection(*address)
            writer.write(BODIES[:-3])
            await asyncio.sleep(PAUSE)
            sent = utc_now()
            writer.write(BODIES[-3:] + BODIES)
            await asyncio.sleep(PAUSE)
            writer.close()
        return sent, seen

    sent, seen = asyncio.run(run())
    assert len(seen) == 2
    assert _is_at(seen[1], sent)


@pytest.mark.parametrize("blank", [b" ", b"\t", b"\x0b"])
def test_a_header_of_blanks_is_refused(blank):
    """A header with 64 blanks in a row is refused, even if they are split over packets. A body may contain them."""
    gap = 40 * blank
    assert b"64 blanks in a row" in asyncio.run(_until_closed(WHOLE[:-2] + b"X: a" + gap + gap + b"b\r\n\r\n"))
    sent = BODY_TO_COME.replace(b"9", b"200") + 200 * blank
    assert asyncio.run(_until_closed(sent + WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))).endswith(
        b"ok"
    )

    async def in_packets():
        async with _serving(_ok) as (address, _):
            reader, writer = await asyncio.open_connection(*address)
            for piece in (WHOLE[:-2] + b"X: a" + gap, gap, b"b\r\n\r\n"):
                writer.write(piece)
                await asyncio.sleep(0.05)
            return await reader.read(1000)

    assert asyncio.run(in_packets()).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(("limit", "ours"), [("MAX_CONNECTIONS", True), ("MAX_CONNECTIONS_PER_NETWORK", False)])
def test_a_connection_too_many_is_sent_away(monkeypatch, limit, ours):
    """Connections beyond the total limit, or beyond the limit of their network, are closed. Earlier ones stay open.
    This machine has no limit as a network, because a proxy may run on it.
    """
    monkeypatch.setattr(connections, limit, 2)
    monkeypatch.setattr(connections, "network_of", lambda _: THIS_MACHINE if ours else "another")
    assert asyncio.run(_three_at_once()) == [True, True, False]


@pytest.mark.parametrize(
    ("addresses", "answered"),
    [
        (("2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3:4:5:6"), [True, True, False]),
        (("2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:1:4::1"), [True, True, True]),
        (("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"), [True, True, False]),
        (("192.0.2.1", "192.0.2.2", "192.0.2.3"), [True, True, True]),
        (("::1", "127.0.0.1", "::ffff:127.0.0.1"), [True, True, True]),
    ],
)
def test_whoever_has_many_addresses_has_the_connections_of_one_network(monkeypatch, addresses, answered):
    """All addresses of one IPv6 network share a limit, whereas each IPv4 address has its own, in any notation."""
    monkeypatch.setattr(connections, "MAX_CONNECTIONS_PER_NETWORK", 2)
    come = iter(addresses)
    monkeypatch.setattr(h11_impl, "get_remote_addr", lambda _: (next(come), 40000))
    assert asyncio.run(_three_at_once()) == answered


async def _three_at_once():
    """Open three connections one after the other. Return for each of them whether it is answered."""
    async with _serving(_ok) as (address, _):
        asked = [await asyncio.open_connection(*address) for _ in range(3)]
        for _, writer in asked:
            writer.write(WHOLE)
        return [await _heard(reader) for reader, _ in asked]


async def _heard(reader):
    try:
        return (await reader.read(100)).startswith(b"HTTP/1.1 200")
    except ConnectionResetError:
        return False


def test_nonsense_does_not_fill_the_log():
    """Each kind of log line is written at most a fixed number of times per minute, and the last line says so."""
    lines, logger = [], logging.getLogger("test of seldom")
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger.addHandler(handler)
    logger.addFilter(LogRateFilter())
    for _ in range(1000):
        logger.warning("Invalid HTTP request received.")
    logger.warning("another %s", "line")
    assert len(lines) == LINES_PER_MINUTE + 1
    assert "further lines of this kind are omitted" in lines[-2]
    assert lines[-1] == "another line"


def test_the_service_may_have_all_the_connections_that_the_system_allows(monkeypatch):
    """The service raises its limit of open files from 1,024 to the maximum that the system allows."""
    seen = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 5000))
    monkeypatch.setattr(resource, "setrlimit", lambda *given: seen.append(given))
    raise_file_limit()
    assert seen == [(resource.RLIMIT_NOFILE, (5000, 5000))]
