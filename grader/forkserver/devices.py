"""The device nodes that a worker may open: what computing needs, and no terminal.

A thread of the kernel echoes what is written to a terminal, also when the writer is stopped or has ended. That thread
is neither frozen with a worker nor charged to it. Computing does not need the other nodes of /dev.

Landlock (Linux 5.19 or later) takes a list of what may be opened below which folder. So the list has everything in
`/` but /dev, and the nodes below. Nothing else changes, except that a worker with root's rights makes no device node
elsewhere.
"""

import os
import re
import shutil
import stat
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import create_string_buffer
from fnmatch import translate

from grader.forkserver import libc

ROOT, DEV = "/", "/dev"

NODES = (
    *("null", "zero", "full", "random", "urandom", "shm"),
    *("nvidia*", "dri", "kfd", "dxg", "accel", "mali*", "nvhost*", "nvmap", "nvgpu"),
)
"""What a worker may open in /dev: what every program expects, and GPUs by the names that their drivers use."""

LISTED = re.compile("|".join(map(translate, NODES)))
"""Compiled once, in the fork server."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, with the same numbers on every architecture."""

GIVE_VERSION, BELOW_A_PATH = 1, 1
WRITE_FILE, READ_FILE, MAKE_CHARACTER_DEVICE, MAKE_BLOCK_DEVICE, MOVE = 1 << 1, 1 << 2, 1 << 6, 1 << 11, 1 << 13
"""linux/landlock.h. MOVE (LANDLOCK_ACCESS_FS_REFER) is to rename or link from one folder to another."""

OF_FILES = WRITE_FILE | READ_FILE
OF_FOLDERS = OF_FILES | MOVE
HANDLED = OF_FOLDERS | MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE

NVIDIAS_PROGRAM = "nvidia-modprobe"
"""Makes the nodes of NVIDIA's driver, with root's rights. The driver's library calls it where they are missing. In a
worker that fails, since a worker gets no new privileges.
"""

OLDEST = 2
"""The version that knows MOVE. Under the first one, no file moves between folders, as PoCL's do."""


def can_be_listed() -> bool:
    """Whether this kernel has Landlock, and lets processes use it."""
    with suppress(OSError):
        return libc.system_call(CREATE_RULESET, None, 0, GIVE_VERSION) >= OLDEST
    return False


def make_missing() -> None:
    """Have the nodes of NVIDIA's driver made where they are missing; does nothing without that driver."""
    program = shutil.which(NVIDIAS_PROGRAM)
    if program is not None and not os.path.exists(f"{DEV}/nvidia-uvm"):  # noqa: PTH110 - a string already
        with suppress(OSError):
            subprocess.run([program, "-u", "-c", "0"], capture_output=True, check=False)  # noqa: S603 - NVIDIA's own


def open_only_listed() -> None:
    """Have this process, and what it starts, open no other device. It must have given up new privileges."""
    handled = create_string_buffer(struct.pack("=Q", HANDLED), 8)
    with _descriptor(libc.system_call(CREATE_RULESET, handled, 8, 0)) as rules:
        for path in (*_outside(), *_nodes()):
            _allow(rules, path)
        libc.system_call(RESTRICT_SELF, rules, 0)


def _outside() -> Iterator[str]:
    """Whatever is in the root folder but /dev; what links there lead to is in it itself."""
    return (each.path for each in os.scandir(ROOT) if each.path != DEV and not each.is_symlink())


def _nodes() -> Iterator[str]:
    return (each.path for each in os.scandir(DEV) if LISTED.match(each.name))


def _allow(rules: int, path: str) -> None:
    """Let what is at a path, or below it, be opened."""
    with suppress(FileNotFoundError), _descriptor(os.open(path, os.O_PATH | os.O_CLOEXEC)) as opened:
        rights = OF_FOLDERS if stat.S_ISDIR(os.fstat(opened).st_mode) else OF_FILES
        rule = create_string_buffer(struct.pack("=Qi", rights, opened), 12)
        libc.system_call(ADD_RULE, rules, BELOW_A_PATH, rule, 0)


@contextmanager
def _descriptor(number: int) -> Iterator[int]:
    """Closed at the end."""
    try:
        yield number
    finally:
        os.close(number)
