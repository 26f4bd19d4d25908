"""failures.py: each failure of a worker has a reason and a message for the student, and failures of the compiler are
recognised.
"""

import signal

import pytest

from grader.execution.outcome import COMPILING, RUNNING, Crashed, Garbled, OutOfMemory, TimedOut
from grader.grading.explain.failures import (
    KNOWN,
    LESS_TEXT,
    SIMPLER,
    advice,
    advice_on,
    is_of_compiler,
    observed,
    of_failure,
)
from grader.protocol.kernel import Demand, Resources
from grader.protocol.messages import BuildFailed, Refused, Stopped
from grader.results.verdicts import Reason

BUILD_LOG = "<kernel>:3:50: error: implicit declaration of function 'foo' is invalid in OpenCL"

DEMAND = Demand(
    kernel="blockMMM",
    resources=Resources(local_memory=65536, work_group=1024),
    work_group=256,
    local_memory=49152,
)


@pytest.mark.parametrize(
    ("failure", "reason", "words"),
    [
        (BuildFailed(program="submission", log=BUILD_LOG), Reason.BUILD_ERROR, "line 3"),
        (TimedOut(doing="running", seconds=20), Reason.TIME_LIMIT, "still running after 20 s"),
        (TimedOut(doing="compiling", seconds=20), Reason.TIME_LIMIT, "compiling took longer than 20 s."),
        (TimedOut(doing="returning the results", seconds=30), Reason.TIME_LIMIT, "returning the results took longer"),
        (
            Crashed(signal=signal.SIGSEGV, exit_code=None, words="x"),
            Reason.CRASH,
            "SIGSEGV. The usual cause is an access far outside",
        ),
        (
            Crashed(signal=signal.SIGSEGV, exit_code=None, words="x", doing="compiling"),
            Reason.CRASH,
            "the OpenCL compiler ended with SIGSEGV while it compiled the kernel.",
        ),
        (
            Crashed(signal=signal.SIGXCPU, exit_code=None, words="x", doing="compiling"),
            Reason.TIME_LIMIT,
            "compiling reached the limit on processor time.",
        ),
        (
            Crashed(signal=signal.SIGABRT, exit_code=None, words="LLVM ERROR: x"),
            Reason.CRASH,
            "after it printed an error message",
        ),
        (Crashed(signal=signal.SIGFPE, exit_code=None, words="x"), Reason.CRASH, "division by zero"),
        (Crashed(signal=signal.SIGXCPU, exit_code=None, words="x"), Reason.TIME_LIMIT, "processor time"),
        (Crashed(signal=64, exit_code=None, words="x"), Reason.CRASH, "SIGRTMAX"),
        (Crashed(signal=50, exit_code=None, words="x"), Reason.CRASH, "signal 50"),
        (Crashed(signal=None, exit_code=3, words="x"), Reason.CRASH, "ended with exit code 3"),
        (Refused(call="launch", error="INVALID_WORK_GROUP_SIZE"), Reason.LAUNCH_ERROR, "INVALID_WORK_GROUP_SIZE"),
        (Refused(call="launch", error="OUT_OF_HOST_MEMORY"), Reason.MEMORY_LIMIT, "more memory"),
        (
            Refused(call="launch", error="OUT_OF_RESOURCES", demand=DEMAND),
            Reason.LAUNCH_ERROR,
            "blockMMM asks for 64 KiB of local memory per work-group, but this device has 48 KiB",
        ),
        (
            Refused(call="launch", error="INVALID_ARG_SIZE", demand=DEMAND.model_copy(update={"local_memory": 65536})),
            Reason.LAUNCH_ERROR,
            "refused the kernel with INVALID_ARG_SIZE (launch). Check the required",
        ),
        (
            Crashed(
                signal=signal.SIGABRT,
                exit_code=None,
                words="python: ./lib/CL/devices/pthread/pthread_utils.c:240: setup_kernel_arg_array_with_locals: "
                "Assertion `(size_t)(start - local_mem) <= local_mem_size' failed.",
            ),
            Reason.LAUNCH_ERROR,
            "larger than the local memory of this device",
        ),
        (Stopped(error="INVALID_COMMAND_QUEUE"), Reason.CRASH, "the device stopped the kernel. The usual cause"),
        (Garbled(what="it sent a reply that is too long"), Reason.CRASH, "too long"),
    ],
)
def test_every_failure_has_a_reason_and_words(failure, reason, words):
    """Every failure of a worker has a reason, and a message of one sentence that explains it to the student."""
    problem = of_failure(failure)
    assert problem.reason is reason
    assert words in f"{problem.message} {problem.help}"
    assert problem.message.endswith(".")
    assert problem.message.count(". ") == 0
    assert problem.help == "" or problem.help.endswith(".")


@pytest.mark.parametrize("words", ["malloc(): corrupted top size", "Fatal glibc error: x", "nanobind: leaked 2 x"])
def test_a_crash_shows_only_the_last_words_of_a_compiler(words):
    """For a crash, the last line of the error output is shown only if it comes from a compiler. Lines from the grader's
    own libraries would not help the student.
    """
    assert of_failure(Crashed(signal=6, exit_code=None, words="LLVM ERROR: x")).detail == "LLVM ERROR: x"
    assert of_failure(Crashed(signal=6, exit_code=None, words=words)).detail == ""


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
