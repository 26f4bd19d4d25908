"""The performance check: rounds in which the submission and our own kernels are timed side by side.

    worker       sequences                       what for
    submission   submission                      the student's kernel
    reference    reference                       what it is compared with, pair by pair
    control      reference, baseline, copy       noise (the reference against itself), speed-up, bandwidth

Every round has fresh secret inputs and takes the workers in another order; every timed output of the submission is
inspected. The first rounds, for `warm_up_seconds`, run but do not count.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress, count

from grader.assignment import Assignment, SpeedGoal
from grader.device import speed_goal
from grader.diagnosis import Problem, of_failure, of_timed_run
from grader.errors import NoiseError, ReferenceError
from grader.inspection import Trial, inspect, make_trial
from grader.oracle import Oracle
from grader.outcome import Failure
from grader.plan import BASELINE, COPY, Plan
from grader.protocol import DeviceFacts, Done, Opened
from grader.runner import Timing, Worker
from grader.timing import Round, SideShow, TimingRules, enough, noise, too_noisy, total

ROUND_KEY = 1
"""Tells the inputs of timed rounds from those of cases, which have the key 0 (cases.py)."""

SIDE_SHOWS = 3
"""Baseline and copy are timed once in so many rounds: they inform, but the verdict does not rest on them."""


class Role(StrEnum):
    """The parts in a contest, in the order of its first round."""

    REFERENCE = "reference"
    SUBMISSION = "submission"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A worker that takes part in every round, what it is asked to do, and the sequence that is timed."""

    worker: Worker
    plan: Plan
    sequence: str


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Everything that a round needs."""

    assignment: Assignment
    oracle: Oracle
    device: DeviceFacts
    seed: int
    contestants: dict[Role, Contestant]

    @property
    def goal(self) -> SpeedGoal:
        """What the assignment asks of this device."""
        return speed_goal(self.assignment, self.device)


def measure(contest: Contest, rules: TimingRules) -> tuple[Round, ...] | Problem:
    """Timed rounds on a machine quiet enough, or what went wrong with the submission in one of them.

    Raises NoiseError if the reference, timed against itself, keeps being off by more than the rules allow.
    """
    for role, contestant in contest.contestants.items():
        opened = contestant.worker.open(contestant.plan)
        if not isinstance(opened, Opened):
            return _blame(role, opened)
    numbers = count()  # never the same inputs twice
    for _ in range(rules.attempts):
        rounds = _timed_rounds(contest, rules, numbers)
        if isinstance(rounds, Problem) or not too_noisy(noise(rounds), rules):
            return rounds
    raise NoiseError(
        "this machine is too noisy to time kernels: the model solution against itself came out at "
        f"{noise(rounds).median:.2f} after {rules.attempts} attempts, and should be 1. "
        "Stop other programs and grade again."
    )


def _timed_rounds(contest: Contest, rules: TimingRules, numbers: Iterator[int]) -> tuple[Round, ...] | Problem:
    """Rounds until there are enough; those of the warm-up are left out."""
    start = time.perf_counter()
    rounds: list[Round] = []
    thresholds = [band.fraction for band in contest.goal.bands]
    for number in numbers:
        timed = _round(contest, number)
        if isinstance(timed, Problem):
            return timed
        elapsed = time.perf_counter() - start
        if elapsed > rules.warm_up_seconds:
            rounds.append(timed)
        if enough(rounds, elapsed, thresholds, rules):
            break
    return tuple(rounds)


def _round(contest: Contest, number: int) -> Round | Problem:
    """Time each contestant once on the same fresh inputs, then inspect what the submission made of them."""
    trial = make_trial(contest.assignment, contest.oracle, contest.goal.sizes, "random", (contest.seed, ROUND_KEY, number))
    timings: dict[Role, Timing] = {}
    for role in _order(number):
        contestant = contest.contestants[role]
        staged = contestant.worker.stage(trial.sent(contestant.plan))
        timing = contestant.worker.launch(contestant.sequence) if isinstance(staged, Done) else staged
        if not isinstance(timing, Timing):
            return _blame(role, timing)
        timings[role] = timing
    problem = _inspect_submission(contest, trial)
    if problem is not None:
        return of_timed_run(problem, number + 1)
    ours = [launch.solution_of is None for launch in contest.assignment.launches]
    return Round(
        submission=total(timings[Role.SUBMISSION].steps),
        reference=total(compress(timings[Role.REFERENCE].steps, ours)),
        control=total(compress(timings[Role.CONTROL].steps, ours)),
        surroundings=total(compress(timings[Role.REFERENCE].steps, [not own for own in ours])),
        submission_gap=_gap(timings[Role.SUBMISSION]),
        reference_gap=_gap(timings[Role.REFERENCE]),
        side_show=_side_show(contest) if number % SIDE_SHOWS == 0 else None,
    )


def _order(number: int) -> tuple[Role, ...]:
    """The roles in another order each round, so that none profits from its place."""
    roles = tuple(Role)
    turn = number % len(roles)
    return roles[turn:] + roles[:turn]


def _gap(timing: Timing) -> float:
    """Seconds that the judge saw and the device's clock did not."""
    return timing.wall_seconds - total(timing.steps)


def _inspect_submission(contest: Contest, trial: Trial) -> Problem | None:
    contestant = contest.contestants[Role.SUBMISSION]
    fetched = contestant.worker.fetch(contestant.plan.outputs)
    if not isinstance(fetched, dict):
        return of_failure(fetched)
    return inspect(trial, contestant.plan, fetched)


def _side_show(contest: Contest) -> SideShow:
    """The baseline and a plain copy, timed by the control worker on the data of this round."""
    worker = contest.contestants[Role.CONTROL].worker
    seconds = {}
    for sequence in (BASELINE, COPY):
        timing = worker.launch(sequence)
        if not isinstance(timing, Timing):
            raise ReferenceError(f"the {sequence} of the assignment failed: {timing}.")
        seconds[sequence] = total(timing.steps)
    return SideShow(baseline=seconds[BASELINE], device_copy=seconds[COPY])


def _blame(role: Role, failure: Failure) -> Problem:
    """A failed submission is a problem of the student's; a failed kernel of ours is raised."""
    if role is Role.SUBMISSION:
        return of_failure(failure)
    raise ReferenceError(f"the model solution failed while it was timed: {failure}.")
