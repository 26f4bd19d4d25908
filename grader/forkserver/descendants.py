"""The descendants of a process, from /proc."""

import os
from collections.abc import Iterator
from contextlib import suppress


def descendants(of: int) -> set[int]:
    """Ids of all processes below this one, including processes that have ended but were not reaped."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    front = [of]
    while front:
        below = children.get(front.pop(), [])
        found.update(below)
        front += below
    return found


def fields(path: str) -> list[bytes]:
    """Fields of the file `stat` of a process or thread, from the state on (field 3 of proc(5)).

    Raises OSError if the process or thread has ended.
    """
    return _read(f"{path}/stat").rpartition(b")")[2].split()


def _parents() -> Iterator[tuple[int, int]]:
    """Ids of every process and of its parent."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):  # the process has just ended
                yield int(entry.name), int(fields(entry.path)[1])


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
