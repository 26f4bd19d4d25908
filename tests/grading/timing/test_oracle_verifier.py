"""oracle_verifier.py: the judge makes, sends and compares everything, with fake workers."""

import pytest
from timing_setups import RULES, at_sizes, begun, fake_setup, one_bit_wrong, one_word_past_the_end

from grader.execution.plan import STUDENT
from grader.grading.explain.problem import Problem
from grader.grading.timing.measurement import measure
from grader.grading.timing.participants import Role
from grader.results.check import Reason

pytestmark = pytest.mark.usefixtures("still_kernel")


@pytest.fixture
def small(transposition):
    """Return a transposition of a few words, so that rounds are short."""
    return at_sizes(transposition, height=7, width=5)


def test_every_round_has_inputs_of_its_own_and_the_same_for_all(small):
    """Every round has new inputs, and all workers of a round get the same ones."""
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
    assert len({each[0][1] for each in rounds}) == 8


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
        (one_word_past_the_end, Reason.OUT_OF_BOUNDS, "memory outside B was changed, starting 1 element past its end"),
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
