"""The device nodes that a worker may open: the nodes that computing needs, and no terminal.

A thread of the OS kernel echoes output to a terminal, even after the writer is stopped or has ended. That thread is
neither frozen with a worker nor charged to it. Computing does not need the other nodes of /dev.

Landlock (Linux 5.19 or later) takes a list of paths below which files may be opened. This list has everything in `/`
except /dev, and the nodes below. Landlock restricts nothing else, except that a worker with root's rights cannot make
device nodes elsewhere.
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
"""Nodes in /dev that a worker may open: nodes that every program expects, and GPUs by the names of their drivers."""

LISTED = re.compile("|".join(map(translate, NODES)))
"""Compiled once, in the fork server."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, with the same numbers on every architecture."""

GIVE_VERSION, BELOW_A_PATH = 1, 1
WRITE_FILE, READ_FILE, MAKE_CHARACTER_DEVICE, MAKE_BLOCK_DEVICE, MOVE = 1 << 1, 1 << 2, 1 << 6, 1 << 11, 1 << 13
"""linux/landlock.h. MOVE (LANDLOCK_ACCESS_FS_REFER) is the right to rename or link a file into another folder."""

OF_FILES = WRITE_FILE | READ_FILE
OF_FOLDERS = OF_FILES | MOVE
HANDLED = OF_FOLDERS | MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE

NVIDIAS_PROGRAM = "nvidia-modprobe"
"""Program that makes the nodes of NVIDIA's driver, with root's rights. The driver's library calls it if nodes are
missing. In a worker it fails, because a worker gets no new privileges.
"""

OLDEST = 2
"""First version of Landlock that has MOVE. With earlier versions, files cannot move between folders, but PoCL moves
files.
"""


def can_be_listed() -> bool:
    """True if this OS kernel has Landlock, and lets processes use it."""
    with suppress(OSError):
        return libc.system_call(CREATE_RULESET, None, 0, GIVE_VERSION) >= OLDEST
    return False


def make_missing() -> None:
    """Make the missing nodes of NVIDIA's driver. Does nothing without this driver."""
    program = shutil.which(NVIDIAS_PROGRAM)
    if program is not None and not os.path.exists(f"{DEV}/nvidia-uvm"):  # noqa: PTH110 - a string already
        with suppress(OSError):
            subprocess.run([program, "-u", "-c", "0"], capture_output=True, check=False)  # noqa: S603 - NVIDIA's own


def open_only_listed() -> None:
    """Keep this process and its children from opening other devices. It must have given up new privileges."""
    handled = create_string_buffer(struct.pack("=Q", HANDLED), 8)
    with _descriptor(libc.system_call(CREATE_RULESET, handled, 8, 0)) as rules:
        for path in (*_outside(), *_nodes()):
            _allow(rules, path)
        libc.system_call(RESTRICT_SELF, rules, 0)


def _outside() -> Iterator[str]:
    """All entries of the root folder except /dev and links; the targets of links are entries themselves."""
    return (each.path for each in os.scandir(ROOT) if each.path != DEV and not each.is_symlink())


def _nodes() -> Iterator[str]:
    return (each.path for each in os.scandir(DEV) if LISTED.match(each.name))


def _allow(rules: int, path: str) -> None:
    """Allow files at a path, or below it, to be opened."""
    with suppress(FileNotFoundError), _descriptor(os.open(path, os.O_PATH | os.O_CLOEXEC)) as opened:
        rights = OF_FOLDERS if stat.S_ISDIR(os.fstat(opened).st_mode) else OF_FILES
        rule = create_string_buffer(struct.pack("=Qi", rights, opened), 12)
        libc.system_call(ADD_RULE, rules, BELOW_A_PATH, rule, 0)


@contextmanager
def _descriptor(number: int) -> Iterator[int]:
    """Yield a descriptor; close it at the end of the block."""
    try:
        yield number
    finally:
        os.close(number)
