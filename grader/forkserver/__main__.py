"""The fork server: `python -I -m grader.forkserver SOCKET`. Forks a warden for each lifeline that the judge sends."""

import gc
import importlib
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

from grader.forkserver import devices
from grader.forkserver.warden import watch_over
from grader.worker.fingerprint import fingerprint
from grader.worker.limits import close_to_debuggers

NEEDED = (
    *("grader.worker.__main__", "grader.worker.session"),
    *("encodings.ascii", "pcpp.lextab", "pcpp.parsetab", "pyopencl.characterize", "pyopencl.invoker"),
)
"""All that a worker imports, at its start or later, when it may be a user to whom Python's folders are closed."""


def main() -> None:
    """Serve the judge until it lets go of the socket, or is killed."""
    close_to_debuggers()
    gc.disable()  # nothing of what is imported is garbage
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for wardens, whose end the judge sees by itself
    for name in NEEDED:
        with suppress(Exception):  # a worker fails in the same way, and tells it on its error stream
            importlib.import_module(name)
    devices.make_missing()
    with suppress(Exception):
        fingerprint()  # once for all workers
    gc.freeze()  # else each worker would write to all these objects when it looks for garbage, and get copies of them
    gc.enable()
    judge = socket.socket(fileno=int(sys.argv[1]))
    for lifeline in _lifelines(judge):
        with lifeline, suppress(OSError):  # there can be no more processes; the judge sees that the lifeline closes
            if os.fork() == 0:
                judge.close()
                watch_over(lifeline)


def _lifelines(judge: socket.socket) -> Iterator[socket.socket]:
    """A warden's end of each, until the judge has gone."""
    while descriptors := socket.recv_fds(judge, 1, 1)[1]:
        yield socket.socket(fileno=descriptors[0])


if __name__ == "__main__":
    main()
