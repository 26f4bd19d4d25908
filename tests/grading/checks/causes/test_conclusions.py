"""conclusions.py: the results of all cases lead to a conclusion about the mistake, which appears in the check of each
wrong case.
"""

from dataclasses import replace

import numpy as np
import pytest
from fake_worker import BINDINGS, FakeWorker

from grader.course.criteria import Case
from grader.course.poison import POISON
from grader.course.rubric import AskedCheck, Kind
from grader.course.submissions.submission import Task, read_submission
from grader.course.truth.oracle import load_oracle
from grader.grading.checks.causes.conclusions import conclude, lines_to_look_at
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import Tried, failed_sizes, try_cases
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.wrong_arrays import of_stray_write
from grader.protocol.observation import SeenAccess, SeenArray, SeenKernel, SeenMessage
from grader.protocol.steps import ProgramSource
from grader.results.check import full_marks
from grader.results.verdicts import Reason, Verdict

COUNTS = {"requests": 1, "mostly_idle": 1, "active": 1, "bytes": 4, "unused": 0, "conflicts": 0, "sectors": 1}
COUNTS |= {"fewest": 1, "worst": 1.0, "stride": 4}
STORE = SeenAccess(line=7, column=1, array="B", space=1, writes=True, **COUNTS)
SEEN = Simulated(
    sizes={"height": 5, "width": 7},
    kernels=(
        SeenKernel(
            kernel="coalsTransp",
            flop=0,
            steps=0,
            busiest=0,
            private=0,
            arrays=(SeenArray(space=1, buffer=1, name="B", size=140),),
            messages=(),
            unset=(),
            accesses=(STORE,),
            branches=(),
        ),
    ),
    scenes=(Scene(source="__kernel void coalsTransp(__global float *B)", dimensions=2, extent=None),),
    problem=None,
    constants=({},),
)

SIZES = [{"height": 1, "width": 1}, {"height": 5, "width": 7}, {"height": 20, "width": 33}, {"height": 30, "width": 31}]


@pytest.fixture
def concluded(transposition):
    """Return a function that runs four cases with a worker that computes its results with `make`. It returns the checks
    and the sizes of the failed cases.
    """
    cases = tuple(Case(name=f"{sizes}", sizes=sizes) for sizes in SIZES)
    asked = transposition.correctness.model_copy(update={"cases": cases})
    assignment = transposition.model_copy(update={"correctness": asked})
    task = Task(assignment=assignment, submission=read_submission(transposition.reference), seed=1)
    built = Built(task=task, program=ProgramSource(source=""), bindings=BINDINGS, usage=())

    def conclude_of(make, seen=None):
        oracle = load_oracle(assignment)
        tried = list(try_cases(cases, built, oracle, FakeWorker(make)))
        return conclude(tried, built, oracle, seen), failed_sizes(tried)

    return conclude_of


def with_another_pitch(arrays):
    """Return the transposed matrix, stored with the row length of A instead of its own."""
    height, width = arrays["A"].shape
    made = np.full(height * width + width * width, POISON, dtype=np.uint32).view(np.float32)
    places = np.arange(width)[:, None] * width + np.arange(height)
    made[places] = arrays["A"].T
    return made[: height * width]


def test_a_cause_stands_in_each_check_with_its_lines(concluded):
    """The message of each wrong case is the common cause, with the lines that write the array. The numbers of
    wrong elements are in the detail.
    """
    checks, failed = concluded(with_another_pitch, SEEN)
    wrong = [check for check in checks if check.verdict is Verdict.FAILED]
    assert failed == (SIZES[1], SIZES[2], SIZES[3])
    assert {check.cause for check in wrong} == {"rows of B are taken to be width long, not height"}
    for check in wrong:
        assert check.message.startswith(f"{check.cause} (line 7 writes `B`). That explains ")
        assert " elements of B are wrong; " in check.detail.splitlines()[0]
        assert check.help == ""


def test_without_a_simulated_run_there_are_no_lines(concluded):
    """Without a simulated run, the message names the cause but no lines."""
    checks, _ = concluded(with_another_pitch)
    assert "line" not in checks[2].message
    assert checks[2].cause


def test_what_is_never_written_is_told_with_the_lines_that_should(concluded):
    """If a kernel does not write to an array, the help names the lines that write to it at other sizes."""
    checks, _ = concluded(lambda arrays: np.full(arrays["A"].size, POISON, dtype=np.uint32).view(np.float32), SEEN)
    assert {check.help for check in checks} == {"Follow one element by hand: line 7 writes `B`."}


def test_a_kernel_that_runs_alone_has_only_its_own_lines():
    """If a kernel runs alone in a case, the help lists only this kernel's lines. Otherwise, it lists those of all."""
    (first,), (scene,) = SEEN.kernels, SEEN.scenes
    second = first.model_copy(update={"kernel": "scan", "accesses": (STORE.model_copy(update={"line": 9}),)})
    seen = replace(SEEN, kernels=(first, second), scenes=(scene, scene))
    case = Case(name="one", sizes=SIZES[0])
    alone = case.model_copy(update={"alone": "scan"})
    assert lines_to_look_at(alone, seen) == "Follow one element by hand: line 9 writes `B`."
    assert lines_to_look_at(case, seen) == (
        "Follow one element by hand: in `coalsTransp`, line 7 writes `B`; in `scan`, line 9 writes `B`."
    )


def heard(text):
    """Return the record of a simulated launch with this message."""
    (kernel,) = SEEN.kernels
    message = SeenMessage(text=text, array="", times=1, endings=(), writes=())
    return replace(SEEN, kernels=(kernel.model_copy(update={"messages": (message,)}),))


ITEM = "Global(4,0,0) Local(4,0,0) Group(0,0,0)\n\t  x\n\tAt line 6 (column 5) of input.cl:\n\t  x;\n\t"
BEYOND = f"of size 4 at global memory address 0x{(1 << 48) + 140:x}\n\tKernel: k\n\tEntity: {ITEM}"
DIVERGED = (
    "Work-group divergence detected (barrier)\n\tAt line 6 (column 2) of input.cl:\n\t  x;\n\tAt line 9 (column 2)"
)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (f"Invalid write {BEYOND}", "Work-items beyond the edge must not store"),
        (f"Invalid read {BEYOND}", "The simulator sees another mistake in line 6, which can cause this one."),
        (DIVERGED, "The simulator sees another mistake in line 6, which can cause this one."),
        ("", "Work-items beyond the edge must not store"),
    ],
)
def test_changed_memory_is_not_blamed_on_a_store_that_the_simulator_does_not_see(text, advice):
    """If the simulator sees another mistake but no store outside an array, the help names that mistake."""
    case = Case(name="one", sizes=SIZES[1])
    check = of_stray_write("B", 0).fail(full_marks(AskedCheck(kind=Kind.CORRECTNESS, points=1.0)))
    (told,) = conclude([Tried(case=case, check=check)], None, None, heard(text))
    assert told.message == "memory outside `B` was changed, starting 1 element past its end."
    assert told.help.startswith(advice)


def test_a_result_that_holds_nan_is_told_with_the_read_past_the_end(concluded):
    """If only NaN was stored and the simulator sees a read past the end of an array, the help names that read."""
    nothing = lambda arrays: np.full(arrays["A"].size, POISON, dtype=np.uint32).view(np.float32)  # noqa: E731
    checks, _ = concluded(nothing, heard(f"Invalid read {BEYOND}"))
    assert {check.help for check in checks} == {
        "Line 6 reads outside `B`, 1 element past its end. Such words hold NaN."
    }


def test_a_kernel_alone_is_told_with_its_own_lines():
    """If only one kernel ran, the message names it, and the help lists the lines of no other kernel."""
    (kernel,) = SEEN.kernels
    other = kernel.model_copy(update={"kernel": "other", "accesses": (STORE.model_copy(update={"line": 9}),)})
    seen = replace(SEEN, kernels=(other, kernel), scenes=SEEN.scenes * 2)
    check = Problem(reason=Reason.WRONG_OUTPUT, message="B is wrong.").fail(
        full_marks(AskedCheck(kind=Kind.CORRECTNESS, points=1.0))
    )
    case = Case(name="one", sizes=SIZES[1], alone="coalsTransp")
    (told,) = conclude([Tried(case=case, check=check)], None, None, seen)
    assert told.message == "B is wrong. Only coalsTransp ran, with correct inputs."
    assert told.help == "Follow one element by hand: line 7 writes `B`."


def test_right_cases_keep_their_checks(concluded):
    """Checks of correct cases stay unchanged."""
    checks, failed = concluded(lambda arrays: arrays["A"].T, SEEN)
    assert {(check.verdict, check.message) for check in checks} == {(Verdict.PASSED, "")}
    assert failed == ()


def test_right_cases_are_asked(concluded):
    """Correct cases are evidence, too. If the result is right in a case with a single element, the message says that
    the sign is wrong, but not everywhere.
    """
    checks, _ = concluded(lambda arrays: arrays["A"].T if arrays["A"].size == 1 else -arrays["A"].T)
    assert [check.cause for check in checks] == ["", *["the sign is wrong, but not everywhere"] * 3]
