"""cases.py: which cases are launched again, and what comes of it."""

from collections import Counter

import numpy as np
import pytest

from grader.building import Built
from grader.cases import PATIENCE, REPEATED, REPEATS, check_cases
from grader.checking import POISON
from grader.oracle import load_oracle
from grader.outcome import Fetched, TimedOut
from grader.plan import Binding
from grader.protocol import Opened
from grader.result import Reason, Verdict
from grader.steps import Program
from grader.submission import read_submission
from grader.task import Task

BINDINGS = {"coalsTransp": Binding(name="coalsTransp", takes_local=False)}


class FakeWorker:
    """Makes of the first launch of a case what `make` says, and of repeats what `again` says; counts these by case."""

    def __init__(self, make, again=None):
        self.make = make
        self.again = again or make
        self.launches = Counter()

    def open(self, plan):
        self.plan = plan
        return Opened(kernels=())

    def close(self):
        pass

    def run(self, name, arrays):
        self.launches[name] += 1
        act = self.make if self.launches[name] == 1 else self.again
        return act if isinstance(act, TimedOut) else fetched(self.plan, name, arrays, act)

    @property
    def repeated(self):
        return [launches - 1 for launches in self.launches.values() if launches > 1]


def fetched(plan, case, arrays, make):
    """Buffers with whole guard bands; the output holds what is made of the inputs."""
    inputs = {name.removesuffix(f" of {case}"): array for name, array in arrays.items()}
    contents = {f"A of {case}": inputs["A"], f"B of {case}": make(inputs)}
    buffers = {}
    for spec in plan.buffers:
        if spec.name in contents:
            band = np.full(spec.guard // 4, spec.poison, dtype=np.uint32)
            payload = np.ascontiguousarray(contents[spec.name], dtype=np.float32).reshape(-1).view(np.uint32)
            buffers[spec.name] = Fetched(before=band, payload=payload, after=band, poison=spec.poison)
    return buffers


def noise(arrays):
    """Another result in every launch."""
    return np.random.default_rng().random(arrays["A"].size)


@pytest.fixture
def checks(transposition):
    """The checks that a worker leads to."""
    task = Task(assignment=transposition, submission=read_submission(transposition.reference), seed=1)
    built = Built(task=task, program=Program(source=""), bindings=BINDINGS, usage=())
    return lambda worker: list(check_cases(built, load_oracle(transposition), worker))


def test_right_results_are_not_repeated(checks):
    """A right submission is launched once a case."""
    worker = FakeWorker(lambda arrays: arrays["A"].T)
    assert all(check.verdict is Verdict.PASSED for check in checks(worker))
    assert worker.repeated == []


def test_the_first_wrong_cases_are_repeated_on_the_same_data(checks):
    """So that a result which differs between launches is told from one that is always wrong."""
    worker = FakeWorker(noise)
    failed = checks(worker)
    assert worker.repeated == [REPEATS] * REPEATED
    unsteady = [check for check in failed if check.cause == "launches on the same data give different results"]
    assert unsteady == failed[:REPEATED]
    assert {check.reason for check in failed} == {Reason.WRONG_OUTPUT}


def test_a_result_that_is_always_wrong_is_not_called_unsteady(checks):
    """Repeats that agree change nothing."""
    failed = checks(FakeWorker(lambda arrays: -arrays["A"].T))
    assert {check.cause for check in failed} == {"the sign is wrong"}


def test_a_failure_of_the_repeats_leaves_the_result_as_it_was(checks):
    """The first launch has come to an end; that others do not is no news about it."""
    failed = checks(FakeWorker(lambda arrays: -arrays["A"].T, again=TimedOut(doing="running", seconds=1)))
    assert {(check.reason, check.cause) for check in failed} == {(Reason.WRONG_OUTPUT, "the sign is wrong")}


def test_nothing_written_is_not_repeated(checks):
    """There is nothing to compare."""
    worker = FakeWorker(lambda arrays: np.full(arrays["A"].size, POISON, dtype=np.uint32).view(np.float32))
    assert {check.reason for check in checks(worker)} == {Reason.NOT_WRITTEN}
    assert worker.repeated == []


def test_time_limits_of_practice_and_of_hidden_cases_end_nothing_else(transposition):
    """Each sort has a patience of its own, so that no other case shows how they went."""
    sorts = ({}, {"practice": True}, {"hidden": True})
    old = transposition.correctness.cases
    cases = tuple(
        case.model_copy(update=sorts[number % 3]) for number, case in enumerate(old[: 3 * (PATIENCE + 1)], start=1)
    )
    asked = transposition.correctness.model_copy(update={"cases": cases})
    assignment = transposition.model_copy(update={"correctness": asked})
    task = Task(assignment=assignment, submission=read_submission(transposition.reference), seed=1)
    built = Built(task=task, program=Program(source=""), bindings=BINDINGS, usage=())
    worker = FakeWorker(TimedOut(doing="running", seconds=1))
    failed = list(check_cases(built, load_oracle(assignment), worker))
    for sort in ((False, False), (True, False), (False, True)):
        reasons = [
            check.reason for case, check in zip(cases, failed, strict=True) if (case.practice, case.hidden) == sort
        ]
        assert reasons == [Reason.TIME_LIMIT] * PATIENCE + [Reason.NOT_RUN]
