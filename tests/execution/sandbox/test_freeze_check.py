"""freeze_check.py: a frozen worker runs nothing, or is ended."""

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
"""Code that counts in memory that the judge can read, as long as the worker runs."""

WAITS_IN_VFORK = """
CLONE_VFORK, SYS_clone = 0x4000, 56
def child_of_vfork():
    if libc.syscall(SYS_clone, CLONE_VFORK | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        while True: signal.pause()
"""

NAMES_ITSELF = 'shared[8:16] = os.getpid().to_bytes(8, "little")\n'
"""Code that writes the process id behind the counter."""

LONELY = "PR_SET_PDEATHSIG = 1\nlibc.prctl(PR_SET_PDEATHSIG, 0)\nos.kill(os.getppid(), signal.SIGKILL)\n"
"""Code that ends the warden of a worker without ending the worker."""

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
"""A worker whose child starts a process when it gets SIGCONT. The child prints its process id."""

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
"""A worker that counts, while its children each start a process. Child and process end at once."""


def running(tmp_path, code):
    """Return a worker that counts, and a function that reads its counter."""
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
    """True if the process waits uninterruptibly, as in vfork."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("D")


TURN = 0.05
"""Seconds in which a worker can prepare for the next freeze."""


def moves(counter):
    """True if the counter changes in a quarter of a second."""
    before = counter()
    time.sleep(0.25)
    return counter() != before


def test_a_frozen_worker_stands_still_and_goes_on_when_it_is_thawed(tmp_path):
    """Freezing and thawing can be repeated, and the worker is not ended."""
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


def test_who_does_not_stand_still_is_ended(tmp_path):
    """A worker that does not stop is ended as soon as its processor time shows. This takes several freezes on a busy
    machine.
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
    """End a child, which is not reaped, because its parent is stopped."""
    os.kill(child, signal.SIGKILL)
    assert is_gone(child)


def doubled(child):
    """Have a child start another process."""
    os.kill(child, signal.SIGCONT)
    assert wait_for(lambda: descendants(child))


@pytest.mark.parametrize("changed", [killed, doubled])
def test_a_worker_of_which_a_process_begins_or_ends_while_it_is_frozen_is_ended(tmp_path, changed):
    """A worker is ended even if the change takes little time. The OS kernel works to end a process while other workers
    are timed.
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


def test_a_worker_that_begins_processes_at_all_times_stands_still(tmp_path):
    """A process that begins while the judge looks is found and frozen. If it were overlooked, the worker would be ended
    for it.
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
    """A process that ended before the freeze does not end the worker, whether it was reaped or not."""
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
    """A process that left the group is frozen, because it is still below the warden."""
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
    """A worker without a warden is ended, because its processes cannot be found."""
    worker, counter = running(tmp_path, LONELY + HONEST)
    try:
        assert worker._warden.has_ended(10)
        worker.freeze()
        assert is_gone(worker.group)
        assert not moves(counter)
    finally:
        worker.stop()


def test_time_that_was_used_while_it_ran_is_nobodys_fault(tmp_path):
    """Only processor time that is added while the worker is frozen counts. Time before, and time of children that have
    ended, does not.
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


def test_who_waits_for_the_kernel_is_not_ended(tmp_path, monkeypatch):
    """A thread that waits in the OS kernel cannot be stopped, but uses no time. All freezes together delay the judge no
    longer than one.
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
