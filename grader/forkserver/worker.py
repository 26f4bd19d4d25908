"""Makes a fork of a warden into the worker that was ordered."""

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
    """Run the worker to its end, and exit. Never returns into the code of the warden."""
    exit_code = 1
    try:
        _keep_nothing_but(streams)
        os.chdir(order.folder)
        os.environ.update(order.environment)
        if order.user is not None:
            _become(order.user)
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)  # must come after a change of user, which resets it
        _leave_no_work(order.core_bytes)
        if os.getppid() == warden:
            from grader.worker.__main__ import main  # noqa: PLC0415 - a failed import is reported on the error stream

            main()
            exit_code = 0
    except BaseException:  # noqa: BLE001 - the interpreter would do it in this way
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(exit_code)


def _keep_nothing_but(streams: Sequence[int]) -> None:
    """Make these descriptors the standard streams, and close all others."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for descriptor in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - names, not paths
        if descriptor >= len(streams):
            with suppress(OSError):  # the descriptor of the listing itself is already closed
                os.close(descriptor)


def _become(user: int) -> None:
    """Change to this user and only its group. The process gives up root's rights, and cannot change its user again."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    libc.drop_capabilities()


def _leave_no_work(core_bytes: int) -> None:
    """Give up services of the OS kernel that continue after a process is stopped or has ended, as far as the OS kernel
    can refuse them.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    ceiling = core_bytes if hard == resource.RLIM_INFINITY else min(core_bytes, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (ceiling, ceiling))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    if devices.can_be_listed():
        devices.open_only_listed()
    if system_calls.can_be_refused():
        system_calls.refuse_some()
