"""A process between the judge and a worker. It ends the worker and all its processes when the judge ends.

The judge has one end of the lifeline, a pair of sockets. This end closes when the judge closes it or is killed.
Untrusted code in a worker can stop the worker, which then notices nothing. The warden does not run that code. If
workers have separate users, no worker can send the warden a signal. A process that loses its parent becomes a child of
the warden (PR_SET_CHILD_SUBREAPER), so that no daemon escapes.

The warden is a fork of the fork server, and ends when its worker has ended.
"""

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from grader.forkserver import libc
from grader.forkserver.descendants import descendants
from grader.forkserver.order import ENDED, ORDER_LIMIT, STREAMS, WorkerOrder
from grader.forkserver.worker import run_worker

MOMENT = 0.05
"""Seconds within which killed processes usually end."""

KILL_SECONDS = 5.0
"""Most seconds to wait for the end of killed processes. A process that hangs in a driver may take longer."""


def watch_over(judge: socket.socket) -> NoReturn:
    """Start the worker that the judge orders. End all its processes when it has ended or the lifeline has closed."""
    try:
        os.setsid()
        message, streams, _, _ = socket.recv_fds(judge, ORDER_LIMIT, STREAMS)
        if message:
            _serve(WorkerOrder.unpacked(message), streams, judge)
    finally:
        os._exit(0)  # no cleanup is needed


def _serve(order: WorkerOrder, streams: Sequence[int], judge: socket.socket) -> None:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    worker = _start(order, streams, judge)
    for stream in streams:
        os.close(stream)  # the judge must see when the worker closes its streams
    _watch(worker, judge.fileno(), woken)
    _end_all(worker)
    judge.send(ENDED)


def _start(order: WorkerOrder, streams: Sequence[int], judge: socket.socket) -> int:
    """Start the worker in a separate process group, and return its id. It is killed if this process is killed."""
    warden = os.getpid()
    worker = os.fork()
    if worker:
        with suppress(OSError):  # both processes set the group, so that it exists as soon as either continues
            os.setpgid(worker, worker)
        return worker
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        judge.send(f"{warden} {os.getpid()}".encode())  # before anything can stop the warden
        run_worker(order, streams, warden)
    finally:
        os._exit(1)


def _watch(worker: int, lifeline: int, woken: int) -> None:
    """Wait until the worker has ended, or the judge has closed the lifeline."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if woken in ready:
            os.read(woken, 4096)
        ended = _reaped()
        if lifeline in ready or ended is None or worker in ended:
            return


def _reaped() -> set[int] | None:
    """Ids of the children that have ended since the last call; None if no children are left."""
    ended: set[int] = set()
    try:
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            ended.add(pid)
    except ChildProcessError:
        return ended or None
    return ended


def _end_all(worker: int) -> None:
    """Kill all processes below this one."""
    end = time.monotonic() + KILL_SECONDS
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)
    while not _is_alone_within(MOMENT) and time.monotonic() < end:
        _kill_descendants()


def _is_alone_within(seconds: float) -> bool:
    """True if no children are left within this many seconds. Then no descendants are left either: a process that loses
    its parent becomes a child of this process before that parent is reaped.
    """
    end = time.monotonic() + seconds
    while _reaped() is not None:
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def _kill_descendants() -> None:
    """Kill all descendants. They are stopped first, so that they cannot start new processes meanwhile."""
    stopped: set[int] = set()
    while new := descendants(os.getpid()) - stopped:
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped |= new
    for pid in stopped:
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the process has ended, or has changed to another user
        os.kill(pid, number)
