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
"""All modules that a worker imports, at its start or later. Later, the worker's user may be unable to read Python's
folders.
"""


def main() -> None:
    """Serve the judge until it closes the socket or is killed."""
    close_to_debuggers()
    gc.disable()  # imports create no garbage
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for wardens; the judge sees their end itself
    for name in NEEDED:
        with suppress(Exception):  # a worker's import fails, too, and the worker reports it on its error stream
            importlib.import_module(name)
    devices.make_missing()
    with suppress(Exception):
        fingerprint()  # computed once for all workers
    gc.freeze()  # otherwise the garbage collector of each worker would write to all these objects, and copy their pages
    gc.enable()
    judge = socket.socket(fileno=int(sys.argv[1]))
    for lifeline in _lifelines(judge):
        with lifeline, suppress(OSError):  # the fork can fail; then the lifeline closes, and the judge sees that
            if os.fork() == 0:
                judge.close()
                watch_over(lifeline)


def _lifelines(judge: socket.socket) -> Iterator[socket.socket]:
    """The warden's end of each lifeline, until the judge closes its socket or ends."""
    while descriptors := socket.recv_fds(judge, 1, 1)[1]:
        yield socket.socket(fileno=descriptors[0])


if __name__ == "__main__":
    main()
