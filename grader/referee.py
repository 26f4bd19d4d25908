"""Where the data of timed rounds come from, and what results are held against.

    ByOracle      made by the judge, sent to every worker; every word that comes back is held against NumPy's
    ByReference   made on the device from a key of the judge's; a digest is held against the model solution's,
                  in a student kit against the baseline's

A CPU driver runs kernels inside the worker's process, where native code of theirs could do as it likes with a key, and
arrays are small there: so there it is the oracle. A GPU's kernels reach nothing but the device's memory, and launches
worth timing move hundreds of megabytes: there it is the reference.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from grader.assignment import Assignment
from grader.checking import Standard, compare
from grader.contestant import Contestant, Contestants, Role
from grader.device import device_class
from grader.diagnosis import Problem, of_failure, of_mismatch
from grader.errors import SolutionError
from grader.expressions import evaluate
from grader.inspection import Trial, as_array, inspect, make_trial, stray_write
from grader.oracle import Oracle, Truth
from grader.outcome import Failure, Fetched, Garbled, Timing
from grader.plan import STUDENT, Plan
from grader.protocol import BuildFailed, DeviceFacts, Done
from grader.rubric import DeviceClass, Sizes
from grader.steps import Program
from grader.supply import DIGEST, SUMS, SUPPLY, SUPPLY_PROGRAM, of_set, sets_of, supplied, supply_of
from grader.timing import TimingRules, Transfers

ROUND_KEY = 1
"""Tells the inputs of timed rounds from those of cases, which have the key 0 (cases.py)."""

TRANSFERS = 4
"""How long transfers take is compared in one of so many rounds: then the reference returns its results as well."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What is wrong with the submission's results, if anything; and, where the reference returned its own as well, the
    seconds by the judge's clock in which either did.
    """

    problem: Problem | None
    returning: Transfers | None


class Scene(Protocol):
    """The data of one round."""

    def script(self, name: str) -> str:
        """What a script of the plan is called that works on them."""

    def stage(self, contestant: Contestant, script: str) -> Done | Failure:
        """Fresh inputs for a script of the plan, and nothing in its outputs."""

    def rule(self, contestants: Contestants, counted: int) -> Ruling:
        """Judge what the submission has computed, after so many rounds that count."""


class Referee(Protocol):
    """Makes the data of every round, and judges what comes of them."""

    @property
    def match(self) -> "Match":
        """What it knows of the contest."""

    @property
    def programs(self) -> Mapping[str, Program]:
        """Kernels that every contestant's session needs for it."""

    def prepare(self, plan: Plan) -> Plan:
        """The plan, with what else a session needs for it."""

    def session_pairs(self, rules: TimingRules) -> int | None:
        """After how many pairs sessions are renewed; None if never."""

    def scene(self, number: int) -> Scene:
        """The data of a round."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """What a referee must know of a contest."""

    assignment: Assignment
    oracle: Oracle
    sizes: Sizes
    device: DeviceFacts
    seed: int


@dataclass(frozen=True)
class ByOracle:
    """Random numbers, made and compared by the judge."""

    match: Match

    @property
    def programs(self) -> Mapping[str, Program]:
        """None: all is done by the judge."""
        return {}

    def prepare(self, plan: Plan) -> Plan:
        """As it is."""
        return plan

    def session_pairs(self, rules: TimingRules) -> int | None:
        """Buffers come to lie elsewhere in memory: the luck of one placement in caches must not decide."""
        return rules.session_pairs

    def scene(self, number: int) -> Scene:
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

    def stage(self, contestant: Contestant, script: str) -> Done | Failure:
        """Send the inputs."""
        return contestant.worker.stage(script, self.trial.arrays)

    def rule(self, contestants: Contestants, counted: int) -> Ruling:
        """Fetch all results of the submission, and now and then the reference's, to see how long that takes."""
        submission, reference = contestants[Role.SUBMISSION], contestants[Role.REFERENCE]
        fetched, seconds = timed(partial(_results, self, submission))
        problem = inspect(self.trial, submission.judged, fetched) if isinstance(fetched, dict) else of_failure(fetched)
        if problem is not None or counted % TRANSFERS:
            return Ruling(problem=problem, returning=None)
        returned, reference_seconds = timed(partial(_results, self, reference))
        if not isinstance(returned, dict):
            raise failed_solution(returned)
        return Ruling(problem=None, returning=Transfers(submission=seconds, reference=reference_seconds))


@dataclass(frozen=True)
class ByReference:
    """Whole numbers or bit patterns, made on the device; what becomes of them must be what the model solution makes.

    That it is right is seen by `grader selftest`: in the correctness cases, and at these sizes by its baseline.
    """

    match: Match

    @property
    def programs(self) -> Mapping[str, Program]:
        """The kernels that make data and digests."""
        return {SUPPLY: SUPPLY_PROGRAM}

    def prepare(self, plan: Plan) -> Plan:
        """With scripts for inputs and for digests, in several sets."""
        return supplied(self.match.assignment, plan, self._sets)

    def session_pairs(self, rules: TimingRules) -> int | None:  # noqa: ARG002 - there is no rule for it
        """Never: a round takes another set of arrays, which lie elsewhere in memory."""
        return None

    def scene(self, number: int) -> Scene:
        """Two fresh keys."""
        words = np.random.SeedSequence((self.match.seed, ROUND_KEY, number)).generate_state(2, np.uint64)
        turn = number % len(self.match.assignment.performance.integers)
        return DeviceScene(self.match, number % self._sets, turn, input_key=int(words[0]), digest_key=int(words[1]))

    @property
    def _sets(self) -> int:
        match = self.match
        moved = evaluate(match.assignment.performance.bytes, match.assignment.names(match.sizes))
        return sets_of(moved, match.device)


@dataclass(frozen=True)
class DeviceScene:
    """What a worker is told of its inputs before the launch, and of the digest after it."""

    match: Match
    set: int
    turn: int
    input_key: int
    digest_key: int

    def script(self, name: str) -> str:
        """The one of this round's set."""
        return of_set(name, self.set)

    def stage(self, contestant: Contestant, script: str) -> Done | Failure:
        """Poison all that the script uses, then make its inputs."""
        used = contestant.plan.scripts[self.script(script)]
        cleared = contestant.worker.clear(used.buffers)
        if not used.uploads or not isinstance(cleared, Done):
            return cleared
        made = contestant.worker.launch(self.script(supply_of(script, self.turn)), self.input_key)
        return Done() if isinstance(made, Timing) else made

    def rule(self, contestants: Contestants, counted: int) -> Ruling:  # noqa: ARG002 - it is the same in every round
        """Hold the submission's digest against the reference's."""
        submission, reference = contestants[Role.SUBMISSION], contestants[Role.REFERENCE]
        right, reference_seconds = timed(partial(self._digest, reference))
        if not isinstance(right, bytes):
            raise failed_solution(right)
        got, seconds = timed(partial(self._digest, submission))
        if not isinstance(got, bytes):
            return Ruling(problem=of_failure(got), returning=None)
        problem = None if got == right else self._explain(submission, reference)
        return Ruling(problem=problem, returning=Transfers(submission=seconds, reference=reference_seconds))

    def _digest(self, contestant: Contestant) -> bytes | Failure:
        sums = of_set(SUMS, self.set)
        cleared = contestant.worker.clear((sums,))
        if not isinstance(cleared, Done):
            return cleared
        made = contestant.worker.launch(self.script(DIGEST), self.digest_key)
        if not isinstance(made, Timing):
            return made
        fetched = contestant.worker.fetch((sums,))
        return fetched[sums].payload.tobytes() if isinstance(fetched, dict) else fetched

    def _explain(self, submission: Contestant, reference: Contestant) -> Problem:
        """Where the submission's results differ from the reference's: now all of them are fetched."""
        right, got = _results(self, reference), _results(self, submission)
        if not isinstance(right, dict):
            raise failed_solution(right)
        if not isinstance(got, dict):
            return of_failure(got)
        return (
            stray_write(got)
            or next(filter(None, (self._difference(name, got[name], right[name]) for name in self._judged)), None)
            or of_failure(Garbled(what="the digest of its results is not that of what it returns"))
        )

    @property
    def _judged(self) -> list[str]:
        return [name for name, buffer in self.match.assignment.buffers.items() if buffer.is_judged]

    def _difference(self, name: str, got: Fetched, right: Fetched) -> Problem | None:
        assignment = self.match.assignment
        truth = Truth(value=as_array(assignment, name, right, self.match.sizes))
        standard = Standard(tolerance=assignment.correctness.tolerance, factor=0.0, data="integers")
        mismatch = compare(name, as_array(assignment, name, got, self.match.sizes), truth, standard)
        return None if mismatch is None else of_mismatch(mismatch)


REFEREES: dict[DeviceClass, Callable[[Match], Referee]] = {"cpu": ByOracle, "gpu": ByReference}


def referee_for(match: Match) -> Referee:
    """The one that the assignment asks for, or the usual one of the device."""
    kind = "cpu" if match.assignment.performance.referee == "oracle" else device_class(match.device)
    return REFEREES[kind](match)


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and the seconds that it took by the judge's clock."""
    start = time.perf_counter()
    return action(), time.perf_counter() - start


def _results(scene: Scene, contestant: Contestant) -> dict[str, Fetched] | Failure:
    """All that the student's steps have computed, by the names of the assignment."""
    fetched = contestant.worker.fetch(contestant.plan.scripts[scene.script(STUDENT)].outputs)
    if not isinstance(fetched, dict):
        return fetched
    return dict(zip(contestant.judged.outputs, fetched.values(), strict=True))


def failed_solution(failure: Failure) -> SolutionError:
    """The error for a reference that fails in a round, or for a program of ours that does not build."""
    message = of_failure(failure).message
    if isinstance(failure, BuildFailed):
        return SolutionError(f"the {failure.program} of the assignment does not build: {message}")
    return SolutionError(f"the kernel that submissions are timed against failed: {message}")
