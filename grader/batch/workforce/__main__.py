"""A process beside the command line: it calls what it is told to until the other end (processes.py) is gone.

processes.py starts it with the number of a descriptor that it inherits: its end of the connection.
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
"""Seconds after which a station that has nothing to do asks whether it was told to stop: a signal that comes just
before a wait begins does not end it.
"""


def main() -> None:
    """Serve, then close the station."""
    link = Connection(int(sys.argv[1]))
    os.set_inheritable(link.fileno(), False)  # noqa: FBT003 - its only parameter
    interrupt_on([signal.SIGTERM], _stop)
    threading.Thread(target=_end_with_the_other_end, args=(link.fileno(),), daemon=True).start()
    logging.captureWarnings(capture=True)
    logging.getLogger().addHandler(logging.NullHandler())  # a result carries its faults, and stderr is the report's
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
    except InterruptedGradingError:
        raise
    except GraderError as error:
        return error
    except Exception as error:  # noqa: BLE001 - the station goes on; the other end is told
        return WorkerError(f"a fault in grader itself: {error!r}")


def _send(link: Connection, answer: object) -> None:
    try:
        link.send(answer)
    except (ConnectionError, InterruptedGradingError):
        raise
    except Exception as error:  # noqa: BLE001 - pickle raises whatever an object's own methods do
        link.send(WorkerError(f"a fault in grader itself: its answer cannot be sent: {error!r}"))


def _stop(_number: int) -> InterruptedGradingError:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: what follows is cleaning up
    return InterruptedGradingError("the batch has been stopped.")


def _end_with_the_other_end(descriptor: int) -> None:
    """Interrupt a grading that nobody waits for: the end of the connection would be read only after it."""
    closed = select.poll()
    closed.register(descriptor, 0)  # a closed other end is reported even if nothing is asked for
    closed.poll()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LEAVE)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
