"""An event loop that all simulated browsers of a test process share.

Without it, starlette starts a thread and a loop for each request, which takes about as long as the request itself.
"""

import atexit
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

OPENED = ExitStack()


@cache
def shared_loop() -> BlockingPortal:
    """Return the loop, which starts with the first simulated browser. A benchmark closes it at its exit, because Python
    would otherwise wait without end for the loop's thread, which has already stopped by then.
    """
    atexit.register(OPENED.close)
    return OPENED.enter_context(start_blocking_portal("asyncio"))


@pytest.fixture(scope="session", autouse=True)
def loop_ends() -> Iterator[None]:
    """Stop the loop after the last test."""
    with OPENED:
        yield
