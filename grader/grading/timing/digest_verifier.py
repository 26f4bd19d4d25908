"""Verification by digests: the device generates the inputs, and the results must equal the results of a reference."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grader.course.expressions import evaluate
from grader.course.truth.comparators import Standard
from grader.course.truth.comparison import compare
from grader.course.truth.oracle import Truth
from grader.execution.outcome import Fetched, Garbled
from grader.execution.plan import STUDENT, Plan, going_on
from grader.grading.checks.trials.inspection import stray_write
from grader.grading.checks.trials.trial import as_array
from grader.grading.explain.failures import FailedError, of_failure, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.explain.wrong_arrays import of_mismatch
from grader.grading.rules import TimingRules
from grader.grading.timing.device_data import DIGEST, SUMS, SUPPLY, of_set, sets_of, supplied, supply_of, supply_program
from grader.grading.timing.rounds import Participant, Participants, Role
from grader.grading.timing.verifiers import (
    ROUND_KEY,
    WARM_UP_KEY,
    Ran,
    Results,
    RoundInputs,
    TimingTask,
    blaming,
    ran,
    results_of,
)
from grader.protocol.steps import ProgramSource


@dataclass(frozen=True)
class ByReference:
    """Verifier that uses whole numbers or bit patterns generated on the device. Results must equal the model
    solution's. `grader selftest` verifies the model solution with the correctness cases and, at these sizes, with the
    baseline.
    """

    task: TimingTask

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:
        """The kernels of grader that generate inputs and compute digests."""
        return {SUPPLY: supply_program(plan)}

    def prepare(self, plan: Plan) -> Plan:
        """Add scripts for inputs and digests, in several sets of arrays. Processes of earlier gradings, or of the
        submission's cases, may be reused because each round uses different addresses in memory.
        """
        return going_on(supplied(self.task.assignment, plan, self._sets), self.task.device)

    def session_pairs(self, rules: TimingRules) -> int | None:  # noqa: ARG002 - there is no rule for it
        """None, because each round uses another set of arrays at other addresses."""
        return None

    def prepared(self, rounds: int) -> "ByReference":  # noqa: ARG002 - making keys takes no time
        """Return this verifier, because the device makes the inputs."""
        return self

    def warm_up(self, number: int) -> RoundInputs:
        """Return two new keys and the next set of arrays."""
        return self._keys(WARM_UP_KEY, number)

    def inputs(self, number: int) -> RoundInputs:
        """Return two new keys and the next set of arrays."""
        return self._keys(ROUND_KEY, number)

    def _keys(self, kind: int, number: int) -> RoundInputs:
        words = np.random.SeedSequence((self.task.seed, kind, number)).generate_state(2, np.uint64)
        turn = number % len(self.task.assignment.speed_goals.integers)
        return DeviceInputs(self.task, number % self._sets, turn, input_key=int(words[0]), digest_key=int(words[1]))

    @property
    def _sets(self) -> int:
        task = self.task
        moved = evaluate(task.assignment.speed_goals.bytes, task.assignment.names(task.sizes))
        return sets_of(moved, task.device)


@dataclass(frozen=True)
class DeviceInputs:
    """The keys of a round, one for the inputs and one for the digest of the results."""

    task: TimingTask
    set: int
    turn: int
    input_key: int
    digest_key: int

    def script(self, name: str) -> str:
        """The name in the set of buffers of this round."""
        return of_set(name, self.set)

    @property
    def judged(self) -> tuple[Role, ...]:
        """The roles of the reference and the submission, whose digests must be equal."""
        return (Role.REFERENCE, Role.SUBMISSION)

    def prepare(self, participant: Participant, script: str) -> None:
        """Poison all buffers of the script and of the digest."""
        used = participant.plan.scripts[self.script(script)].buffers
        unwrap(participant.worker.session.clear((*used, of_set(SUMS, self.set))))

    def supply(self, participant: Participant, script: str) -> None:
        """Launch the kernels that generate the inputs from the key on the device."""
        if participant.plan.scripts[self.script(script)].uploads:
            unwrap(participant.worker.session.launch(self.script(supply_of(script, self.turn)), self.input_key))

    def run(self, participant: Participant) -> Ran:
        """Generate the inputs, run the student's steps, and fetch the digest, which depends on all results."""
        student = self.script(STUDENT)
        makes = {self.script(supply_of(STUDENT, self.turn)): self.input_key}
        made = makes if participant.plan.scripts[student].uploads else {}
        keys = {**made, student: 0, self.script(DIGEST): self.digest_key}
        return ran(unwrap(participant.worker.session.turn(keys, (of_set(SUMS, self.set),))), len(made))

    def take(self, participant: Participant) -> Results:  # noqa: ARG002 - no results are left
        """Return no results, because `run` has already returned the digest."""
        return {}

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Compare the digest of the submission with the digest of the reference."""
        right, got = (results[role][of_set(SUMS, self.set)].payload.tobytes() for role in self.judged)
        return None if got == right else self._explain(participants[Role.SUBMISSION], participants[Role.REFERENCE])

    def _explain(self, submission: Participant, reference: Participant) -> Problem:
        """Fetch all results, and find where the submission and the reference differ. The submission's worker may be
        frozen, because its turn may not have been the last in this round.
        """
        submission.worker.thaw()
        try:
            with blaming(Role.REFERENCE):
                right = results_of(self, reference)
            got = results_of(self, submission)
        except FailedError as failed:
            return failed.problem
        return (
            stray_write(got)
            or next(filter(None, (self._difference(name, got[name], right[name]) for name in self._judged(got))), None)
            or of_failure(Garbled(what="the digest of its results is not that of what it returns"))
        )

    def _judged(self, got: Results) -> list[str]:
        """Names of the arrays that are compared. Arrays that are not judged or were not fetched are left out."""
        return [name for name, buffer in self.task.assignment.buffers.items() if buffer.is_judged and name in got]

    def _difference(self, name: str, got: Fetched, right: Fetched) -> Problem | None:
        assignment = self.task.assignment
        truth = Truth(value=as_array(assignment, name, right, self.task.sizes))
        standard = Standard(tolerance=assignment.tolerance_of(name), amount=0.0, data="integers")
        mismatch = compare(name, as_array(assignment, name, got, self.task.sizes), truth, standard)
        return None if mismatch is None else of_mismatch(mismatch)
