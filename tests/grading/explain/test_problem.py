"""problem.py: each failure has a reason and a message for the student."""

import signal

import pytest
from submission_texts import source_of

from grader.course.truth.comparison import Mismatch
from grader.execution.outcome import Crashed, Garbled, TimedOut
from grader.grading.explain.diagnosis.evidence import Explanation
from grader.grading.explain.problem import explained, of_build_log, of_failure, of_mismatch, of_stray_write
from grader.protocol.kernel import Demand, Resources
from grader.protocol.messages import BuildFailed, Refused, Stopped
from grader.results.check import Reason

NVIDIA_LOG = """<kernel>:3:50: error: implicit declaration of function 'foo' is invalid in OpenCL
    foo(3);
    ^
<kernel>:2:1: warning: unused variable
"""


def test_a_build_error_is_a_sentence_with_the_students_line():
    """The message about a build error has the line in the student's file and the first error, and the help has advice.
    The detail has the source line and the other errors.
    """
    source = "// one\n// two\n" + " " * 49 + "foo(3);\n"
    problem = of_build_log(NVIDIA_LOG, source_of(source))
    assert problem.reason is Reason.BUILD_ERROR
    assert problem.message == "line 3, column 50: implicit declaration of function 'foo' is invalid in OpenCL."
    assert problem.help
    assert problem.detail.splitlines()[1:] == ["    foo(3);", "    ^"]


DEMAND = Demand(
    kernel="blockMMM",
    resources=Resources(local_memory=65536, work_group=1024),
    work_group=256,
    local_memory=49152,
)


@pytest.mark.parametrize(
    ("failure", "reason", "words"),
    [
        (BuildFailed(program="submission", log=NVIDIA_LOG), Reason.BUILD_ERROR, "line 3"),
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
        (Crashed(signal=None, exit_code=3, words="x"), Reason.CRASH, "status 3"),
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


def mismatch(**changes):
    fields = {
        "buffer": "C",
        "wrong": 3,
        "total": 2077,
        "unwritten": 0,
        "index": (1, 3),
        "first_unwritten": False,
        "got": 0.25,
        "expected": 0.5,
        "largest_error": 0.25,
        "excess": 41.5,
    }
    return Mismatch(**{**fields, **changes})


def test_a_wrong_array_says_how_many_which_first_and_how_far_off():
    """The message about a wrong array gives the number of wrong elements and the first one. The detail gives the
    largest error.
    """
    problem = of_mismatch(mismatch())
    assert problem.reason is Reason.WRONG_OUTPUT
    assert problem.message == "3 of 2,077 elements of C are wrong; the first is C[1][3]: got 0.25, expected 0.5."
    assert problem.detail == "largest error: 0.25; at worst 41.5 times what rounding allows."


def test_numbers_that_look_alike_get_more_digits():
    """If the actual and the expected number look equal, they are shown with more digits."""
    assert "got 1.50000012, expected 1.5." in of_mismatch(mismatch(got=1.50000012, expected=1.5)).message


def test_whole_numbers_have_all_their_digits():
    """If the expected results are integers, numbers are shown with all their digits. The wrong result itself need not
    be an integer.
    """
    told = mismatch(got=12345678.0, expected=104729.0, largest_error=12240949.0, excess=None, whole=True)
    assert "got 12345678, expected 104729." in of_mismatch(told).message
    assert of_mismatch(told).detail == "largest error: 12240949; this output must match exactly."
    assert "got 0.5, expected 104729." in of_mismatch(mismatch(got=0.5, expected=104729.0, whole=True)).message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"excess": None}, "must match exactly"),
        ({"excess": 1e9}, "far more than rounding explains"),
        ({"largest_error": None, "excess": None}, "none of the wrong elements holds a finite number"),
    ],
)
def test_how_far_off_is_said_so_that_it_means_something(changes, words):
    """The size of the error is described in other words for exact data, for absurd errors and for NaN."""
    assert words in of_mismatch(mismatch(**changes)).detail


def test_elements_never_written_are_told_from_wrong_ones():
    """Elements that were never written are distinguished from wrong ones, whether all or only some elements are
    unwritten.
    """
    nothing = of_mismatch(mismatch(wrong=2077, unwritten=2077, first_unwritten=True))
    assert nothing.reason is Reason.NOT_WRITTEN
    assert nothing.message == "nothing was written to C, or only NaN."
    assert nothing.detail.startswith("no number in 2,077 elements. ")
    whole = of_mismatch(mismatch(wrong=2077, unwritten=2077, first_unwritten=True, got=0, expected=3))
    assert whole.message == "nothing was stored in C."
    assert "NaN" not in whole.detail
    some = of_mismatch(mismatch(unwritten=2, first_unwritten=True))
    assert "2 of them were never written; the first is C[1][3]: never written, expected 0.5" in some.message
    missing = of_mismatch(mismatch(unwritten=3, first_unwritten=True, largest_error=None, excess=None))
    assert "all of them were never written" in missing.message
    assert missing.detail == ""


def test_an_explanation_is_the_message_and_the_numbers_are_evidence():
    """An explanation becomes the message, and the numbers move to the beginning of the detail. The reason does not
    change, and the cause is stored separately, so that it can be counted.
    """
    explanation = Explanation(cause="the sign is wrong", sentence="the sign is wrong. That explains it.")
    problem = explained(of_mismatch(mismatch()), explanation)
    assert problem.message == "the sign is wrong. That explains it."
    numbers, largest = problem.detail.splitlines()
    assert numbers == "3 of 2,077 elements of C are wrong; the first is C[1][3]: got 0.25, expected 0.5."
    assert largest.startswith("largest error: ")
    assert (problem.reason, problem.cause) == (Reason.WRONG_OUTPUT, "the sign is wrong")


@pytest.mark.parametrize(
    ("words", "place"),
    [(0, "1 element past its end"), (4, "5 elements past its end"), (-2, "2 elements before its start")],
)
def test_a_stray_write_says_where(words, place):
    """The message about a write outside a buffer gives the distance from the buffer's nearer end."""
    problem = of_stray_write("C", words)
    assert problem.reason is Reason.OUT_OF_BOUNDS
    assert place in problem.message
