"""Limits of requests: how many are served at once, and how many of one kind are allowed in a while.

ConcurrencyLimiter  few at once and few who wait, each with a thread; all others are asked to come again
FairLine            few at once and many who wait without threads; the networks that wait are served by turns
RateLimiter         so many events of each key in a while
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

from grader.service.errors import RefusalError


class ConcurrencyLimiter:
    """So many at once, and so many more who wait for so many seconds; `words` are for all others."""

    def __init__(self, at_once: int, words: str, *, waiting: int = 0, patience: float = 5.0) -> None:
        self._turns, self._places = BoundedSemaphore(at_once), BoundedSemaphore(at_once + waiting)
        self._words, self._patience = words, patience

    @contextmanager
    def one(self) -> Iterator[None]:
        """A turn until the end of the block. Raises RefusalError where there is none."""
        if not self._places.acquire(blocking=False):
            raise RefusalError(self._words)
        try:
            if not self._turns.acquire(timeout=self._patience):
                raise RefusalError(self._words)
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._places.release()


NETWORK = 64
"""Bits of an IPv6 address that name a network; one owner has all addresses in it."""


class RateLimiter:
    """Allows at most `most` events of each key within `seconds`, counted from the first event."""

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
        """Count an event if one more is allowed; True if it is."""
        return self._limiter.hit(self._item, key)


def network_of(address: str) -> str:
    """Network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address. This machine is one
    network, so that a proxy that does not name its client cannot switch off the limits.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.is_loopback:
        return "this machine"
    return f"{int(parsed) >> (128 - NETWORK):x}::" if isinstance(parsed, IPv6Address) else str(parsed)


class FairLine:
    """Turns for so many at once, with up to `longest` who wait in each network, for `patience` seconds; others are told
    `words`. For the event loop of one process.
    """

    def __init__(self, at_once: int, words: str, *, longest: int, patience: float) -> None:
        self._free, self._words, self._longest, self._patience = at_once, words, longest, patience
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the next network first

    @asynccontextmanager
    async def turn(self, network: str) -> AsyncIterator[None]:
        """Wait for a turn, which lasts until the end of the block. Raises RefusalError if there is no place in the line
        or the turn does not come in time.
        """
        if self._free:
            self._free -= 1
        else:
            await self._wait(network)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, network: str) -> None:
        line = self._waiting.setdefault(network, deque())
        if len(line) >= self._longest:
            raise RefusalError(self._words)
        mine = asyncio.get_running_loop().create_future()
        line.append(mine)
        try:
            async with asyncio.timeout(self._patience):
                await mine
        except BaseException as error:
            if mine.done() and not mine.cancelled():  # the turn came in the same moment
                self._pass_on()
            if isinstance(error, TimeoutError):
                raise RefusalError(self._words) from error
            raise

    def _pass_on(self) -> None:
        """Give a turn that is over to the first of the next network; whoever has left is passed over."""
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
