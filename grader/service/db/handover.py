"""Passes the address of the database, which contains its password, to the processes of the service.

Every process of the same user can read the environment of a running process, including a submission in the sandbox
`process`. Therefore the process that reads the address from an environment variable wipes the variable, and sends the
address to its children through their standard input. The parent keeps that input open. When it closes, the parent has
ended, and the children end, too.
"""

import ctypes
import os
import signal
import sys
import threading
import time


def forget_variable(name: str) -> None:
    """Wipe a variable from the environment of this process, including the copy that /proc/PID/environ shows."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    value = libc.getenv(name.encode())
    if value is not None:
        ctypes.memset(value, 0, len(ctypes.string_at(value)))
    os.environ.pop(name, None)


def as_lines(*texts: str) -> bytes:
    """Encode texts as lines for the standard input of a child process."""
    return b"".join(each.encode() + b"\n" for each in texts)


def told_line() -> str:
    """Read the next line from standard input. The first one is the address of the database."""
    line = b""
    while not line.endswith(b"\n"):  # byte by byte, so that later input is not lost in a buffer
        line += os.read(sys.stdin.fileno(), 1) or b"\n"
    return line.decode().rstrip("\n")


def end_with_parent(seconds: float) -> None:
    """Send this process SIGTERM when its parent ends, and kill it if it has not ended this many seconds later."""
    threading.Thread(target=_end_with_stdin, args=(seconds,), daemon=True).start()


def _end_with_stdin(seconds: float) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)
