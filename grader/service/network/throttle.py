"""Limits on requests: how many run at once, and how many of one kind are allowed within a time window.

ConcurrencyLimiter  a few requests run at once and a few wait, each in a thread; all others are refused
FairQueue           a few requests run at once and many wait without threads; waiting networks take turns
RateLimiter         a limited number of events per key is allowed within a time window
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from ipaddress import IPv6Address, ip_address
from threading import BoundedSemaphore

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from grader.service.errors import RefusedError


class ConcurrencyLimiter:
    """Lets `at_once` requests run at once, and `max_waiting` more wait for up to `wait_seconds`. All others are refused
    with the message `words`.
    """

    def __init__(self, at_once: int, words: str, *, max_waiting: int = 0, wait_seconds: float = 5.0) -> None:
        self._running, self._admitted = BoundedSemaphore(at_once), BoundedSemaphore(at_once + max_waiting)
        self._words, self._wait_seconds = words, wait_seconds

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Take a slot until the end of the block. Raises RefusedError if no slot becomes free in time."""
        if not self._admitted.acquire(blocking=False):
            raise RefusedError(self._words)
        try:
            if not self._running.acquire(timeout=self._wait_seconds):
                raise RefusedError(self._words)
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._admitted.release()


IPV6_NETWORK_BITS = 64
"""Bits of an IPv6 address that identify a network. All addresses of a network usually belong to one owner."""

THIS_MACHINE = "this machine"
"""The network of loopback addresses."""


class RateLimiter:
    """Allows at most `most` events per key within `seconds`, counted from the first event."""

    def __init__(self, most: int, seconds: int) -> None:
        self._item = RateLimitItemPerSecond(most, seconds)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def is_reached(self, key: str) -> bool:
        """True if no further event of this key is allowed now."""
        return not self._limiter.test(self._item, key)

    def count(self, key: str) -> None:
        """Count an event of this key."""
        self._limiter.hit(self._item, key)

    def allows(self, key: str) -> bool:
        """Count an event if another one is allowed. Returns True if it is."""
        return self._limiter.hit(self._item, key)


def network_of(address: str) -> str:
    """The network of an address, which is an IPv4 address itself or the first 64 bits of an IPv6 address. All loopback
    addresses form one network, so that limits still apply behind a local proxy that does not report its clients.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return THIS_MACHINE
    return f"{int(parsed) >> (128 - IPV6_NETWORK_BITS):x}::" if isinstance(parsed, IPv6Address) else str(parsed)


class FairQueue:
    """Lets `at_once` requests run at once. Up to `max_waiting` requests of each network wait for up to `wait_seconds`.
    All others are refused with the message `words`. Must be used from a single event loop.
    """

    def __init__(self, at_once: int, words: str, *, max_waiting: int, wait_seconds: float) -> None:
        self._free, self._words, self._max_waiting, self._wait_seconds = at_once, words, max_waiting, wait_seconds
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the next network comes first

    @asynccontextmanager
    async def slot(self, network: str) -> AsyncIterator[None]:
        """Wait for a slot, and keep it until the end of the block. Raises RefusedError if the queue of the network is
        full, or if no slot becomes free in time.
        """
        if self._free:
            self._free -= 1
        else:
            await self._wait(network)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, network: str) -> None:
        line = self._waiting.setdefault(network, deque())
        if len(line) >= self._max_waiting:
            raise RefusedError(self._words)
        mine = asyncio.get_running_loop().create_future()
        line.append(mine)
        try:
            async with asyncio.timeout(self._wait_seconds):
                await mine
        except BaseException as error:
            if mine.done() and not mine.cancelled():  # the slot was assigned at the same moment
                self._release()
            if isinstance(error, TimeoutError):
                raise RefusedError(self._words) from error
            raise

    def _release(self) -> None:
        """Give the slot to the first waiting request of the next network. Skips requests that no longer wait."""
        while self._waiting:
            network = next(iter(self._waiting))
            line = self._waiting.pop(network)
            first = line.popleft()
            if line:
                self._waiting[network] = line
            if not first.done():
                first.set_result(None)
                return
        self._free += 1
