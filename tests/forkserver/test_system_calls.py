"""system_calls.py: each listed call is refused for all values of its other arguments. All other calls are allowed."""

import errno
import subprocess
import sys

import pytest

from grader.forkserver import system_calls
from grader.forkserver.system_calls import PARTLY_REFUSED, REFUSED, UNKNOWN

loaded = pytest.mark.skipif(not system_calls.can_be_refused(), reason="nothing is refused on this machine")

TRY = """
import ctypes, errno, fcntl, os, resource, signal, sys
from grader.forkserver import libc, system_calls
libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
system_calls.refuse_some()
def call(number, *arguments):
    try:
        libc.system_call(number, *arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
"""


def filtered(code):
    """Return the words that a process prints after it has loaded the filter."""
    command = [sys.executable, "-I", "-c", TRY + code]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout.split()


@loaded
def test_every_call_of_the_list_is_refused():
    """Each call in the list is refused. The test uses arguments that are invalid for all calls, so that a call that the
    filter misses does not have an effect.
    """
    code = f"print(*(call(number, -1, -1, -1, -1) for number in {REFUSED!r}))"
    assert filtered(code) == ["EPERM"] * len(REFUSED)
    assert filtered(f"print(*(call(number, 0, 0) for number in {UNKNOWN!r}))") == ["ENOSYS"] * len(UNKNOWN)


NAMES = {
    "a timer": "222, 1, None, ctypes.create_string_buffer(8)",
    "a timer in a file": "283, 1, 0",
    "an alarm": "37, 1000",
    "a queue": "206, 1, ctypes.create_string_buffer(bytes(8), 8)",
    "a ring": "425, 1, ctypes.create_string_buffer(bytes(120), 120)",
    "a watch": "294, 0",
    "a key": "248, ctypes.create_string_buffer(b'user'), ctypes.create_string_buffer(b'x'), None, 0, -4",
    "a filter": "317, 2, 0, ctypes.create_string_buffer(bytes(4), 4)",
    "a program": "321, 0, None, 0",
    "a socket": "41, 1, 1, 0",
    "a pair of sockets": "53, 1, 1, 0, ctypes.create_string_buffer(8)",
    "a namespace": "272, 0x10000000",
    "a child with a namespace of its own": "56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0",
    "a child with a mount table of its own": "56, 0x20000 | signal.SIGCHLD, 0, 0, 0, 0",
    "a filter by prctl": "157, 22, 2, None",
    "the strictest mode by prctl": "157, 22, 1, None",
    "memory that is compared": "28, 0, 0, 12",
    "all memory that is compared": "157, 67, 1, 0, 0, 0",
    "a limit of a core dump": "160, 4, ctypes.create_string_buffer(bytes(16), 16)",
    "a limit of a core dump by the other call": "302, 0, 4, ctypes.create_string_buffer(bytes(16), 16), None",
    "an owner of signals": "72, 1, 8, os.getpid()",
    "a signal": "72, 1, 10, signal.SIGCONT",
    "an owner of signals by type": "72, 1, 15, ctypes.create_string_buffer(bytes(8), 8)",
    "a lease": "72, 1, 1024, 0",
    "a notice of changes": "72, 1, 1026, 1",
    "a lease of a folder": "72, 1, 1040, 0",
}
"""Calls that most machines would allow without the filter."""


@pytest.mark.sampled
@loaded
@pytest.mark.parametrize("arguments", NAMES.values(), ids=NAMES)
def test_services_that_work_later_are_refused(arguments):
    """Services that continue to work after a call has returned are refused, with the arguments that a submission would
    use.
    """
    assert filtered(f"print(call({arguments}))") == ["EPERM"]


def cases():
    """Yield each partly refused call with arguments for which it is refused."""
    for each in PARTLY_REFUSED:
        for condition in each.conditions:
            arguments = [0] * 5
            if each.harmless_without is not None:
                arguments[each.harmless_without] = 1
            arguments[condition.argument] = condition.value
            yield each.number, condition.argument, arguments


@loaded
@pytest.mark.parametrize("more", [0, 1 << 32, 1 << 62, -1 << 32])
def test_higher_bits_change_nothing(more):
    """Setting the higher bits of an argument does not make a call allowed, because the kernel ignores these bits."""
    calls = []
    for number, index, arguments in cases():
        arguments[index] += more
        calls.append((number, *arguments))
    assert len(calls) > 15
    assert filtered(f"print(*(call(*each) for each in {calls!r}))") == ["EPERM"] * len(calls)


@loaded
def test_a_pointer_with_empty_lower_bits_is_no_null_pointer():
    """A pointer is null only if both halves are zero. With any other pointer, the call sets a limit and is refused."""
    calls = [(302, 0, 4, 1, 0), (302, 0, 4, 1 << 32, 0)]
    assert filtered(f"print(*(call(*each) for each in {calls!r}))") == ["EPERM"] * 2


@loaded
def test_numbers_of_the_other_interface_are_refused():
    """The x32 interface, which numbers the calls differently, is refused as a whole."""
    assert filtered("print(call(0x40000000 + 39), call(0x40000000 + 222), call(39))") == ["EPERM", "EPERM", "done"]


CALL_OF_32_BIT = """
import mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("53 b8 14000000 cd80 5b c3"))  # push rbx; mov eax, getpid; int 0x80; pop rbx; ret
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())
"""


@loaded
def test_calls_of_32_bit_are_refused():
    """32-bit calls, which have other numbers, are refused. A kernel without 32-bit calls returns another error."""
    assert filtered(CALL_OF_32_BIT)[0] in {str(-errno.EPERM), str(-errno.ENOSYS)}


ALLOWED = """
reading, writing = os.pipe()
print(fcntl.fcntl(writing, fcntl.F_GETFL) & 3, fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 50))
print(len(resource.getrlimit(resource.RLIMIT_CORE)), call(302, 0, 4, None, None))
resource.setrlimit(resource.RLIMIT_CPU, (50, 50))
child = os.fork()
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
import subprocess, threading, time, mmap
print(subprocess.run(["sh", "-c", "exit 5"]).returncode)
thread = threading.Thread(target=time.sleep, args=(0.01,))
thread.start()
thread.join()
print(call(157, 4, 0), call(157, 1, 9), call(157, 15, ctypes.create_string_buffer(b"name")))
memory = mmap.mmap(-1, 1 << 22)
memory.madvise(mmap.MADV_HUGEPAGE)
memory.madvise(mmap.MADV_DONTNEED)
"""


@loaded
def test_what_computing_needs_is_allowed():
    """Processes, threads, pipes, limits, memory advice, and the harmless uses of partly refused calls are allowed."""
    assert filtered(ALLOWED) == ["1", "50", "2", "done", "7", "5", "done", "done", "done"]


@loaded
def test_a_child_is_refused_what_its_parent_is():
    """A child process is refused the same calls as its parent, even after it has executed another program."""
    code = """
import subprocess
asks = "import socket\\ntry: socket.socket()\\nexcept PermissionError: raise SystemExit(1)"
print(subprocess.run([sys.executable, "-I", "-c", asks]).returncode)
"""
    assert filtered(code) == ["1"]


@pytest.mark.parametrize("machine", ["aarch64", "riscv64"])
def test_on_another_machine_nothing_is_refused(monkeypatch, machine):
    """The filter is not used on other types of processors, because their calls have other numbers."""
    monkeypatch.setattr(system_calls.platform, "machine", lambda: machine)
    assert not system_calls.can_be_refused()


@pytest.mark.parametrize(("number", "expected"), [(errno.EFAULT, True), (errno.EINVAL, False), (errno.EPERM, False)])
def test_a_kernel_without_filters_is_recognised(monkeypatch, number, expected):
    """Only the error EFAULT shows that the OS kernel supports filters, because the kernel tried to read one at the null
    pointer.
    """

    def answer(*_):
        raise OSError(number, "")

    monkeypatch.setattr(system_calls.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(system_calls.libc, "prctl", answer)
    assert system_calls.can_be_refused() is expected


def test_the_program_is_one_that_the_kernel_takes():
    """The filter is far below the limit of 4096 instructions of 8 bytes, and all its jumps stay inside it."""
    program = system_calls.filter_of_calls()
    count = len(program) // 8
    assert len(program) % 8 == 0
    assert count < 256
    for place in range(count):
        yes, no = program[8 * place + 2 : 8 * place + 4]
        assert place + 1 + max(yes, no) < count or program[8 * place] == system_calls.RETURN
