"""compilers.py: recognises and explains failures of the compiler."""

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
    """Return the failure of a process that has crashed."""
    return Crashed(signal=number, exit_code=None, words=words, doing=doing)


@pytest.mark.parametrize("words", [DEBIAN, WHEEL])
def test_the_loop_that_a_break_leaves_is_known(words):
    """A known crash of PoCL at a loop with a `break` is recognised, both in Debian's PoCL and in the one of the Python
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
    """A failure of the compiler is recognised by its last output in any phase, because the reported phase may be wrong
    or missing.
    """
    assert is_of_compiler(crashed(words))
    assert observed(crashed(words)) == "the OpenCL compiler ended with SIGABRT after it printed an error message."
    assert advice(crashed(words)) == SIMPLER


def test_what_ends_while_the_driver_compiles_is_the_compilers():
    """If the process ends while the driver compiles, it is a failure of the compiler, regardless of its output."""
    failure = crashed("Killed", COMPILING, signal.SIGSEGV)
    assert is_of_compiler(failure)
    assert observed(failure) == "the OpenCL compiler ended with SIGSEGV while it compiled the kernel."


def test_time_is_the_compilers_only_while_it_compiles():
    """A time limit is a failure of the compiler only while it compiles. A kernel that does not end is not."""
    assert is_of_compiler(TimedOut(doing=COMPILING, seconds=20))
    assert not is_of_compiler(TimedOut(doing=RUNNING, seconds=20))
    assert observed(TimedOut(doing=COMPILING, seconds=20.0004)) == "compiling took longer than 20 s."
    assert advice(TimedOut(doing=COMPILING, seconds=20)) == LESS_TEXT


@pytest.mark.parametrize("failure", [crashed(), crashed("Segmentation fault"), OutOfMemory()])
def test_a_kernels_own_crash_is_not_the_compilers(failure):
    """If a kernel crashes or uses too much memory while it runs, it is not a failure of the compiler."""
    assert not is_of_compiler(failure)


@pytest.mark.parametrize(
    ("loop", "is_named"),
    [
        ("for (uint s = 1; s < get_local_size(0); s *= 2)", True),
        ("while (s < get_local_size(0))", True),
        ("for (uint s = get_local_size(0) / 2; s > 0; s /= 2)", False),
        ("for (uint s = 1; s < size; s *= 2)", False),
    ],
)
def test_a_loop_whose_condition_calls_get_local_size_is_named(loop, is_named):
    """PoCL translates a loop with barriers wrongly if its condition calls get_local_size. The advice names the line."""
    told = advice_on(f"__kernel void f(__local int *a, uint size)\n{{\n{loop} {{ barrier(1); }}\n}}")
    assert ("as in line 3" in told) is is_named
    assert (told == SIMPLER) is not is_named


HELPER = "void step(__local int *a) { a[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); }\n"


@pytest.mark.parametrize(
    ("calls", "is_named"),
    [("step(a);", False), ("step(a); step(a);", True), ("for (;;) step(a); if (n) step(a);", True)],
)
def test_a_function_with_barriers_that_is_called_twice_is_named(calls, is_named):
    """If a function with barriers is called more than once, the advice names it, because PoCL translates it wrongly."""
    told = advice_on(f"{HELPER}__kernel void f(__local int *a, int n) {{ {calls} }}")
    assert ("step" in told) is is_named
    assert (told == SIMPLER) is not is_named
