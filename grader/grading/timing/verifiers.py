"""Inputs of timed rounds, and the verification of every timed result.

    ByOracle      the judge generates the inputs, sends them to every worker, and compares every word with the oracle
    ByReference   the device generates the inputs from a secret key; a digest of the results must equal the digest of
                  the model solution, or of the baseline in a student kit

The oracle is used on a CPU, because its driver runs kernels inside the worker's process, where native code could read a
key, and the arrays are small. The reference is used on a GPU, because its kernels reach only the device's memory, and
launches that are worth timing move hundreds of megabytes.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from grader.common.errors import SolutionError
from grader.course.assignment import Timed
from grader.course.criteria import DeviceClass, Sizes
from grader.course.expressions import evaluate
from grader.course.speed_goals import device_class
from grader.course.truth.comparators import Standard
from grader.course.truth.comparison import compare
from grader.course.truth.oracle import Oracle, Truth
from grader.execution.outcome import Fetched, Garbled, Took
from grader.execution.plan import STUDENT, Plan, going_on
from grader.grading.checks.compiler_failures import timed_open
from grader.grading.checks.inspection import Trial, as_array, inspect, make_trial, stray_write
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem, of_failure, of_mismatch
from grader.grading.rules import TimingRules
from grader.grading.timing.device_data import DIGEST, SUMS, SUPPLY, of_set, sets_of, supplied, supply_of, supply_program
from grader.grading.timing.participants import Participant, Participants, Role
from grader.grading.timing.rounds import Clocked
from grader.protocol.messages import BuildFailed, DeviceFacts
from grader.protocol.steps import ProgramSource

ROUND_KEY, WARM_UP_KEY = 1, 3
"""Keys of the inputs of timed rounds, and of the warm-up if the device makes them. Inputs of cases have the key 0
(checks/correctness.py), and inputs of simulated runs have the key 2 (checks/simulated_run.py).
"""

MAKERS = 4
"""Number of threads that make inputs before the timed rounds. The oracle may need gigabytes in each of them."""

Results = dict[str, Fetched]
"""The results of a worker, by the names of buffers."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A run of the student's steps. `steps` contains the time of each step in seconds by the device's clock, and
    `delay` is the time of waiting for a processor. `clocked` contains the times by the worker's clock, if the judge
    accepts them. `results` came with the worker's answer.
    """

    steps: tuple[float, ...]
    delay: float
    clocked: Clocked | None
    results: Results

    @property
    def by_device(self) -> float:
        """Seconds of all steps together."""
        return sum(self.steps)


class RoundInputs(Protocol):
    """The inputs of one round, and their expected results. The judge times `run`. If a worker fails, methods raise
    FailedError.
    """

    @property
    def judged(self) -> tuple[Role, ...]:
        """The roles of the participants whose results are needed."""

    def script(self, name: str) -> str:
        """The name of the plan's script that works on these inputs."""

    def prepare(self, participant: Participant, script: str) -> None:
        """Poison the outputs of a script of the plan. This does not reveal anything about the inputs to the worker."""

    def supply(self, participant: Participant, script: str) -> None:
        """Upload or generate the inputs of a script whose results are not judged."""

    def run(self, participant: Participant) -> Ran:
        """Supply the inputs, run the student's steps, and take all results that could still be changed later."""

    def take(self, participant: Participant) -> Results:
        """Fetch the results that `run` has not returned."""

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Return the problem of the submission's results; None if they are right."""


class ResultVerifier(Protocol):
    """Generates the inputs of every round, and verifies the results."""

    @property
    def task(self) -> "TimingTask":
        """The task whose rounds are verified."""

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:
        """The kernels of grader that a participant's session needs for the plan."""

    def prepare(self, plan: Plan) -> Plan:
        """Add the buffers and scripts that the verification needs to the plan."""

    def session_pairs(self, rules: TimingRules) -> int | None:
        """Number of pairs after which all sessions are opened again; None if this is not needed."""

    def prepared(self, rounds: int) -> "ResultVerifier":
        """Return a verifier that has already made the inputs of this many rounds, if making them takes long."""

    def warm_up(self, number: int) -> RoundInputs:
        """Return the inputs of a round that does not count. They may be the same in all of these rounds."""

    def inputs(self, number: int) -> RoundInputs:
        """Return the inputs of a round that counts. No other round has them."""


@dataclass(frozen=True, kw_only=True)
class TimingTask:
    """An assignment at the timed sizes of a device, with the seed of its inputs."""

    assignment: Timed
    oracle: Oracle
    sizes: Sizes
    device: DeviceFacts
    seed: int


@dataclass(frozen=True)
class ByOracle:
    """Verifier that uses random inputs from the judge, and compares the results with the oracle."""

    task: TimingTask
    made: tuple[RoundInputs, ...] = field(default=(), repr=False)
    """The inputs of the warm-up and of the first rounds that count."""

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:  # noqa: ARG002 - the oracle needs no kernels
        """Return no kernels, because the judge generates the inputs and compares the results."""
        return {}

    def prepare(self, plan: Plan) -> Plan:
        """Share the arrays with the worker of a CPU, and start each session in a new process. Kernels run in that
        process. If it copied arrays before and after a launch, the copying would not be timed. In a used process,
        buffers would have the same addresses as in the session before.
        """
        if device_class(self.task.device) == "cpu":
            return replace(plan, arrays="shared")
        return going_on(plan, self.task.device)

    def session_pairs(self, rules: TimingRules) -> int | None:
        """The number from the rules. New sessions have other addresses, so that no single placement in caches decides
        alone.
        """
        return rules.session_pairs

    def prepared(self, rounds: int) -> "ByOracle":
        """Make the inputs of the warm-up and of these rounds if the device is a GPU. At its sizes, a processor needs up
        to 8 s for a round, and no other grading can use the GPU during the timed rounds.
        """
        if device_class(self.task.device) == "cpu":
            return self
        with threadpool_limits(limits=1), ThreadPoolExecutor(MAKERS) as makers:
            return replace(self, made=tuple(makers.map(self._random, range(1 + rounds))))

    def warm_up(self, number: int) -> RoundInputs:  # noqa: ARG002 - one round's inputs are enough
        """Return the same random inputs and expected results for all rounds of the warm-up."""
        return self._random(0)

    def inputs(self, number: int) -> RoundInputs:
        """Return random inputs and their expected results."""
        return self._random(1 + number)

    def _random(self, number: int) -> RoundInputs:
        if number < len(self.made):
            return self.made[number]
        task = self.task
        key = (task.seed, ROUND_KEY, number)
        return OracleInputs(make_trial(task.assignment, task.oracle, task.sizes, "random", key))


@dataclass(frozen=True)
class OracleInputs:
    """Inputs and expected results that are in the judge's memory."""

    trial: Trial

    def script(self, name: str) -> str:
        """The unchanged name, because there is only one set of buffers."""
        return name

    @property
    def judged(self) -> tuple[Role, ...]:
        """Only the role of the submission, because the judge has the expected results."""
        return (Role.SUBMISSION,)

    def prepare(self, participant: Participant, script: str) -> None:
        """Send the arrays. A worker that shares them sees them at the launch."""
        unwrap(participant.worker.session.stage(script, self.trial.arrays))

    def supply(self, participant: Participant, script: str) -> None:
        """No-op, because `prepare` has already sent the inputs."""

    def run(self, participant: Participant) -> Ran:
        """Run the student's steps. Shared results are not returned because the judge reads them before they
        can change.
        """
        if participant.plan.arrays == "shared":
            timing = unwrap(participant.worker.session.launch(STUDENT))
            steps = tuple(step.seconds for step in timing.steps)
            return Ran(steps=steps, delay=timing.delay, clocked=None, results={})
        return _ran(unwrap(participant.worker.session.turn({STUDENT: 0}, participant.judged.outputs)), 0)

    def take(self, participant: Participant) -> Results:
        """Read the shared results."""
        return _results(self, participant) if participant.plan.arrays == "shared" else {}

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Compare the submission's results with the results of the oracle."""
        submission = Role.SUBMISSION
        return inspect(self.trial, participants[submission].judged, results[submission])


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

    def prepared(self, rounds: int) -> "ByReference":  # noqa: ARG002 - keys are made at once
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
        return _ran(unwrap(participant.worker.session.turn(keys, (of_set(SUMS, self.set),))), len(made))

    def take(self, participant: Participant) -> Results:  # noqa: ARG002 - no results are left
        """Return no results, because `run` has already returned the digest."""
        return {}

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Compare the digest of the submission with the digest of the reference."""
        right, got = (results[role][of_set(SUMS, self.set)].payload.tobytes() for role in self.judged)
        return None if got == right else self._explain(participants[Role.SUBMISSION], participants[Role.REFERENCE])

    def _explain(self, submission: Participant, reference: Participant) -> Problem:
        """Fetch all results, and find where the submission and the reference differ."""
        try:
            with blaming(Role.REFERENCE):
                right = _results(self, reference)
            got = _results(self, submission)
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


VERIFIERS: dict[DeviceClass, Callable[[TimingTask], ResultVerifier]] = {"cpu": ByOracle, "gpu": ByReference}


def verifier_for(task: TimingTask) -> ResultVerifier:
    """Return the verifier that the assignment asks for, or else the usual verifier of the device."""
    kind = "cpu" if task.assignment.speed_goals.verifier == "oracle" else device_class(task.device)
    return VERIFIERS[kind](task)


def _ran(took: Took, number: int) -> Ran:
    """The run of the launch with this number in a turn. The clock of the worker counts."""
    clocked = Clocked(waited=took.waits[number], took=sum(took.waits))
    return Ran(steps=took.steps[number], delay=0.0, clocked=clocked, results=took.results)


def _results(inputs: RoundInputs, participant: Participant) -> Results:
    """Fetch all outputs of the student's steps, by their names in the assignment."""
    fetched = unwrap(participant.worker.session.fetch(participant.plan.scripts[inputs.script(STUDENT)].outputs))
    return dict(zip(participant.judged.outputs, fetched.values(), strict=True))


@contextmanager
def blaming(role: Role) -> Iterator[None]:
    """Attribute a failure in this block to the submission, or raise it as a SolutionError if grader's own kernels
    failed.
    """
    try:
        yield
    except FailedError as failed:
        if role is Role.SUBMISSION:
            raise timed_open(failed) from failed
        raise _failed_solution(failed) from failed


def _failed_solution(failed: FailedError) -> SolutionError:
    message = failed.problem.message
    if isinstance(failed.why, BuildFailed):
        return SolutionError(f"the {failed.why.program} of the assignment does not build: {message}")
    return SolutionError(f"the kernel that submissions are timed against failed: {message}")
