"""Scans a student's text in a separate process with limited processor time and memory.

    judge -> socket -> server, forks -> a process that waits, and reports how it ended -> judge
                                     forks -> a process: text -> scan -> JSON       -> judge

The server loads only a little of grader's own code. It starts with the first text, ends with the judge, and does not
see any text itself. The limits are far higher than any text of an accepted size needs. They protect against oversights
in grader.
"""

import gc
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from threading import Lock
from typing import NoReturn

from grader.common.errors import WorkerError
from grader.common.forking import ForkingProcess
from grader.course.forbidden import Construct, Sighting
from grader.course.submissions.scan import Scan, Statement, scan

PROCESSOR = 10
"""Seconds of processor time. A megabyte of text takes up to 4 seconds, and hand-written kernels take a hundredth of a
second.
"""

MEMORY = 1024**3
"""Bytes of memory. A megabyte of text takes a quarter of it."""

SCAN_SECONDS = 120.0
"""Seconds within which the process must have received its processor time. After that, the machine is considered too
slow.
"""

OUT_OF_MEMORY = 3
"""Exit code of a process that ran out of memory."""

READ_SIZE = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class TooCostly:
    """A text that could not be scanned within the limits. `words` describes the limit that was exceeded."""

    words: str


class ScanServer:
    """The judge's end of the connection. Any number of threads may use it at the same time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = ForkingProcess(command, {})
        self._one_at_a_time = Lock()

    def ask(self, text: bytes) -> tuple[bytes, int]:
        """Return a process's answer about a text, and its exit status. Raises OSError if that fails."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._one_at_a_time:
                self._process.hand_over(theirs)
            ours.settimeout(SCAN_SECONDS)
            ours.sendall(text)
            ours.shutdown(socket.SHUT_WR)
            said, _, status = b"".join(iter(lambda: ours.recv(READ_SIZE), b"")).rpartition(b"\n")
        if not status:
            raise OSError("it ended without an exit status")
        return said, int(status)

    def close(self) -> None:
        """End the process. Can be called more than once."""
        self._process.close()


_server = ScanServer((sys.executable, "-I", "-m", "grader.course.submissions.scan_process"))


def scanned(source: str) -> Scan | TooCostly:
    """Return the scan of a student's text. Raises WorkerError if this machine cannot scan it."""
    try:
        said, status = _server.ask(source.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise WorkerError(f"the text could not be read by a separate process: {error}.") from error
    match status:
        case 0:
            return _unpacked(said)
        case number if number == -signal.SIGXCPU:
            return TooCostly(words=f"reading it takes more than {PROCESSOR} s")
        case number if number == OUT_OF_MEMORY:
            return TooCostly(words=f"reading it takes more than {MEMORY // 1024**2} MiB of memory")
        case number:
            raise WorkerError(f"the process that scans submissions ended with status {number}: {said.decode()}")


def _unpacked(told: bytes) -> Scan:
    found = json.loads(told)
    return Scan(
        sightings=tuple(
            Sighting(construct=Construct(each["construct"]), line=each["line"], text=each["text"])
            for each in found["sightings"]
        ),
        statements=tuple(Statement(**each) for each in found["statements"]),
        defined=frozenset(found["defined"]),
        code=tuple(found["code"]),
    )


# --- the server's end -------------------------------------------------------------------------


def main() -> None:
    """Fork for each text until the judge closes the socket or is killed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing waits for the processes that wait for the scanners
    gc.freeze()  # otherwise each fork would copy these objects, as the garbage collector writes to them
    judge = socket.socket(fileno=int(sys.argv[1]))
    while descriptors := socket.recv_fds(judge, 1, 1)[1]:
        with (
            socket.socket(fileno=descriptors[0]) as asked,
            suppress(OSError),
        ):  # the limit on processes may have been reached
            if os.fork() == 0:
                judge.close()
                _answer(asked)


def _answer(asked: socket.socket) -> NoReturn:
    """Have a text scanned by another process, and report how the scan ended."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        scanner = os.fork()
        if scanner == 0:
            _scan(asked)
        status = os.waitstatus_to_exitcode(os.waitpid(scanner, 0)[1])
        asked.sendall(f"\n{status}".encode())
    finally:
        os._exit(0)


def _scan(asked: socket.socket) -> NoReturn:
    """Scan the received text and answer with the result as JSON."""
    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        text = b"".join(iter(lambda: asked.recv(READ_SIZE), b""))
        found = scan(text.decode("utf-8", "surrogatepass"))
        asked.sendall(json.dumps(asdict(found) | {"defined": sorted(found.defined)}).encode())
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - the judge must get every error
        asked.sendall(repr(error).encode("utf-8", "replace"))
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
