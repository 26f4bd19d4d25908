"""Turns a fork of a warden into the worker that was ordered."""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from grader.forkserver.order import WorkerOrder

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
"""linux/prctl.h"""

CAPABILITIES_VERSION = 0x20080522
CAPABILITIES_WORDS = 6
"""linux/capability.h: three sets of 64 bits."""

libc = ctypes.CDLL(None, use_errno=True)


def run_worker(order: WorkerOrder, streams: Sequence[int], warden: int) -> NoReturn:
    """Be the worker to its end, and never return into the code of the warden."""
    exit_code = 1
    try:
        _keep_nothing_but(streams)
        os.chdir(order.folder)
        os.environ.update(order.environment)
        if order.user is not None:
            _become(order.user)
        _must(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))  # after that, since a change of user undoes it
        if os.getppid() == warden:
            from grader.worker.__main__ import main  # noqa: PLC0415 - what cannot be imported is told on the error stream

            main()
            exit_code = 0
    except BaseException:  # noqa: BLE001 - as the interpreter does it
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(exit_code)


def _keep_nothing_but(streams: Sequence[int]) -> None:
    """Let these be the standard streams, and no other descriptor be open."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for descriptor in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - names, not paths
        if descriptor >= len(streams):
            with suppress(OSError):  # the one by which they were listed
                os.close(descriptor)


def _become(user: int) -> None:
    """Be this user and its group alone, without a right that root had, and with no way to another user."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    _must(libc.capset(header, (ctypes.c_uint32 * CAPABILITIES_WORDS)()))
    _must(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _must(failed: int) -> None:
    """Raise OSError where a call of libc's has failed."""
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
