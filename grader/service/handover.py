"""The address of the database, with its password, as it reaches the processes of the service.

What stands in the environment of a process, every process of the same user can read as long as it runs, and so may a
submission under the sandbox `process`. So the process that was told by a variable wipes it, and tells its children by
their standard input. That stays open: when it is closed, whoever started them is gone, and they end.
"""

import ctypes
import os
import signal
import sys
import threading
import time


def forget_variable(name: str) -> None:
    """Wipe a variable from the environment of this process, also from what /proc/PID/environ shows of it."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    there = libc.getenv(name.encode())
    if there is not None:
        ctypes.memset(there, 0, len(ctypes.string_at(there)))
    os.environ.pop(name, None)


def as_lines(*told: str) -> bytes:
    """What a child is told on its standard input."""
    return b"".join(each.encode() + b"\n" for each in told)


def told_database() -> str:
    """The address that this child was told; it ends with whoever started it."""
    return told_line()


def told_line() -> str:
    """The next line that this child was told."""
    line = b""
    while not line.endswith(b"\n"):  # read byte by byte: nothing that comes later may be lost in a buffer
        line += os.read(sys.stdin.fileno(), 1) or b"\n"
    return line.decode().rstrip("\n")


def end_with_parent(leave: float) -> None:
    """When whoever started this process is gone, tell it to stop (SIGTERM); end it if it has not within so many
    seconds.
    """
    threading.Thread(target=_end_with_the_other_end, args=(leave,), daemon=True).start()


def _end_with_the_other_end(leave: float) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(leave)
    os.kill(os.getpid(), signal.SIGKILL)
