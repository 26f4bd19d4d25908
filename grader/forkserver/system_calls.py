"""System calls that a worker may not use: services in which the OS kernel works later on behalf of a caller.

Threads of the kernel serve a timer, a watched file, a queue, a key, a namespace, a socket or a filter, even after its
owner is stopped or has ended. These threads are neither frozen with a worker nor charged to it. Some of the services
also wake a stopped process.

Unlike docker's list (seccomp.json), this list names refused calls, not allowed ones. Here the machine's own drivers
run, and their needs are not fully known. Docker's list refuses all these calls, too. PoCL works under both lists. No
GPU driver was tried under them.

The numbers are those of x86-64. On other machines nothing is refused.
"""

import errno
import platform
import struct
from collections.abc import Iterator
from ctypes import addressof, create_string_buffer
from dataclasses import dataclass

from grader.forkserver import libc

MACHINE = "x86_64"
ARCHITECTURE = 0xC000003E
"""AUDIT_ARCH_X86_64 (linux/audit.h)."""

FIRST_OF_X32 = 0x40000000
"""Calls with this number or a higher one belong to another interface of the same processor (x32)."""

REFUSED = (
    *(37, 38, 222, 283),  # alarm, setitimer, timer_create, timerfd_create
    *(206, 425, 426, 427),  # io_setup, io_uring_setup, io_uring_enter, io_uring_register
    *(253, 294, 300),  # inotify_init, inotify_init1, fanotify_init
    *(248, 249, 250),  # add_key, request_key, keyctl
    *(317, 321, 298, 323),  # seccomp, bpf, perf_event_open, userfaultfd
    *(444, 445, 446),  # landlock_create_ruleset, landlock_add_rule, landlock_restrict_self
    *(41, 53),  # socket, socketpair
    *(272, 308),  # unshare, setns
    *(155, 165, 166),  # pivot_root, mount, umount2
    *(428, 429, 430, 431, 432, 433, 442, 467),  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, ..._attr
)
"""Calls that are refused with any arguments."""

UNKNOWN = (435,)
"""clone3. A filter cannot see its flags, which are in memory. If it is refused, glibc calls clone."""

NEW_NAMESPACES = 0x7E020000
"""The CLONE_NEW* flags of clone (linux/sched.h)."""

RLIMIT_CORE = 4
"""Only a limit of 1 keeps the machine's crash handler from starting (core(5))."""

MADV_MERGEABLE, PR_SET_MEMORY_MERGE = 12, 67
"""Options that make a thread of the OS kernel search for equal pages."""

OF_FILES = (8, 10, 15, 1024, 1026, 1040)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETDELEG: a signal when another process, such as the judge,
reads or writes.
"""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Condition on bits of an argument. They are among the lower 32 bits: the OS kernel ignores the others."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class PartlyRefused:
    """A call that is refused if a condition is met, unless the argument `harmless_without` is a null pointer."""

    number: int
    conditions: tuple[Condition, ...]
    harmless_without: int | None = None


def _are(argument: int, *values: int) -> tuple[Condition, ...]:
    return tuple(Condition(argument=argument, value=value) for value in values)


def _have(argument: int, bits: int) -> tuple[Condition, ...]:
    each = (1 << number for number in range(32) if bits >> number & 1)
    return tuple(Condition(argument=argument, value=bit, mask=bit) for bit in each)


PARTLY_REFUSED = (
    PartlyRefused(number=28, conditions=_are(2, MADV_MERGEABLE)),  # madvise
    PartlyRefused(number=56, conditions=_have(0, NEW_NAMESPACES)),  # clone
    PartlyRefused(number=72, conditions=_are(1, *OF_FILES)),  # fcntl
    PartlyRefused(number=157, conditions=_are(0, libc.PR_SET_SECCOMP, PR_SET_MEMORY_MERGE)),  # prctl
    PartlyRefused(number=160, conditions=_are(0, RLIMIT_CORE)),  # setrlimit
    PartlyRefused(number=302, conditions=_are(1, RLIMIT_CORE), harmless_without=2),  # prlimit64, which also reads
)

LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
"""Instructions on words and constants (linux/bpf_common.h)."""

NUMBER, MACHINE_OF_CALL, ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data (linux/seccomp.h); the lower half of an argument comes first."""

ALLOW, FAIL = 0x7FFF0000, 0x00050000
"""SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO (linux/seccomp.h)."""

SECCOMP_MODE_FILTER = 2


def can_be_refused() -> bool:
    """True if the calls of this machine are known, and its OS kernel has filters."""
    if platform.machine() != MACHINE:
        return False
    try:
        libc.prctl(libc.PR_SET_SECCOMP, SECCOMP_MODE_FILTER)
    except OSError as error:
        return error.errno == errno.EFAULT  # the kernel tried to read a filter, so it has filters
    return False


def refuse_some() -> None:
    """Refuse the calls of the list to this process and its children. It must have given up new privileges.

    Each worker loads the filter once. It may not load other filters, because the OS kernel frees filters later.
    """
    content = filter_of_calls()
    instructions = create_string_buffer(content, len(content))
    program = create_string_buffer(struct.pack("@HP", len(content) // 8, addressof(instructions)), 16)
    libc.prctl(libc.PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)


def filter_of_calls() -> bytes:
    """The list as a program of the kernel's filters (struct sock_filter)."""
    return b"".join(_program())


def _program() -> Iterator[bytes]:
    """The steps of the program: each step either answers or continues with the next one."""
    refuse, unknown, allow = (_do(RETURN, answer) for answer in (FAIL | errno.EPERM, FAIL | errno.ENOSYS, ALLOW))
    yield from (_do(LOAD, MACHINE_OF_CALL), _unless(ARCHITECTURE), refuse)
    yield from (_do(LOAD, NUMBER), _if(AT_LEAST, FIRST_OF_X32), refuse)
    for numbers, answer in ((REFUSED, refuse), (UNKNOWN, unknown)):
        for number in numbers:
            yield from (_if(EQUAL, number), answer)
    for call in PARTLY_REFUSED:
        answers = [*_harmless(call, allow), *_conditions(call, refuse), allow]
        yield from (_if(EQUAL, call.number, otherwise=len(answers)), *answers)
    yield allow


def _harmless(call: PartlyRefused, allow: bytes) -> Iterator[bytes]:
    if call.harmless_without is not None:
        where = ARGUMENTS + 8 * call.harmless_without
        yield from (_do(LOAD, where), _if(EQUAL, 0, otherwise=3), _do(LOAD, where + 4), _if(EQUAL, 0), allow)


def _conditions(call: PartlyRefused, refuse: bytes) -> Iterator[bytes]:
    for each in call.conditions:
        yield from (_do(LOAD, ARGUMENTS + 8 * each.argument), _do(AND, each.mask), _if(EQUAL, each.value), refuse)


def _do(code: int, constant: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, constant)


def _if(comparison: int, constant: int, otherwise: int = 1) -> bytes:
    """Continue with the next instruction, or skip some if the comparison is false."""
    return struct.pack("=HBBI", comparison, 0, otherwise, constant)


def _unless(constant: int) -> bytes:
    """Continue with the next instruction, or skip it if the loaded value is equal."""
    return struct.pack("=HBBI", EQUAL, 1, 0, constant)
