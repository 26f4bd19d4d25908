"""freeze_check.py: a frozen worker does not run, or else it is ended."""

import mmap
import os
import signal
import time
from pathlib import Path

import pytest
from processes import is_gone, wait_for
from test_sandbox_process import STARTS, said, started

from grader.execution.sandbox import freeze_check
from grader.forkserver.descendants import descendants

COUNTER = """
import ctypes, mmap, signal, threading
shared = mmap.mmap(os.open({path!r}, os.O_RDWR), 4096)
libc = ctypes.CDLL(None)

def count():
    number = 0
    while True:
        number += 1
        shared[:8] = number.to_bytes(8, "little")

def in_thread():
    threading.Thread(target=count, daemon=True).start()
"""
"""Code that keeps counting in memory that the judge can read."""

WAITS_IN_VFORK = """
CLONE_VFORK, SYS_clone = 0x4000, 56
def child_of_vfork():
    if libc.syscall(SYS_clone, CLONE_VFORK | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        while True: signal.pause()
"""

NAMES_ITSELF = 'shared[8:16] = os.getpid().to_bytes(8, "little")\n'
"""Code that writes the worker's process id after the counter."""

LONELY = "PR_SET_PDEATHSIG = 1\nlibc.prctl(PR_SET_PDEATHSIG, 0)\nos.kill(os.getppid(), signal.SIGKILL)\n"
"""Code that kills the warden of a worker, but not the worker."""

SAYS = "print('here', flush=True)\n"

HONEST = "in_thread()\n" + SAYS + "time.sleep(600)"

RESTLESS = WAITS_IN_VFORK + "threading.Timer(1, count).start()\n" + SAYS + "child_of_vfork()"
"""A worker whose main thread waits in vfork while another thread counts."""

HAS_A_CHILD = """
signal.signal(signal.SIGCONT, lambda *_: os.fork())
if os.fork() == 0:
    print(os.getpid(), flush=True)  # Python forgets the signals that a child gets before os.fork returns
    while True:
        time.sleep(0.01)  # a signal just before a sleep is handled after it
signal.signal(signal.SIGCONT, signal.SIG_DFL)
time.sleep(600)
"""
"""A worker whose child starts a process when it receives SIGCONT. The child prints its process id."""

BEGINS_AND_ENDS = (
    STARTS
    + """
def begin():
    while True:
        start(lambda: os._exit(0))
        os.wait()

threading.Thread(target=begin, daemon=True).start()
"""
    + HONEST
)
"""A worker that counts, and continuously starts children. Each child starts a process, and both end at once."""


def running(tmp_path, code):
    """Start a worker that counts. Return it and a function that reads its counter."""
    (tmp_path / "counter").write_bytes(bytes(4096))
    shared = mmap.mmap(os.open(tmp_path / "counter", os.O_RDWR), 4096)
    (tmp_path / "workers").mkdir()
    worker = started(tmp_path / "workers", COUNTER.format(path=str(tmp_path / "counter")) + code)
    assert said(worker)
    assert wait_for(lambda: read(shared) > 0)
    return worker, lambda: read(shared)


def read(shared):
    return int.from_bytes(shared[:8], "little")


def waits_in_the_kernel(pid):
    """True if the process waits uninterruptibly, as it does in vfork."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("D")


TURN = 0.05
"""Seconds during which a worker can prepare for the next freeze."""


def moves(counter):
    """True if the counter changes within a quarter of a second."""
    before = counter()
    time.sleep(0.25)
    return counter() != before


def test_a_frozen_worker_stands_still_and_goes_on_when_it_is_thawed(tmp_path):
    """Freezing and thawing can be repeated, and do not end the worker."""
    worker, counter = running(tmp_path, HONEST)
    try:
        for _ in range(5):
            worker.freeze()
            assert not moves(counter)
            worker.thaw()
            assert wait_for(lambda: moves(counter))
        assert not worker.has_ended()
    finally:
        worker.stop()


@pytest.mark.whole
def test_who_does_not_stand_still_is_ended(tmp_path):
    """A worker that keeps running is ended as soon as its processor time becomes visible. On a busy machine, this takes
    several freezes.
    """
    worker, counter = running(tmp_path, RESTLESS)

    def ends_by_another_turn():
        time.sleep(TURN)
        worker.freeze()
        moves(counter)
        worker.thaw()
        return worker.has_ended()

    try:
        assert wait_for(ends_by_another_turn)
        assert not moves(counter)
        assert worker.receive(10) == b""
    finally:
        worker.stop()


@pytest.mark.whole
def test_who_is_woken_while_it_is_frozen_is_ended(tmp_path):
    """A worker that any process wakes while it is frozen is ended, because it runs while other workers are timed."""
    worker, counter = running(tmp_path, HONEST)
    try:
        worker.freeze()
        os.kill(worker.group, signal.SIGCONT)
        assert moves(counter)
        worker.thaw()
        assert worker.receive(10) == b""
        assert not moves(counter)
    finally:
        worker.stop()


def killed(child):
    """Kill a child. It stays a zombie, because its parent is stopped."""
    os.kill(child, signal.SIGKILL)
    assert is_gone(child)


def doubled(child):
    """Make a child start another process."""
    os.kill(child, signal.SIGCONT)
    assert wait_for(lambda: descendants(child))


@pytest.mark.parametrize("changed", [killed, doubled])
def test_a_worker_of_which_a_process_begins_or_ends_while_it_is_frozen_is_ended(tmp_path, changed):
    """If a process of a frozen worker begins or ends, the worker is ended, even if this takes little time. The OS
    kernel's work for it would disturb other workers while they are timed.
    """
    worker = started(tmp_path, "import signal\n" + HAS_A_CHILD)
    try:
        child = int(said(worker))
        worker.freeze()
        changed(child)
        worker.thaw()
        assert worker.receive(10) == b""
        assert is_gone(worker.group)
    finally:
        worker.stop()


@pytest.mark.whole
def test_a_worker_that_begins_processes_at_all_times_stands_still(tmp_path):
    """A process that begins while the judge looks for processes is found and frozen. If it were overlooked, the worker
    would be ended.
    """
    worker, counter = running(tmp_path, BEGINS_AND_ENDS)
    try:
        for _ in range(40):
            time.sleep(0.01)
            worker.freeze()
            worker.thaw()
            assert not worker.has_ended()
        assert wait_for(lambda: moves(counter))
    finally:
        worker.stop()


def test_a_process_that_ended_before_is_nobodys_fault(tmp_path):
    """A process that ended before the freeze does not cause the end of the worker, no matter if it was reaped."""
    code = "if os.fork() == 0: os._exit(0)\n" + STARTS + "start(lambda: os._exit(0))\n"
    worker = started(tmp_path, code + SAYS + "for line in sys.stdin: print(line, end='', flush=True)")
    try:
        assert said(worker)
        for _ in range(3):
            worker.freeze()
            worker.thaw()
        worker.send(b"on\n")
        assert said(worker) == "on"
    finally:
        worker.stop()


def test_who_has_left_the_group_stands_still(tmp_path):
    """A process that has left the worker's group is frozen as well, because it is still a descendant of the warden."""
    code = STARTS + "start(lambda: (" + SAYS.strip() + ", count()))\ntime.sleep(600)"
    worker, counter = running(tmp_path, code)
    try:
        worker.freeze()
        assert not moves(counter)
        worker.thaw()
        assert wait_for(lambda: moves(counter))
    finally:
        worker.stop()


def test_a_worker_without_a_warden_is_ended(tmp_path):
    """A worker without a warden is ended, because its processes can no longer be found."""
    worker, counter = running(tmp_path, LONELY + HONEST)
    try:
        assert worker._warden.has_ended(10)
        worker.freeze()
        assert is_gone(worker.group)
        assert not moves(counter)
    finally:
        worker.stop()


@pytest.mark.whole
def test_time_that_was_used_while_it_ran_is_nobodys_fault(tmp_path):
    """Only processor time that is added while the worker is frozen counts, and not earlier time or the time of children
    that have ended.
    """
    code = (
        "import subprocess\nfor _ in range(3): subprocess.run(['sh', '-c', 'for i in $(seq 9999); do :; done'])\n"
        + HONEST
    )
    worker, counter = running(tmp_path, code)
    try:
        worker.freeze()
        worker.thaw()
        assert wait_for(lambda: moves(counter))
        assert not worker.has_ended()
    finally:
        worker.stop()


@pytest.mark.whole
def test_who_waits_for_the_kernel_is_not_ended(tmp_path, monkeypatch):
    """A thread that waits in the OS kernel cannot be stopped, but does not use processor time, so the worker is not
    ended. All freezes together do not delay the judge longer than one.
    """
    monkeypatch.setattr(freeze_check, "UNSTOPPED_SECONDS", 0.2)
    worker, counter = running(tmp_path, WAITS_IN_VFORK + NAMES_ITSELF + "shared[0] = 1\n" + SAYS + "child_of_vfork()")
    try:
        pid = int.from_bytes((tmp_path / "counter").read_bytes()[8:16], "little")
        assert wait_for(lambda: waits_in_the_kernel(pid))
        for _ in range(3):
            worker.freeze()
            assert not moves(counter)
            worker.thaw()
        assert not worker.has_ended()
        assert worker._freeze_check._patience < 0
    finally:
        worker.stop()
