"""Child process of the command line. It executes calls until the other end of its connection (processes.py) closes.

processes.py passes the number of an inherited file descriptor, which is this end of the connection.
"""

import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from grader.batch.station import leave
from grader.batch.workforce.processes import LEAVE
from grader.common.errors import GraderError, InterruptedGradingError, WorkerError
from grader.common.interrupts import interrupt_on, stop_if_told

LOOK = 1.0
"""Seconds after which an idle station checks for a request to stop. A signal that arrives just before a wait begins
does not interrupt the wait.
"""


def main() -> None:
    """Execute calls, then close the station."""
    link = Connection(int(sys.argv[1]))
    os.set_inheritable(link.fileno(), False)  # noqa: FBT003 - its only parameter
    interrupt_on([signal.SIGTERM], _stop)
    threading.Thread(target=_end_with_the_other_end, args=(link.fileno(),), daemon=True).start()
    logging.captureWarnings(capture=True)
    logging.getLogger().addHandler(logging.NullHandler())  # results contain their faults; stderr is for the report
    with suppress(InterruptedGradingError):
        try:
            _serve(link)
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            leave()


def _serve(link: Connection) -> None:
    with suppress(EOFError, ConnectionError):
        while True:
            stop_if_told()
            if link.poll(LOOK):
                function, argument = link.recv()
                _send(link, _answer(function, argument))


def _answer(function: Callable[[Any], Any], argument: object) -> object:
    try:
        return function(argument)
    except GraderError as error:
        return error
    except Exception as error:  # noqa: BLE001 - the other end gets the error, and the station continues
        return WorkerError(f"a fault in grader itself: {error!r}")


def _send(link: Connection, answer: object) -> None:
    try:
        link.send(answer)
    except ConnectionError:
        raise
    except Exception as error:  # noqa: BLE001 - pickle passes on any error that an object's methods raise
        link.send(WorkerError(f"a fault in grader itself: its answer cannot be sent: {error!r}"))


def _stop(_number: int) -> InterruptedGradingError:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # ignore further signals, because only the clean-up is left
    return InterruptedGradingError("the batch has been stopped.")


def _end_with_the_other_end(descriptor: int) -> None:
    """Interrupt a grading whose result is no longer needed. Without this thread, the process would notice the closed
    connection only after the grading.
    """
    closed = select.poll()
    closed.register(descriptor, 0)  # poll reports a closed other end even if no events are requested
    closed.poll()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LEAVE)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
