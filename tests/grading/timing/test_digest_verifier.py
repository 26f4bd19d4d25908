"""digest_verifier.py: keys go out, and digests come back, with fake workers."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from timing_setups import RULES, StrawWorker, at_sizes, begun, fake_setup, one_bit_wrong, one_word_past_the_end

from grader.common.errors import SolutionError
from grader.execution.outcome import Crashed, Fetched
from grader.execution.plan import STUDENT
from grader.grading.explain.problem import Problem
from grader.grading.timing import digest_verifier
from grader.grading.timing.device_data import DIGEST, SUMS, SUPPLY, supply_of
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.measurement import measure
from grader.grading.timing.oracle_verifier import ByOracle
from grader.grading.timing.rounds import Role
from grader.results.verdicts import Reason

pytestmark = pytest.mark.usefixtures("still_kernel")


@pytest.fixture
def small(transposition):
    """Return a transposition of a few words, so that rounds are short."""
    return at_sizes(transposition, height=7, width=5)


class StrawDevice(StrawWorker):
    """A fake worker that generates its inputs from one key, and a digest of its results from another key."""

    def launch(self, script, key=0):
        if script.startswith(supply_of("")):
            a = np.random.default_rng(key).random((7, 5), dtype=np.float32)
            self.arrays = {"A": a, "B": a.T}
        return super().launch(script, key)

    def _fetched(self, name):
        if name != SUMS:
            return super()._fetched(name)
        (script, key), none = self.keys[-1], np.empty(0, np.uint32)
        assert script == DIGEST
        words = hashlib.sha256(str(key).encode() + self.arrays["B"].tobytes()).digest()[:8]
        return Fetched(before=none, payload=np.frombuffer(words, np.uint32), after=none, poison=0)


def on_device(assignment, faults=None, *, log=None, seed=1):
    return fake_setup(assignment, log, None, faults, seed, verifier=ByReference, worker=StrawDevice)


def keys(setup, role):
    """Return the script and the key of each launch that got a key."""
    return [each for each in setup.participants[role].worker.keys if each[1]]


def other_digest(fetched):
    assert set(fetched) == {SUMS}
    return {SUMS: replace(fetched[SUMS], payload=fetched[SUMS].payload ^ np.uint32(1))}


def test_equal_digests_are_right_and_nothing_else_is_fetched(small):
    """Equal digests mean that the results are right. No arrays are fetched, so no time is spent on transferring
    them.
    """
    log = []
    rounds = measure(begun(on_device(small, log=log)), RULES)
    assert len(rounds) == 6
    assert {what for _, request, what in log if request == "fetch"} == {(SUMS,)}
    fetching = [role for role, request, _ in log if request == "fetch"]
    assert {fetching.count(role) for role in Role} == {7}  # all participants have the same number of turns
    asked = [role for role, request, what in log if (request, what) in (("launch", STUDENT), ("launch", DIGEST))]
    assert asked[0::2] == asked[1::2]  # each computes its digest directly after its launch
    assert not [request for _, request, _ in log if request == "stage"]


def test_sessions_are_never_renewed(small):
    """Sessions are never renewed, because launches alternate between several sets of arrays at different places in
    memory anyway.
    """
    log = []
    measure(begun(on_device(small, log=log)), RULES)
    assert [request for _, request, _ in log].count("open") == 3


def test_whatever_a_script_uses_is_poisoned_before_its_inputs_are_made(small):
    """All buffers that a script uses are poisoned before its inputs are generated: its outputs, so that results of
    earlier rounds do not count, and its inputs with their guard bands.
    """
    log = []
    measure(begun(on_device(small, log=log)), RULES)
    mine = [(request, what) for role, request, what in log if role is Role.SUBMISSION][2:]
    maker = supply_of(STUDENT)
    turn = [("launch", maker), ("launch", STUDENT), ("launch", DIGEST), ("fetch", (SUMS,))]
    assert mine == [("clear", ("B", "A", SUMS)), *turn] * 7


def test_keys_are_the_same_for_all_and_others_every_round(small):
    """Each round has two new keys that depend on the seed and are used by all workers. One is for the inputs and the
    other one for the digest.
    """
    setup = on_device(small)
    measure(begun(setup), RULES)
    given, reference = keys(setup, Role.SUBMISSION), keys(setup, Role.REFERENCE)
    assert given == reference
    assert [script for script, _ in given] == [supply_of(STUDENT), DIGEST] * 7
    assert len({key for _, key in given}) == 14
    made = [key for script, key in keys(setup, Role.CONTROL) if script == supply_of(STUDENT)]
    assert made == [key for script, key in given if script == supply_of(STUDENT)]
    again, other = on_device(small), on_device(small, seed=2)
    for each in (again, other):
        measure(begun(each), RULES)
    assert keys(again, Role.SUBMISSION) == given
    assert not {key for _, key in keys(other, Role.SUBMISSION)} & {key for _, key in given}


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        (one_bit_wrong, Reason.WRONG_OUTPUT, "1 of 35 elements of B is wrong; the first is B[0][3]"),
        (
            one_word_past_the_end,
            Reason.OUT_OF_BOUNDS,
            "memory outside `B` was changed, starting 1 element past its end",
        ),
        (lambda fetched: fetched, Reason.CRASH, "the digest of its results is not that of what it returns"),
    ],
)
def test_where_digests_differ_all_results_tell_why(small, change, reason, words):
    """If the digests differ, all results are fetched to find the reason. If these results are right, the worker
    computed its digest from something else, and the problem is a crash.
    """
    faults = {("fetch", 5): other_digest, ("fetch", 6): change}
    problem = measure(begun(on_device(small, {Role.SUBMISSION: faults})), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is reason
    assert problem.message.startswith("in timed run 5, ")
    assert words in f"{problem.message} {problem.detail}"


ASKED = ["clear", f"launch {supply_of(STUDENT)}", f"launch {STUDENT}", f"launch {DIGEST}", "fetch"]
CRASH = Crashed(signal=11, exit_code=None, words="")


@pytest.mark.parametrize("asked", ASKED)
def test_a_failure_of_the_submission_is_the_students(small, asked):
    """A failure of the submission's worker is a problem of the student in every request, because damage by a kernel may
    only show later.
    """
    problem = measure(begun(on_device(small, {Role.SUBMISSION: {(asked, 3): CRASH}})), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is Reason.CRASH


@pytest.mark.parametrize("asked", ASKED)
def test_a_failure_of_the_reference_is_ours(small, asked):
    """A failure of the reference worker raises SolutionError, so that no student loses points for it."""
    with pytest.raises(SolutionError, match="submissions are timed against failed"):
        measure(begun(on_device(small, {Role.REFERENCE: {(asked, 3): CRASH}})), RULES)


def test_a_reference_that_fails_when_a_difference_is_explained_is_ours_as_well(small):
    """If the reference worker fails while the reason for different digests is sought, SolutionError is raised, because
    the submission may be right.
    """
    faults = {Role.SUBMISSION: {("fetch", 3): other_digest}, Role.REFERENCE: {("fetch", 4): CRASH}}
    with pytest.raises(SolutionError, match="submissions are timed against failed"):
        measure(begun(on_device(small, faults)), RULES)


def test_only_a_contest_on_a_device_needs_kernels_of_its_own(small):
    """Verification by the reference needs kernels that generate data. Verification by the oracle needs none, and shares
    arrays with the worker on a CPU.
    """
    by_oracle, by_reference = fake_setup(small).verifier, on_device(small).verifier
    assert (type(by_oracle), type(by_reference)) == (ByOracle, ByReference)
    plan = fake_setup(small).participants[Role.SUBMISSION].plan
    assert by_oracle.programs(plan) == {}
    assert by_oracle.prepare(plan) == replace(plan, arrays="shared")
    prepared = by_reference.prepare(plan)
    assert set(by_reference.programs(prepared)) == {SUPPLY}
    assert set(prepared.scripts) == {STUDENT, supply_of(STUDENT), DIGEST}
    assert prepared.scripts[STUDENT] == plan.scripts[STUDENT]


def test_arrays_that_are_made_before_the_submissions_steps_are_not_compared(course, monkeypatch):
    """Arrays that are computed before the submission's steps are not compared, because the submission does not return
    them. In a timed run, results may be wrong even though all cases were right, for example because a variable has no
    value.
    """
    setup = on_device(at_sizes(course.load("coalsProgrm"), height=3, width=2), {})

    def results(_, participant):
        value = 0 if participant is setup.participants[Role.REFERENCE] else 1
        array = np.full(6, value, np.float32).view(np.uint32)
        fetched = Fetched(payload=array, before=array[:0], after=array[:0], poison=None)
        return dict.fromkeys(participant.judged.outputs, fetched)

    monkeypatch.setattr(digest_verifier, "results_of", results)
    participants = setup.participants
    problem = setup.verifier.inputs(0)._explain(participants[Role.SUBMISSION], participants[Role.REFERENCE])
    assert "Atr" not in participants[Role.SUBMISSION].judged.outputs
    assert problem.reason is Reason.WRONG_OUTPUT
    assert "elements of Btr are wrong" in problem.message
