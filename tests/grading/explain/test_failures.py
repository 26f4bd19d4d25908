"""failures.py: each failure of a worker has a reason and a message for the student."""

import signal

import pytest

from grader.execution.outcome import Crashed, Garbled, TimedOut
from grader.grading.explain.failures import of_failure
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
