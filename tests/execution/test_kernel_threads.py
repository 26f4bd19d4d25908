"""kernel_threads.py: the processor time of the OS kernel's threads, read from invented files and on this machine."""

import os
import resource
import time
from pathlib import Path

import pytest

from grader.execution import kernel_threads as module
from grader.execution.kernel_threads import IS_KERNEL_THREAD, kernel_threads, no_kernel_threads

NS = 1e-9


class Proc:
    """A fake /proc with kthreadd and these threads, given by number with the nanoseconds that each has used."""

    def __init__(self, folder, flags=IS_KERNEL_THREAD | 0x8040, **threads):
        self.folder = folder
        (folder / "2" / "task" / "2").mkdir(parents=True)
        (folder / "2" / "stat").write_text(f"2 (kthreadd) S 0 0 0 0 -1 {flags} 0 0")
        self.list(threads)
        for thread, used in threads.items():
            self.use(thread, used)

    def list(self, threads):
        (self.folder / "2" / "task" / "2" / "children").write_text("".join(f"{thread[1:]} " for thread in threads))

    def use(self, thread, nanoseconds):
        (self.folder / thread[1:]).mkdir(exist_ok=True)
        (self.folder / thread[1:] / "schedstat").write_text(f"{nanoseconds} 10200045 61\n")


FILES = Path("/proc/self/fd")


def name_of(file):
    return (FILES / str(file)).readlink()


def test_the_time_of_all_threads_is_added(tmp_path):
    """Each look adds up the current times of all threads, in nanoseconds."""
    proc = Proc(tmp_path, t3=1_000, t4=20)
    with kernel_threads(tmp_path) as threads:
        assert threads.number == 2
        assert threads.seconds() == pytest.approx(1_020 * NS)
        proc.use("t4", 70)
        assert threads.seconds() == pytest.approx(1_070 * NS)


def test_a_thread_that_is_new_has_worked_since_the_look_before(tmp_path):
    """A new thread can only have worked since the previous look, so all its time counts. Threads that begin during a
    turn cannot hide work.
    """
    proc = Proc(tmp_path, t3=1_000)
    with kernel_threads(tmp_path) as threads:
        proc.use("t5", 400)
        proc.list(["t3", "t5"])
        assert threads.seconds() == pytest.approx(1_400 * NS)
        assert threads.number == 2


def test_what_a_thread_had_used_that_has_ended_stays(tmp_path, monkeypatch):
    """The time of a thread that has ended stays in the sum, so the sum never decreases. A later thread with the same
    number counts as new.
    """
    proc = Proc(tmp_path, t3=1_000, t4=500)
    read = os.pread
    with kernel_threads(tmp_path) as threads:
        ended = name_of(threads._clocks[b"4"])

        def gone(file, size, offset):
            if name_of(file) == ended:
                raise ProcessLookupError
            return read(file, size, offset)

        proc.list(["t3"])
        monkeypatch.setattr(module.os, "pread", gone)
        assert threads.seconds() == pytest.approx(1_500 * NS)
        assert threads.number == 1
        monkeypatch.undo()
        proc.use("t4", 7)
        proc.list(["t3", "t4"])
        assert threads.seconds() == pytest.approx(1_507 * NS)


def test_a_thread_that_ends_before_it_is_opened_is_passed_over(tmp_path):
    """A thread that is listed but no longer has a file is skipped."""
    proc = Proc(tmp_path, t3=1_000)
    proc.list(["t3", "t9"])
    with kernel_threads(tmp_path) as threads:
        assert threads.number == 1


def test_in_a_container_there_is_nothing_to_see(tmp_path):
    """In a container, no kernel thread is visible. Process 2 is missing or an ordinary process, possibly one that is
    named kthreadd.
    """
    with kernel_threads(tmp_path) as threads:
        assert (threads.number, threads.seconds()) == (0, 0.0)
    Proc(tmp_path, flags=0x0040_0100, t3=1_000)
    with kernel_threads(tmp_path) as threads:
        assert (threads.number, threads.seconds()) == (0, 0.0)
    with no_kernel_threads() as threads:
        assert (threads.number, threads.seconds()) == (0, 0.0)


def test_a_kernel_that_keeps_no_such_times_shows_nothing(tmp_path):
    """If a kernel lists its threads but does not record their times, no threads are counted."""
    proc = Proc(tmp_path)
    proc.list(["t3", "t4"])
    with kernel_threads(tmp_path) as threads:
        assert (threads.number, threads.seconds()) == (0, 0.0)


NO_LIMIT = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("limits", "seen", "raised"),
    [
        ((1024, 4096), 3, []),
        ((100, 4096), 3, [(4096, 4096)]),
        ((100, NO_LIMIT), 3, [(NO_LIMIT, NO_LIMIT)]),
        ((100, 258), 0, []),
        ((NO_LIMIT, NO_LIMIT), 3, []),
    ],
)
def test_thousands_of_threads_need_so_many_files(tmp_path, monkeypatch, limits, seen, raised):
    """If many threads must be read, the soft limit of open files is raised. If it cannot be raised, no thread is read,
    rather than only a part of them.
    """
    was_set = []
    monkeypatch.setattr(module.resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(module.resource, "setrlimit", lambda _, pair: was_set.append(pair))
    Proc(tmp_path, t3=1, t4=1, t5=1)
    with kernel_threads(tmp_path) as threads:
        assert threads.number == seen
    assert was_set == raised


def test_no_file_stays_open():
    """No file stays open after the block, even if it is repeated."""
    before = len([*FILES.iterdir()])
    for _ in range(3):
        with kernel_threads() as threads:
            threads.seconds()
    assert len([*FILES.iterdir()]) == before


def test_this_machines_kernel_is_seen_at_work(tmp_path):
    """Writing pages to a disk is work for the OS kernel's threads, so their time increases, but not by more than the
    processors can do.
    """
    with kernel_threads() as threads:
        if not threads.number:
            pytest.skip("no thread of a kernel is seen here, as in a container")
        before, began = threads.seconds(), time.monotonic()
        with (tmp_path / "file").open("wb") as file:
            while threads.seconds() == before and time.monotonic() - began < 10:
                file.write(bytes(1 << 20))
                file.flush()
                os.fsync(file.fileno())
        processors = os.cpu_count() or 1
        assert 0 < threads.seconds() - before < processors * (time.monotonic() - began + 0.1)
