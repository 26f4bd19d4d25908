"""Turns a fork of a warden into the worker that was ordered."""

import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from grader.forkserver import devices, libc, system_calls
from grader.forkserver.order import WorkerOrder


def run_worker(order: WorkerOrder, streams: Sequence[int], warden: int) -> NoReturn:
    """Be the worker to its end, and never return into the code of the warden."""
    exit_code = 1
    try:
        _keep_nothing_but(streams)
        os.chdir(order.folder)
        os.environ.update(order.environment)
        if order.user is not None:
            _become(order.user)
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)  # only now, since a change of user undoes it
        _leave_no_work(order.core_bytes)
        if os.getppid() == warden:
            from grader.worker.__main__ import main  # noqa: PLC0415 - a failed import is reported on the error stream

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
    libc.drop_capabilities()


def _leave_no_work(core_bytes: int) -> None:
    """Give up services of the OS kernel that continue when a process is stopped or has ended, if it can refuse them."""
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    ceiling = core_bytes if hard == resource.RLIM_INFINITY else min(core_bytes, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (ceiling, ceiling))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    if devices.can_be_listed():
        devices.open_only_listed()
    if system_calls.can_be_refused():
        system_calls.refuse_some()
