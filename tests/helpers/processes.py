"""Waiting for processes, and counting those that are left."""

import re
import time
from contextlib import suppress
from pathlib import Path


def wait_for(condition, seconds=20):
    """Whether it comes true: a signal is on its way for a moment, on a busy machine for a longer one."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def left_of(group):
    """Processes of a killed group that are still there after the moment that dying takes."""
    end = time.monotonic() + 5
    while processes_of(group) and time.monotonic() < end:
        time.sleep(0.02)
    return processes_of(group)


def processes_of(group):
    """Process ids of a process group; the dead that nobody has counted yet are left out."""
    return [pid for pid, fields in _all() if int(fields[2]) == group and fields[0] != "Z"]


def parents_of_all():
    """The parent of each process that there is."""
    return {pid: int(fields[1]) for pid, fields in _all()}


def _all():
    """Each process with the fields of its state, after its name."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(entry.name), (entry / "stat").read_text().rpartition(")")[2].split()


def may_trace():
    """Whether this process may look into one that has closed itself to debuggers (CAP_SYS_PTRACE)."""
    (held,) = re.findall(r"^CapEff:\s*(\w+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return bool(int(held, 16) >> 19 & 1)


def is_gone(pid):
    """Whether a process has ended, or does so within a generous time."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
