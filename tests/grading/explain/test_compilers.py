"""compilers.py: failures of the compiler are recognized and explained."""

import signal

import pytest

from grader.execution.outcome import COMPILING, RUNNING, Crashed, OutOfMemory, TimedOut
from grader.grading.explain.compilers import KNOWN, LESS_TEXT, SIMPLER, advice, advice_on, is_of_compiler, observed

DEBIAN = (
    "python3: ./lib/llvmopencl/ParallelRegion.cc:399: bool pocl::ParallelRegion::Verify(): "
    'Assertion `0 && "Incoming edges to non-entry block!"\' failed.'
)
WHEEL = "### dumped CFG to broken.dot.0Could not find a dominating alternative variable."


def crashed(words="", doing=RUNNING, number=signal.SIGABRT):
    """Return a process that has ended."""
    return Crashed(signal=number, exit_code=None, words=words, doing=doing)


@pytest.mark.parametrize("words", [DEBIAN, WHEEL])
def test_the_loop_that_a_break_leaves_is_known(words):
    """The crash of PoCL at a loop that a `break` leaves is recognized, for Debian's PoCL and for the PoCL of the Python
    package. The advice names the construct to avoid.
    """
    assert is_of_compiler(crashed(words))
    assert advice(crashed(words)) == KNOWN[0].advice


@pytest.mark.parametrize(
    "words",
    [
        "LLVM ERROR: Cannot select: t7: i64",
        "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/",
        "Stack dump:",
        "UNREACHABLE executed at /build/llvm/lib/CodeGen/Foo.cpp:1",
        "#12 0x00007f22 (/usr/lib/llvm-14/lib/libLLVM-14.so.1+0xa4f3d2)",
        "#3 0x00007f22 (/usr/lib/x86_64-linux-gnu/libpocl.so.2.9.0+0x1)",
    ],
)
def test_a_compiler_is_known_by_its_last_words(words):
    """A compiler is recognized by its last output at any time, because the reported phase may be wrong or missing."""
    assert is_of_compiler(crashed(words))
    assert observed(crashed(words)) == "the OpenCL compiler ended with SIGABRT after it printed an error message."
    assert advice(crashed(words)) == SIMPLER


def test_what_ends_while_the_driver_compiles_is_the_compilers():
    """A process that ends while the driver compiles is a compiler failure, with any output."""
    failure = crashed("Killed", COMPILING, signal.SIGSEGV)
    assert is_of_compiler(failure)
    assert observed(failure) == "the OpenCL compiler ended with SIGSEGV while it compiled the kernel."


def test_time_is_the_compilers_only_while_it_compiles():
    """A time limit is a compiler failure only while the driver compiles. A kernel that never ends is not a compiler
    failure.
    """
    assert is_of_compiler(TimedOut(doing=COMPILING, seconds=20))
    assert not is_of_compiler(TimedOut(doing=RUNNING, seconds=20))
    assert observed(TimedOut(doing=COMPILING, seconds=20.0004)) == "compiling took longer than 20 s."
    assert advice(TimedOut(doing=COMPILING, seconds=20)) == LESS_TEXT


@pytest.mark.parametrize("failure", [crashed(), crashed("Segmentation fault"), OutOfMemory()])
def test_a_kernels_own_crash_is_not_the_compilers(failure):
    """A kernel's own crash or use of memory is not a compiler failure."""
    assert not is_of_compiler(failure)


HELPER = "void step(__local int *a) { a[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); }\n"


@pytest.mark.parametrize(
    ("calls", "is_named"),
    [("step(a);", False), ("step(a); step(a);", True), ("for (;;) step(a); if (n) step(a);", True)],
)
def test_a_function_with_barriers_that_is_called_twice_is_named(calls, is_named):
    """A function with barriers that is called more than once is named, because PoCL translates it wrongly. One call is
    no reason to name it.
    """
    told = advice_on(f"{HELPER}__kernel void f(__local int *a, int n) {{ {calls} }}")
    assert ("step" in told) is is_named
    assert (told == SIMPLER) is not is_named
