"""A line of requests that wait for their turn: few are served at once, and the networks that wait are served by turns.

A request that waits holds a coroutine and no thread, so a full lecture room can wait while pages are made for others. A
flood from one network delays that network only. A request from elsewhere waits for one turn of each other network at
most.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from grader.service.errors import RefusalError


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
