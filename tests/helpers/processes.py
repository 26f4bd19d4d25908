"""Functions that wait for processes, and list those that are left over."""

import re
import time
from contextlib import suppress
from pathlib import Path


def wait_for(condition, seconds=20):
    """True if the condition becomes true in time. Signals take a moment to arrive, especially on a busy machine."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def left_of(group):
    """Return the processes of a killed group that still exist after they had time to end."""
    end = time.monotonic() + 5
    while processes_of(group) and time.monotonic() < end:
        time.sleep(0.02)
    return processes_of(group)


def processes_of(group):
    """Return the process ids of a process group, without zombies."""
    return [pid for pid, fields in _all() if int(fields[2]) == group and fields[0] != "Z"]


def parents_of_all():
    """Return the parent's process id for each process."""
    return {pid: int(fields[1]) for pid, fields in _all()}


def _all():
    """Yield each process with the fields that follow its name in /proc/PID/stat."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(entry.name), (entry / "stat").read_text().rpartition(")")[2].split()


def may_trace():
    """True if this process may inspect a process that refuses debuggers (CAP_SYS_PTRACE)."""
    (held,) = re.findall(r"^CapEff:\s*(\w+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return bool(int(held, 16) >> 19 & 1)


def is_gone(pid):
    """True if a process has ended or ends within 30 seconds."""
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
