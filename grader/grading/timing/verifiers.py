"""Inputs of timed rounds, and the verification of every timed result.

    ByOracle      the judge generates the inputs, sends them to every worker, and compares every word with the oracle
                  (oracle_verifier.py)
    ByReference   the device generates the inputs from a secret key; a digest of the results must equal the digest of
                  the model solution, or of the baseline in a student kit (digest_verifier.py)

The oracle is used on a CPU, because its driver runs kernels inside the worker's process, where native code could read a
key, and the arrays are small. The reference is used on a GPU, because its kernels reach only the device's memory, and
launches that are worth timing move hundreds of megabytes.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from grader.common.errors import SolutionError
from grader.course.assignment import Timed
from grader.course.criteria import Sizes
from grader.course.truth.oracle import Oracle
from grader.execution.outcome import Fetched, Took
from grader.execution.plan import STUDENT, Plan
from grader.grading.checks.causes.compiler_failures import timed_open
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.rounds import Clocked, Participant, Participants, Role
from grader.protocol.messages import BuildFailed, DeviceFacts
from grader.protocol.steps import ProgramSource

ROUND_KEY, WARM_UP_KEY, END_KEY = 1, 3, 4
"""Keys of the inputs of timed rounds, of the inputs of the warm-up if the device makes them, and of the numbers that
show the end of a launch. Inputs of cases have the key 0 (checks/correctness.py), and inputs of simulated runs have the
key 2 (simulated_run.py).
"""

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
        """Return a verifier that has already made the inputs of this many rounds, if they take long to make."""

    def warm_up(self, number: int) -> RoundInputs:
        """Return the inputs of a round that does not count. All such rounds may have the same inputs."""

    def inputs(self, number: int) -> RoundInputs:
        """Return the inputs of a round that counts. No other round has the same inputs."""


@dataclass(frozen=True, kw_only=True)
class TimingTask:
    """An assignment at the timed sizes of a device, with the seed of its inputs."""

    assignment: Timed
    oracle: Oracle
    sizes: Sizes
    device: DeviceFacts
    seed: int


def ran(took: Took, number: int) -> Ran:
    """The run of the launch with this number in a turn, timed by the worker's clock. The turn ends when the first
    buffer is fetched. The last kernel of the turn, which belongs to grader, has made its content. If the content is
    right, all earlier kernels have ended, so the time of further buffers cannot hide work.
    """
    clocked = Clocked(waited=took.waits[number], took=sum(took.waits[: len(took.steps) + 1]))
    return Ran(steps=took.steps[number], delay=0.0, clocked=clocked, results=took.results)


def results_of(inputs: RoundInputs, participant: Participant) -> Results:
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
