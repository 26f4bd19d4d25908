"""correctness.py: which cases are repeated, what a worker learns about cases, and which checks lose their points after
a failed case.
"""

import numpy as np
import pytest
from fake_worker import BINDINGS, FakeWorker
from samples import BUILD, SPEED, check

from grader.course.poison import POISON
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, read_submission
from grader.course.truth.oracle import load_oracle
from grader.execution.outcome import TimedOut
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import REPEATED, REPEATS, TIME_LIMITS, in_order, try_cases, unrun_cases
from grader.grading.checks.requirements import FORFEITED, forfeit
from grader.protocol.steps import ProgramSource
from grader.results.verdicts import Reason, Verdict


def noise(arrays):
    """Return different results in every launch."""
    return np.random.default_rng().random(arrays["A"].size)


@pytest.fixture
def checks(transposition):
    """Return a function that runs all cases with the given worker and returns their checks."""
    task = Task(assignment=transposition, submission=read_submission(transposition.reference), seed=1)
    built = Built(task=task, program=ProgramSource(source=""), bindings=BINDINGS, usage=())
    return lambda worker: checked(transposition.correctness.cases, built, transposition, worker)


def checked(cases, built, assignment, worker):
    """Return the checks of these cases, with the conclusions from all of them."""
    oracle = load_oracle(assignment)
    return list(conclude(list(try_cases(cases, built, oracle, worker)), built, oracle))


def test_right_results_are_not_repeated(checks):
    """A correct submission is launched once in each case."""
    worker = FakeWorker(lambda arrays: arrays["A"].T)
    assert all(check.verdict is Verdict.PASSED for check in checks(worker))
    assert worker.repeated == []


def test_the_first_wrong_cases_are_repeated_on_the_same_data(checks):
    """The first wrong cases are repeated on the same data, which shows if the results differ between launches."""
    worker = FakeWorker(noise)
    failed = checks(worker)
    assert worker.repeated == [REPEATS] * REPEATED
    unsteady = [check for check in failed if check.cause == "launches on the same data give different results"]
    assert unsteady == failed[:REPEATED]
    assert {check.reason for check in failed} == {Reason.WRONG_OUTPUT}


def test_a_result_that_is_always_wrong_is_not_called_unsteady(checks):
    """If repeated launches give the same wrong result, the check names the cause of the wrong result."""
    failed = checks(FakeWorker(lambda arrays: -arrays["A"].T))
    assert {check.cause for check in failed} == {"the sign is wrong"}


def test_a_failure_of_the_repeats_leaves_the_result_as_it_was(checks):
    """If the repeated launches fail, the check keeps the result of the first launch."""
    failed = checks(FakeWorker(lambda arrays: -arrays["A"].T, again=TimedOut(doing="running", seconds=1)))
    assert {(check.reason, check.cause) for check in failed} == {(Reason.WRONG_OUTPUT, "the sign is wrong")}


def test_nothing_written_is_not_repeated(checks):
    """A case in which no results were written is not repeated, because there is nothing to compare."""
    worker = FakeWorker(lambda arrays: np.full(arrays["A"].size, POISON, dtype=np.uint32).view(np.float32))
    assert {check.reason for check in checks(worker)} == {Reason.NOT_WRITTEN}
    assert worker.repeated == []


def altered(transposition, cases):
    """Return a built submission for the assignment with these cases."""
    asked = transposition.correctness.model_copy(update={"cases": tuple(cases)})
    assignment = transposition.model_copy(update={"correctness": asked})
    task = Task(assignment=assignment, submission=read_submission(transposition.reference), seed=1)
    return Built(task=task, program=ProgramSource(source=""), bindings=BINDINGS, usage=())


def test_time_limits_of_practice_end_nothing_else(transposition):
    """Time limits are counted separately for practice cases, so that a practice case never prevents another case from
    running.
    """
    cases = [
        case.model_copy(update={"practice": number % 2 == 1})
        for number, case in enumerate(transposition.correctness.cases[: 2 * (TIME_LIMITS + 1)])
    ]
    built, worker = altered(transposition, cases), FakeWorker(TimedOut(doing="running", seconds=1))
    failed = checked(tuple(cases), built, transposition, worker)
    for practice in (False, True):
        reasons = [check.reason for case, check in zip(cases, failed, strict=True) if case.practice is practice]
        assert reasons == [Reason.TIME_LIMIT] * TIME_LIMITS + [Reason.NOT_RUN]


def test_a_worker_hears_of_no_case_but_those_that_it_is_to_run(transposition):
    """A worker does not learn the names or sizes of cases that it does not run. In particular, the session with the
    shown cases has no buffer for a hidden case.
    """
    first, second, *_ = transposition.correctness.cases
    cases = (first, second.model_copy(update={"hidden": True}))
    built = altered(transposition, cases)
    for asked in (built.task.assignment.correctness.shown, built.task.assignment.correctness.hidden):
        worker = FakeWorker(lambda arrays: arrays["A"].T)
        checked(asked, built, transposition, worker)
        assert set(worker.launches) == {case.name for case in asked}
        assert {spec.name.partition(" of ")[2] for spec in worker.plan.buffers} == {case.name for case in asked}


@pytest.mark.parametrize(("kind", "process"), [("cpu", "new"), ("gpu", "used")])
def test_on_a_gpu_cases_leave_their_process_to_what_is_timed(transposition, kind, process):
    """On a GPU, the process that ran the cases is used for timing, too. On a CPU, the kernels run inside this process,
    so it ends after the cases.
    """
    worker, cases = FakeWorker(lambda arrays: arrays["A"].T, kind=kind), transposition.correctness.cases
    checked(cases, altered(transposition, cases), transposition, worker)
    assert worker.plan.process == process


def test_a_case_has_the_same_inputs_whether_or_not_it_is_hidden(transposition):
    """A case has the same inputs whether it is hidden or shown. A grading can therefore be repeated with its seed after
    the hidden cases have been released.
    """
    cases = transposition.correctness.cases[:3]
    seen = []
    for hidden in (False, True):
        asked = tuple(case.model_copy(update={"hidden": hidden}) for case in cases[1:])
        built = altered(transposition, (cases[0], *asked))
        worker = FakeWorker(lambda arrays: (seen.append(arrays["A"].copy()), arrays["A"].T)[1])
        checked(asked, built, transposition, worker)
    assert len(seen) == 4
    for one, other in zip(seen[:2], seen[2:], strict=True):
        assert np.array_equal(one, other)


def test_checks_come_in_the_order_of_the_assignment(transposition):
    """The checks are in the assignment's order of cases, even if shown and hidden cases ran in two workers."""
    cases = [
        case.model_copy(update={"hidden": number % 3 == 1})
        for number, case in enumerate(transposition.correctness.cases)
    ]
    assignment = altered(transposition, cases).task.assignment
    asked = assignment.correctness
    checks = (*unrun_cases(assignment, asked.shown), *unrun_cases(assignment, asked.hidden))
    assert in_order(assignment, checks) == list(unrun_cases(assignment, asked.cases))


def test_what_only_right_kernels_earn_is_forfeited_by_a_failed_case(transposition):
    """A failed case forfeits the points that only correct kernels earn. Other checks are unchanged: the ones that
    failed themselves, practice cases, and memory checks, which are counted in a separate run.
    """
    whole = (
        BUILD,
        check("correctness: one"),
        check("practice: two", kind=Kind.PRACTICE, verdict=Verdict.FAILED, reason=Reason.CRASH),
        check("sanitizer", kind=Kind.SANITIZER),
        check("memory: reads", kind=Kind.MEMORY, verdict=Verdict.FAILED, reason=Reason.EXTRA_TRAFFIC),
        check("memory: coalesced", kind=Kind.MEMORY),
        SPEED,
    )
    assert forfeit(transposition, whole) == whole
    wrong = (*whole[:1], check("correctness: one", verdict=Verdict.FAILED, reason=Reason.WRONG_OUTPUT), *whole[2:])
    left = forfeit(transposition, wrong)
    assert [old == new for old, new in zip(wrong, left, strict=True)] == [True, True, True, False, True, True, False]
    for each in (left[3], left[6]):
        assert (each.verdict, each.points, each.reason) == (Verdict.FAILED, 0, Reason.NOT_RUN)
    assert left[6].performance == SPEED.performance
    assert forfeit(transposition, left) == left


def test_a_hidden_case_that_fails_forfeits_nothing(transposition):
    """A failed hidden case does not forfeit other points, because students would see that before the case is released.
    A failed shown case does.
    """
    first, second, *others = transposition.correctness.cases
    hiding = (first, second.model_copy(update={"hidden": True}), *others)
    asked = transposition.correctness.model_copy(update={"cases": hiding})
    assignment = transposition.model_copy(update={"correctness": asked})
    fault = {"verdict": Verdict.FAILED, "points": 0.0, "reason": Reason.WRONG_OUTPUT}
    shown, hidden, *rest = unrun_cases(assignment, asked.cases)
    hidden_failed = (BUILD, shown, hidden.model_copy(update=fault), *rest, SPEED)
    assert forfeit(assignment, hidden_failed) == hidden_failed
    shown_failed = (BUILD, shown.model_copy(update=fault), hidden, *rest, SPEED)
    assert forfeit(assignment, shown_failed) == (*shown_failed[:-1], FORFEITED.fail(SPEED))


def test_a_wrong_result_in_the_simulator_is_no_news_if_the_kernel_is_wrong_elsewhere(transposition):
    """If a case is wrong on the device, the sanitizer's report of wrong results is replaced by a note that the points
    are forfeited. The report would mean that the results depend on the order of work-items, which is only known for a
    kernel that is right on the device.
    """
    wrong = check("correctness: one", verdict=Verdict.FAILED, reason=Reason.WRONG_OUTPUT)
    said = check("sanitizer", kind=Kind.SANITIZER, verdict=Verdict.FAILED, reason=Reason.WRONG_OUTPUT)
    crashed = check("sanitizer", kind=Kind.SANITIZER, verdict=Verdict.FAILED, reason=Reason.CRASH)
    assert forfeit(transposition, [wrong, said])[1] == FORFEITED.fail(said)
    assert forfeit(transposition, [wrong, crashed])[1] == crashed


def test_cases_that_are_decided_elsewhere_forfeit_nothing(transposition):
    """A case that a student kit does not contain, and that is therefore decided elsewhere, does not forfeit any
    points.
    """
    elsewhere = check("correctness: hidden", verdict=Verdict.SKIPPED, reason=Reason.DECIDED_ELSEWHERE)
    assert forfeit(transposition, [BUILD, elsewhere, SPEED]) == (BUILD, elsewhere, SPEED)
