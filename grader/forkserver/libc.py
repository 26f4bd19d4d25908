"""Calls to the C library for which Python has no function."""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
"""linux/prctl.h"""

CAPABILITIES_VERSION = 0x20080522
CAPABILITIES_WORDS = 6
"""linux/capability.h: three sets of 64 bits."""

_libc = ctypes.CDLL(None, use_errno=True)

Pointer = ctypes.Array[ctypes.c_char]


def prctl(option: int, value: int, pointer: Pointer | None = None) -> None:
    """Call prctl, which changes a property of this process. Raises OSError."""
    _succeeded(_libc.prctl(option, ctypes.c_ulong(value), pointer, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def drop_capabilities() -> None:
    """Give up all of root's rights. Raises OSError."""
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    _succeeded(_libc.capset(header, (ctypes.c_uint32 * CAPABILITIES_WORDS)()))


def system_call(number: int, *arguments: int | Pointer | None) -> int:
    """The result of a system call that the C library does not know. Raises OSError."""
    wide = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    return _succeeded(_libc.syscall(ctypes.c_long(number), *wide))


def _succeeded(result: int) -> int:
    """The result of a call. Raises OSError if the call has failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
