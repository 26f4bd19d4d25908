"""Where the data of timed rounds come from, and what results are compared with.

    ByOracle      made by the judge, sent to every worker; every word that comes back is held against NumPy's
    ByReference   made on the device from a key of the judge's; a digest is held against the model solution's,
                  in a student kit against the baseline's

A CPU driver runs kernels inside the worker's process, where native code of theirs could do as it likes with a key, and
arrays are small there: so there it is the oracle. A GPU's kernels reach nothing but the device's memory, and launches
worth timing move hundreds of megabytes: there it is the reference.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from grader.common.errors import SolutionError
from grader.course.assignment import Timed
from grader.course.expressions import evaluate
from grader.course.rubric import DeviceClass, Sizes
from grader.course.truth.comparison import Standard, compare
from grader.course.truth.oracle import Oracle, Truth
from grader.execution.device import device_class
from grader.execution.outcome import Fetched, Garbled, Took
from grader.execution.plan import STUDENT, Plan, going_on
from grader.grading.checks.compiler_failures import timed_open
from grader.grading.checks.inspection import Trial, as_array, inspect, make_trial, stray_write
from grader.grading.explain.failures import FailedError, returns_problem, unwrap
from grader.grading.explain.problem import Problem, of_failure, of_mismatch
from grader.grading.rules import TimingRules
from grader.grading.timing.contestant import Contestant, Contestants, Role
from grader.grading.timing.device_data import DIGEST, SUMS, SUPPLY, of_set, sets_of, supplied, supply_of, supply_program
from grader.grading.timing.rounds import Clocked
from grader.protocol.messages import BuildFailed, DeviceFacts
from grader.protocol.steps import ProgramSource

ROUND_KEY = 1
"""Tells the inputs of timed rounds from those of cases, which have the key 0 (checks/correctness.py)."""

Results = dict[str, Fetched]
"""What a worker has returned, by names of buffers."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What came of the student's steps: seconds by the device's clock, how many of them it waited for a processor, what
    is by the worker's clock where that is believed, and what was returned with them.
    """

    by_device: float
    delay: float
    clocked: Clocked | None
    results: Results


class RoundData(Protocol):
    """The data of one round. What a worker is asked by `run` is what the judge times; what it fails in is raised as a
    FailedError.
    """

    @property
    def judged(self) -> tuple[Role, ...]:
        """Whose results are taken."""

    def script(self, name: str) -> str:
        """What a script of the plan is called that works on them."""

    def prepare(self, contestant: Contestant, script: str) -> None:
        """Nothing in the outputs of a script of the plan; what is done here tells a worker nothing of its inputs."""

    def supply(self, contestant: Contestant, script: str) -> None:
        """Its inputs, where nobody is judged by them."""

    def run(self, contestant: Contestant) -> Ran:
        """Inputs, the student's steps, and all results that could still be computed later."""

    def take(self, contestant: Contestant) -> Results:
        """The other results."""

    def rule(self, results: Mapping[Role, Results], contestants: Contestants) -> Problem | None:
        """What is wrong with the submission's results."""


class Referee(Protocol):
    """Makes the data of every round, and judges what comes of them."""

    @property
    def match(self) -> "Match":
        """What it knows of the lineup."""

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:
        """Kernels of ours that a contestant's session needs for the plan."""

    def prepare(self, plan: Plan) -> Plan:
        """The plan, with what else a session needs for it."""

    def session_pairs(self, rules: TimingRules) -> int | None:
        """After how many pairs sessions are renewed; None if never."""

    def scene(self, number: int) -> RoundData:
        """The data of a round."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """What a referee must know of a lineup."""

    assignment: Timed
    oracle: Oracle
    sizes: Sizes
    device: DeviceFacts
    seed: int


@dataclass(frozen=True)
class ByOracle:
    """Random numbers, made and compared by the judge."""

    match: Match

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:  # noqa: ARG002 - there are none
        """None: all is done by the judge."""
        return {}

    def prepare(self, plan: Plan) -> Plan:
        """Where kernels run in the worker's own process, it shares its arrays: what it does with them before and after
        a launch would be work that is not timed. There, each session also begins in a new process. In a used one, its
        buffers would lie where those of the session before it were.
        """
        if device_class(self.match.device) == "cpu":
            return replace(plan, arrays="shared")
        return going_on(plan, self.match.device)

    def session_pairs(self, rules: TimingRules) -> int | None:
        """On a processor, buffers come to lie elsewhere in memory: one placement in caches must not decide."""
        return rules.session_pairs

    def scene(self, number: int) -> RoundData:
        """Fresh inputs, and the truth about them."""
        match = self.match
        key = (match.seed, ROUND_KEY, number)
        return OracleScene(make_trial(match.assignment, match.oracle, match.sizes, "random", key))


@dataclass(frozen=True)
class OracleScene:
    """Inputs and truth in the judge's memory."""

    trial: Trial

    def script(self, name: str) -> str:
        """There is but one set of buffers."""
        return name

    @property
    def judged(self) -> tuple[Role, ...]:
        """The submission's: the judge knows what is right."""
        return (Role.SUBMISSION,)

    def prepare(self, contestant: Contestant, script: str) -> None:
        """The arrays; where they are shared, a worker sees them at the launch."""
        unwrap(contestant.worker.stage(script, self.trial.arrays))

    def supply(self, contestant: Contestant, script: str) -> None:
        """They are there."""

    def run(self, contestant: Contestant) -> Ran:
        """Where arrays are shared, results are not returned: the judge reads them faster than they could be written."""
        if contestant.plan.arrays == "shared":
            timing = unwrap(contestant.worker.launch(STUDENT))
            return Ran(by_device=timing.seconds, delay=timing.delay, clocked=None, results={})
        return _ran(unwrap(contestant.worker.turn({STUDENT: 0}, contestant.judged.outputs)), 0)

    def take(self, contestant: Contestant) -> Results:
        """Those that are shared."""
        return _results(self, contestant) if contestant.plan.arrays == "shared" else {}

    def rule(self, results: Mapping[Role, Results], contestants: Contestants) -> Problem | None:
        """Hold them against the truth."""
        submission = Role.SUBMISSION
        return inspect(self.trial, contestants[submission].judged, results[submission])


@dataclass(frozen=True)
class ByReference:
    """Whole numbers or bit patterns, made on the device; what becomes of them must be what the model solution makes.

    That it is right is seen by `grader selftest`: in the correctness cases, and at these sizes by its baseline.
    """

    match: Match

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:
        """The kernels that make data and digests."""
        return {SUPPLY: supply_program(plan)}

    def prepare(self, plan: Plan) -> Plan:
        """With scripts for inputs and for digests, in several sets; in processes of earlier gradings, or of a
        submission's own cases: what lies where in memory is another matter in each round.
        """
        return going_on(supplied(self.match.assignment, plan, self._sets), self.match.device)

    def session_pairs(self, rules: TimingRules) -> int | None:  # noqa: ARG002 - there is no rule for it
        """Never: a round takes another set of arrays, which lie elsewhere in memory."""
        return None

    def scene(self, number: int) -> RoundData:
        """Two fresh keys."""
        words = np.random.SeedSequence((self.match.seed, ROUND_KEY, number)).generate_state(2, np.uint64)
        turn = number % len(self.match.assignment.speed_goals.integers)
        return DeviceScene(self.match, number % self._sets, turn, input_key=int(words[0]), digest_key=int(words[1]))

    @property
    def _sets(self) -> int:
        match = self.match
        moved = evaluate(match.assignment.speed_goals.bytes, match.assignment.names(match.sizes))
        return sets_of(moved, match.device)


@dataclass(frozen=True)
class DeviceScene:
    """The keys that a worker is given: for its inputs, and for the digest of its results."""

    match: Match
    set: int
    turn: int
    input_key: int
    digest_key: int

    def script(self, name: str) -> str:
        """The one of this round's set."""
        return of_set(name, self.set)

    @property
    def judged(self) -> tuple[Role, ...]:
        """The submission's digest, and the one that it must be."""
        return (Role.REFERENCE, Role.SUBMISSION)

    def prepare(self, contestant: Contestant, script: str) -> None:
        """Poison all that the script uses, and the digest's own buffer."""
        used = contestant.plan.scripts[self.script(script)].buffers
        unwrap(contestant.worker.clear((*used, of_set(SUMS, self.set))))

    def supply(self, contestant: Contestant, script: str) -> None:
        """Make its inputs by the key."""
        if contestant.plan.scripts[self.script(script)].uploads:
            unwrap(contestant.worker.launch(self.script(supply_of(script, self.turn)), self.input_key))

    def run(self, contestant: Contestant) -> Ran:
        """The digest is fetched: its few words are there only when all results are."""
        student = self.script(STUDENT)
        makes = {self.script(supply_of(STUDENT, self.turn)): self.input_key}
        made = makes if contestant.plan.scripts[student].uploads else {}
        keys = {**made, student: 0, self.script(DIGEST): self.digest_key}
        return _ran(unwrap(contestant.worker.turn(keys, (of_set(SUMS, self.set),))), len(made))

    def take(self, contestant: Contestant) -> Results:  # noqa: ARG002 - the same
        """Nothing more."""
        return {}

    def rule(self, results: Mapping[Role, Results], contestants: Contestants) -> Problem | None:
        """Hold the submission's digest against the reference's."""
        right, got = (results[role][of_set(SUMS, self.set)].payload.tobytes() for role in self.judged)
        return None if got == right else self._explain(contestants[Role.SUBMISSION], contestants[Role.REFERENCE])

    @returns_problem
    def _explain(self, submission: Contestant, reference: Contestant) -> Problem:
        """Where the submission's results differ from the reference's: now all of them are fetched."""
        with blaming(Role.REFERENCE):
            right = _results(self, reference)
        got = _results(self, submission)
        return (
            stray_write(got)
            or next(filter(None, (self._difference(name, got[name], right[name]) for name in self._judged(got))), None)
            or of_failure(Garbled(what="the digest of its results is not that of what it returns"))
        )

    def _judged(self, got: Results) -> list[str]:
        """The arrays that are compared: not those that steps of the assignment make before the submission's."""
        return [name for name, buffer in self.match.assignment.buffers.items() if buffer.is_judged and name in got]

    def _difference(self, name: str, got: Fetched, right: Fetched) -> Problem | None:
        assignment = self.match.assignment
        truth = Truth(value=as_array(assignment, name, right, self.match.sizes))
        standard = Standard(tolerance=assignment.correctness.tolerance, factor=0.0, data="integers")
        mismatch = compare(name, as_array(assignment, name, got, self.match.sizes), truth, standard)
        return None if mismatch is None else of_mismatch(mismatch)


REFEREES: dict[DeviceClass, Callable[[Match], Referee]] = {"cpu": ByOracle, "gpu": ByReference}


def referee_for(match: Match) -> Referee:
    """The one that the assignment asks for, or the usual one of the device."""
    kind = "cpu" if match.assignment.speed_goals.referee == "oracle" else device_class(match.device)
    return REFEREES[kind](match)


def _ran(took: Took, number: int) -> Ran:
    """Of the launch of this number in a turn."""
    clocked = Clocked(waited=took.waits[number], took=sum(took.waits))
    return Ran(by_device=took.seconds[number], delay=0.0, clocked=clocked, results=took.results)


def _results(scene: RoundData, contestant: Contestant) -> Results:
    """All that the student's steps have computed, by the names of the assignment."""
    fetched = unwrap(contestant.worker.fetch(contestant.plan.scripts[scene.script(STUDENT)].outputs))
    return dict(zip(contestant.judged.outputs, fetched.values(), strict=True))


@contextmanager
def blaming(role: Role) -> Iterator[None]:
    """What fails here is a problem of the submission's, if the role is; of our own kernels it is a SolutionError."""
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
