"""An event loop that all simulated browsers of a test process share.

Without it, starlette starts a thread and a loop for each request, which takes about as long as the request itself.
"""

import atexit
from contextlib import ExitStack
from functools import cache

from anyio.from_thread import BlockingPortal, start_blocking_portal


@cache
def shared_loop() -> BlockingPortal:
    """Return the loop, which starts with the first simulated browser and ends with the process. Without the end, Python
    would wait for the loop's thread forever.
    """
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(start_blocking_portal("asyncio"))
