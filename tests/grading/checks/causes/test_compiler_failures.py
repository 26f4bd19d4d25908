"""compiler_failures.py: points stay open if a compiler failure prevents a decision."""

from dataclasses import replace
from math import prod

import pytest
from kernels import TRANSPOSITION, changed
from samples import DEVICE
from simulator import subject_of

from grader.common.errors import NoSimulatorError
from grader.course.folders import MODEL_FILE
from grader.execution.outcome import COMPILING, Crashed, OutOfMemory, TimedOut
from grader.grading.checks.causes.compiler_failures import UNCHECKED, left_open, timed_open, unbuilt_open
from grader.grading.checks.compilation.building import Build, build_check
from grader.grading.checks.correctness import GAVE_UP, Tried, unrun_cases
from grader.grading.checks.memory import uncounted
from grader.grading.checks.sanitizer import unwatched
from grader.grading.checks.simulation.sanitizer_run import simulate
from grader.grading.checks.simulation.simulator_runs import Watched
from grader.grading.explain.failures import FailedError, of_failure
from grader.grading.explain.problem import NOT_RIGHT, Problem
from grader.grading.timing.performance import unmeasured
from grader.results.verdicts import Reason, Verdict

ABORTED = Crashed(signal=6, exit_code=None, words="Assertion `0' failed.", doing=COMPILING)
SLOW = TimedOut(doing=COMPILING, seconds=20)
RACE = Problem(reason=Reason.DATA_RACE, message="line 3 races.")
WRONG = Problem(reason=Reason.WRONG_OUTPUT, message="3 of 9 elements are wrong.")
WRONG_SOURCE = changed(TRANSPOSITION, "tile[lx][ly]", "-tile[lx][ly]")


class NoSimulator:
    """Worker on a machine without the simulator."""

    def ready(self):
        raise NoSimulatorError("the simulator is missing.")


def tried(assignment, *ends):
    """Yield a result for each case. `ends` gives how each case ended: with a failure, with a problem, or with None if
    it passed.
    """
    cases = assignment.correctness.cases
    for case, check, end in zip(cases, unrun_cases(assignment, cases), ends, strict=False):
        failure = None if isinstance(end, Problem) else end
        problem = end if isinstance(end, Problem | None) else of_failure(end)
        yield Tried(case=case, check=problem.fail(check) if problem else check, failure=failure)


def opened(simulator, assignment, source, *ends, watched=()):
    subject = subject_of(simulator, assignment, source)
    return left_open(tuple(tried(assignment, *ends)), subject, Watched(checks=tuple(watched)))


@pytest.mark.parametrize("failure", [ABORTED, SLOW])
def test_what_the_compiler_failed_on_is_open_if_the_simulator_finds_it_right(simulator, transposition, failure):
    """After a compiler failure, points stay open if the simulator gets correct results. The message says what happened,
    up to which size the results were checked, and what to change.
    """
    waits = opened(simulator, transposition, TRANSPOSITION, failure, failure)
    assert waits.failed.reason is waits.rest.reason is Reason.COMPILER_FAILED
    assert "the results are right in 2 small cases, up to height" in waits.failed.message
    assert "until your instructor decides" in waits.failed.message


@pytest.mark.parametrize("failure", [ABORTED, SLOW])
def test_what_the_simulator_finds_wrong_is_not_open(simulator, transposition, failure):
    """After a compiler failure, points are lost if the simulator gets wrong results."""
    assert opened(simulator, transposition, WRONG_SOURCE, failure) is None


@pytest.mark.parametrize("end", [Crashed(signal=11, exit_code=None, words=""), OutOfMemory()])
def test_any_other_failure_decides(simulator, transposition, end):
    """A failure that is not the compiler's costs the points, even if the compiler failed in another case."""
    assert opened(simulator, transposition, TRANSPOSITION, ABORTED, end) is None
    assert opened(simulator, transposition, TRANSPOSITION, end) is None


@pytest.mark.parametrize("ends", [[WRONG], [None, WRONG], [ABORTED, WRONG]])
def test_wrong_results_are_open_if_another_compiler_gets_right_ones(simulator, transposition, ends):
    """Wrong results stay open if another compiler gets correct results, because a compiler that translates a correct
    kernel wrongly must not cost points. The message states both observations.
    """
    waits = opened(simulator, transposition, TRANSPOSITION, *ends)
    cases = [each.check for each in tried(transposition, *ends)]
    checks = waits.of(cases, transposition)
    assert [check.reason for check in checks] == [end and Reason.COMPILER_FAILED for end in ends]
    assert waits.failed.message.startswith(
        "3 of 9 elements are wrong. With another compiler, the results are right at "
    )
    assert "no access is wrong" in waits.failed.message


@pytest.mark.parametrize(
    "source",
    [
        WRONG_SOURCE,
        changed(TRANSPOSITION, "barrier(CLK_LOCAL_MEM_FENCE);", ""),
    ],
)
def test_wrong_results_count_if_the_simulator_sees_a_mistake(simulator, transposition, source):
    """Wrong results count if the simulator also gets wrong results, or if it gets correct results but sees a race."""
    cases = transposition.correctness.cases
    first = next(number for number, case in enumerate(cases) if min(case.sizes.values()) > 2)
    assert opened(simulator, transposition, source, *[None] * first, WRONG) is None


def test_wrong_results_count_if_unwritten_zeros_are_right(simulator, course):
    """Wrong results count if the kernel stores nothing. Unwritten words of the simulator are 0, which is right."""
    nest = course.load("loopNest")
    model = (nest.reference / MODEL_FILE).read_text()
    source = changed(model, "get_group_id(0) % count", "7 + get_group_id(0) / count")
    assert opened(simulator, nest, source, WRONG) is None


def test_wrong_results_count_if_the_case_is_too_large_for_the_simulator(simulator, transposition):
    """Wrong results count if the case is too large for the simulator, because there is no evidence of a compiler
    failure.
    """
    large = max(transposition.correctness.cases, key=lambda case: prod(case.sizes.values()))
    check = WRONG.fail(next(unrun_cases(transposition, [large])))
    subject = subject_of(simulator, transposition, TRANSPOSITION)
    assert left_open([Tried(case=large, check=check)], subject, Watched(checks=())) is None


def test_wrong_results_count_where_they_may_depend_on_the_order_of_groups(simulator, transposition):
    """Wrong results count if they may depend on the order of work-groups. The simulator always runs work-groups in
    ascending order, and it does not see races between atomic functions.
    """
    source = changed(TRANSPOSITION, "    barrier(", "    if (height > 99) atomic_inc((__global int *)B);\n    barrier(")
    assert opened(simulator, transposition, source, WRONG) is None


def test_wrong_results_count_without_a_simulator(simulator, transposition):
    """Without a simulator, wrong results count, because there is no other compiler to compare with."""
    subject = replace(subject_of(simulator, transposition, TRANSPOSITION), worker=NoSimulator())
    assert left_open(tuple(tried(transposition, WRONG)), subject, Watched(checks=())) is None


def test_wrong_results_count_if_the_run_at_the_failed_size_is_wrong(simulator, transposition):
    """Wrong results count if the sanitizer has already run the kernel at the failed size and got wrong results. That
    size is not run again.
    """
    subject = subject_of(simulator, transposition, TRANSPOSITION)
    seen = simulate(subject, transposition.sanitizer.sizes)
    watched = Watched(checks=(), at_failed=replace(seen, problem=WRONG))
    assert left_open(tuple(tried(transposition, WRONG)), subject, watched) is None


def test_cases_that_were_given_up_are_open_with_the_others(simulator, transposition):
    """After the compiler has taken too long for two cases, the remaining cases are not tried. They are open like the
    first two.
    """
    assert opened(simulator, transposition, TRANSPOSITION, SLOW, SLOW, GAVE_UP) is not None
    assert opened(simulator, transposition, TRANSPOSITION, None, GAVE_UP) is None


def test_what_the_sanitizer_shows_decides_unless_it_is_hidden(simulator, transposition):
    """If the sanitizer reports a race, the points are lost. A hidden sanitizer has no effect, because the open cases
    would reveal its outcome.
    """
    check = RACE.fail(unwatched(transposition.sanitizer))
    assert opened(simulator, transposition, TRANSPOSITION, ABORTED, watched=[check]) is None
    asked = transposition.sanitizer.model_copy(update={"hidden": True})
    hiding = transposition.model_copy(update={"sanitizer": asked})
    assert opened(simulator, hiding, TRANSPOSITION, ABORTED, watched=[check]) is not None


def test_without_a_simulator_it_is_open_and_says_so(simulator, transposition):
    """Without a simulator, points stay open after a compiler failure. The message says that the results were not
    checked.
    """
    subject = replace(subject_of(simulator, transposition, TRANSPOSITION), worker=NoSimulator())
    waits = left_open(tuple(tried(transposition, ABORTED)), subject, Watched(checks=()))
    assert UNCHECKED in waits.failed.message


def test_open_checks_earn_and_lose_nothing(simulator, transposition):
    """Open checks neither earn nor lose points. Checks that passed on the device are unchanged, and the checks that
    only a correct kernel can pass are open.
    """
    waits = opened(simulator, transposition, TRANSPOSITION, None, ABORTED)
    cases = [each.check for each in tried(transposition, None, ABORTED)]
    watched = unwatched(transposition.sanitizer)
    speed = NOT_RIGHT.fail(unmeasured(transposition, DEVICE))
    checks = waits.of([*cases, watched, speed, RACE.fail(watched)], transposition)
    assert [check.verdict for check in checks] == [Verdict.PASSED, *[Verdict.SKIPPED] * 3, Verdict.FAILED]
    assert [check.points for check in checks[1:]] == [0, 0, 0, 0]
    assert checks[1].max_points == cases[1].max_points > 0


def test_memory_is_decided_where_it_was_counted(simulator, transposition):
    """Memory checks that were counted are final, because the simulator uses another compiler. Memory checks that were
    not counted are open.
    """
    waits = opened(simulator, transposition, TRANSPOSITION, ABORTED)
    passed, other, *_, last = uncounted(transposition.memory)
    missed = Problem(reason=Reason.UNCOALESCED, message="").fail(other)
    decided, lost, is_open = waits.of([passed, missed, NOT_RIGHT.fail(last)], transposition)
    assert (decided, lost) == (passed, missed)
    assert is_open.reason is Reason.COMPILER_FAILED


@pytest.mark.whole
@pytest.mark.parametrize(
    ("failure", "source", "is_open"),
    [(ABORTED, TRANSPOSITION, True), (SLOW, WRONG_SOURCE, False), (OutOfMemory(), TRANSPOSITION, False)],
)
def test_a_build_that_the_compiler_failed_on_is_built_for_the_simulator(
    simulator, transposition, failure, source, is_open
):
    """If the device's compiler fails to build a program, the simulator builds and runs it. The points are open if all
    small cases are right there.
    """
    task = subject_of(simulator, transposition, source).built.task
    build = Build(check=of_failure(failure).fail(build_check(0.0)), built=None, task=task, failure=failure)
    waits = unbuilt_open(build, simulator)
    assert (waits is not None) is is_open
    if waits is not None:
        (check,) = waits.of([build.check], transposition)
        assert check.reason is Reason.COMPILER_FAILED


def test_a_timed_run_that_the_compiler_failed_on_leaves_the_speed_open():
    """If the compiler fails in a timed run, the speed is open, because all cases were right. Any other failure of a
    timed run is unchanged.
    """
    assert timed_open(FailedError(ABORTED)).problem.reason is Reason.COMPILER_FAILED
    for end in (WRONG, Crashed(signal=11, exit_code=None, words="")):
        assert timed_open(FailedError(end)).why is end
