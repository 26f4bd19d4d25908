"""oracle_verifier.py: the judge makes, sends and compares everything, with fake workers."""

from dataclasses import replace

import numpy as np
import pytest
from samples import DEVICE
from timing_setups import RULES, at_sizes, before_its_end, begun, fake_setup, one_bit_wrong, one_word_past_the_end

from grader.execution.plan import STUDENT
from grader.grading.explain.problem import Problem
from grader.grading.timing.measurement import measure
from grader.grading.timing.oracle_verifier import END, ByOracle
from grader.grading.timing.rounds import Role
from grader.grading.timing.timing_setup import timing_task
from grader.results.verdicts import Reason

pytestmark = pytest.mark.usefixtures("still_kernel")


@pytest.fixture
def small(transposition):
    """Return a transposition of a few words, so that rounds are short."""
    return at_sizes(transposition, height=7, width=5)


def test_every_counted_round_has_its_own_inputs(small):
    """Every round that counts has new inputs, and all workers of a round get the same ones. Only the warm-up at the
    start of each of the two sessions uses the same inputs again.
    """
    setup = fake_setup(small)
    seen = []
    for role, participant in setup.participants.items():
        stage = participant.worker.stage

        def spying_stage(script, arrays, role=role, stage=stage):
            if script == STUDENT:
                seen.append((role, arrays["A"].tobytes()))
            return stage(script, arrays)

        participant.worker.stage = spying_stage
    measure(begun(setup), RULES)
    rounds = [seen[start : start + 3] for start in range(0, len(seen), 3)]
    assert len(rounds) == 8
    assert all({role for role, _ in each} == set(Role) for each in rounds)
    assert all(len({inputs for _, inputs in each}) == 1 for each in rounds)
    counted = {each[0][1] for each in (*rounds[1:4], *rounds[5:])}
    assert len(counted) == 6
    assert rounds[0][0][1] == rounds[4][0][1] not in counted


def test_inputs_for_a_gpu_are_made_before_its_timed_rounds(small):
    """At the sizes of a GPU, the oracle takes seconds, so warm-up and counted rounds use results that exist already.
    These equal the results that the rounds would make.
    """
    task = timing_task(small, DEVICE, seed=3)
    calls = []

    def expected(**arrays):
        calls.append(arrays["A"].tobytes())
        return task.oracle.expected(**arrays)

    observed = replace(task, oracle=replace(task.oracle, expected=expected))
    on_gpu = ByOracle(replace(observed, device=DEVICE.model_copy(update={"type": "gpu"})))
    ready = on_gpu.prepared(5)
    assert len(calls) == 6
    rounds = [ready.warm_up(0), ready.warm_up(1), *map(ready.inputs, range(5))]
    assert len(calls) == 6
    assert len({each.trial.inputs["A"].tobytes() for each in rounds}) == 6
    late = on_gpu.inputs(4)
    assert np.array_equal(late.trial.inputs["A"], rounds[-1].trial.inputs["A"])
    assert ready.inputs(5).trial.inputs["A"].tobytes() not in calls[:6]


def test_the_inputs_come_from_the_seed(small):
    """The inputs depend only on the seed. Equal seeds give equal inputs, and different seeds give different inputs."""

    def inputs(seed):
        setup = fake_setup(small, seed=seed)
        measure(begun(setup), RULES)
        return setup.participants[Role.SUBMISSION].worker.arrays["A"].tobytes()

    assert inputs(1) == inputs(1) != inputs(2)


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        (one_bit_wrong, Reason.WRONG_OUTPUT, "1 of 35 elements of B is wrong; the first is B[0][3]"),
        (
            one_word_past_the_end,
            Reason.OUT_OF_BOUNDS,
            "memory outside `B` was changed, starting 1 element past its end",
        ),
    ],
)
def test_one_wrong_bit_in_one_timed_run_is_found_and_its_run_is_named(small, change, reason, words):
    """A single wrong bit in one timed run is found, and the message names the run. Every timed output is verified, so
    that a kernel cannot compute wrong results only when it is timed.
    """
    problem = measure(begun(fake_setup(small, faults={Role.SUBMISSION: {("fetch", 5): change}})), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is reason
    assert problem.message.startswith("in timed run 5, ")
    assert words in f"{problem.message} {problem.detail}"


def test_results_that_are_taken_before_the_end_of_a_launch_are_refused(small):
    """On a GPU, the number of grader's kernel is missing if a kernel only pretends that it and grader's kernel have
    ended. Then the results do not count, even if they are right.
    """
    faults = {Role.SUBMISSION: {("fetch", 4): before_its_end}}
    setup = fake_setup(small, faults=faults, device=DEVICE.model_copy(update={"type": "gpu"}))
    problem = measure(begun(setup), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is Reason.CRASH
    assert problem.message == (
        "in timed run 4, the process that ran the kernel misbehaved: the kernel was still running after its reported "
        "end."
    )


def test_numbers_of_the_end_are_secret_and_new_in_each_round(small):
    """The kernel that runs after the student's steps stores another number in each round that counts. All workers get
    this number.
    """
    setup = fake_setup(small, device=DEVICE.model_copy(update={"type": "gpu"}))
    measure(begun(setup), RULES)
    keys = {role: [key for name, key in each.worker.keys if name == END] for role, each in setup.participants.items()}
    assert len({tuple(each) for each in keys.values()}) == 1
    assert len(set(keys[Role.SUBMISSION])) == 7
    assert min(keys[Role.SUBMISSION]) > 2**32
