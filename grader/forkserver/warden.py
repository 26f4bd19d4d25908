"""Stands between the judge and a worker: ends it, with all that it has started, when its judge ends.

The judge holds one end of the lifeline, a pair of sockets, which closes when the judge lets go of it or is killed. A
worker can be stopped by the code that it runs, and then it sees nothing. The warden has nothing to do with that code;
where workers have their own users, none of them can send it a signal. A process that leaves its parent becomes a child
of the warden (PR_SET_CHILD_SUBREAPER), so that no daemon gets away.

It is a fork of the fork server, and ends when its worker has ended.
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
"""Seconds in which killed processes have usually ended."""

KILL_SECONDS = 5.0
"""Seconds within which killed processes must have ended. A process that hangs in a driver is not waited for longer."""


def watch_over(judge: socket.socket) -> NoReturn:
    """Start the worker that the judge orders, and end everything when it has ended or the lifeline has closed."""
    try:
        os.setsid()
        message, streams, _, _ = socket.recv_fds(judge, ORDER_LIMIT, STREAMS)
        if message:
            _serve(WorkerOrder.unpacked(message), streams, judge)
    finally:
        os._exit(0)  # there is nothing to tidy up


def _serve(order: WorkerOrder, streams: Sequence[int], judge: socket.socket) -> None:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    worker = _start(order, streams, judge)
    for stream in streams:
        os.close(stream)  # if the worker closes its own, the judge must see that
    _watch(worker, judge.fileno(), woken)
    _end_all(worker)
    judge.send(ENDED)


def _start(order: WorkerOrder, streams: Sequence[int], judge: socket.socket) -> int:
    """Start the worker in its own process group; it is killed if this process is."""
    warden = os.getpid()
    worker = os.fork()
    if worker:
        with suppress(OSError):  # both do it, so that there is a group as soon as either goes on
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
    """Wait until the worker has ended, or the judge has let go."""
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
    """The children that have ended since the last time; None if there are none any more."""
    ended: set[int] = set()
    try:
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            ended.add(pid)
    except ChildProcessError:
        return ended or None
    return ended


def _end_all(worker: int) -> None:
    """Kill everything below this process."""
    end = time.monotonic() + KILL_SECONDS
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)
    while not _is_alone_within(MOMENT) and time.monotonic() < end:
        _kill_descendants()


def _is_alone_within(seconds: float) -> bool:
    """Whether nothing is left: what loses its parent becomes a child of this process before that one is reaped."""
    end = time.monotonic() + seconds
    while _reaped() is not None:
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def _kill_descendants() -> None:
    """Kill all descendants; they are stopped first, so that none can start a new process meanwhile."""
    stopped: set[int] = set()
    while new := descendants(os.getpid()) - stopped:
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped |= new
    for pid in stopped:
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has ended, or become somebody whom this user cannot reach
        os.kill(pid, number)
