"""The performance check: rounds in which the submission and our own kernels are timed side by side.

    worker       runs                                           what for
    submission   the student's steps, by the submission         what is judged
    reference    the same steps, by the model solution          what it is compared with, pair by pair
    control      the same again; at times the baseline,         noise (the reference against itself); speed-up,
                 a plain copy, and the whole program            bandwidth, and what surrounds the student's steps

Every round has fresh secret inputs and takes the workers in another order; every timed output of the submission is
inspected. Sessions are renewed now and then. The first rounds, and the first of every session, run but do not count.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from typing import TypeVar

from threadpoolctl import threadpool_limits

from grader.assignment import Assignment
from grader.device import speed_goal
from grader.diagnosis import Problem, of_failure, of_no_time, of_timed_run
from grader.errors import NoiseError, SolutionError
from grader.inspection import Trial, inspect, make_trial
from grader.oracle import Oracle
from grader.outcome import Failure, Fetched, Timing
from grader.plan import COPY, NAIVE, PEAK, STUDENT, WHOLE, Plan
from grader.protocol import DeviceFacts, Done, Opened
from grader.rubric import SpeedGoal
from grader.runner import Worker
from grader.timing import Round, SideShow, TimingRules, Transfers, enough, noise, too_noisy

ROUND_KEY = 1
"""Tells the inputs of timed rounds from those of cases, which have the key 0 (cases.py)."""

TRANSFERS = 4
"""How long transfers take is compared in one of so many rounds: then the reference returns its results as well."""

SIDE_SHOWS = 3
"""Baseline and copy are timed in one of so many rounds: they inform, but the verdict does not rest on them."""


T = TypeVar("T")


class Role(StrEnum):
    """The parts in a contest, in the order of its first round."""

    REFERENCE = "reference"
    SUBMISSION = "submission"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A worker that takes part in every round, and what its session is for."""

    worker: Worker
    plan: Plan


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
    """Timed rounds, as many as the rules ask for, or what went wrong with the submission in one of them.

    Raises NoiseError if the model solution, timed against itself, stays further from 1 than the rules allow.
    """
    start = time.perf_counter()
    thresholds = [band.fraction for band in contest.goal.bands]
    rounds: list[Round] = []
    for number in count():
        opens = number % (rules.session_pairs + 1) == 0
        problem = _open_sessions(contest) if opens else None
        timed = problem or _round(contest, number, counted=len(rounds))
        if isinstance(timed, Problem):
            return timed
        elapsed = time.perf_counter() - start
        if not opens and elapsed > rules.warm_up_seconds:
            rounds.append(timed)
        if enough(rounds, elapsed, thresholds, rules):
            break
    if too_noisy(rounds, rules):
        raise NoiseError(
            f"this machine is too noisy to time kernels: over {len(rounds)} pairs, the model solution ran at "
            f"{noise(rounds).median:.2f} times its own speed. Stop other programs and grade again."
        )
    return tuple(rounds)


def _open_sessions(contest: Contest) -> Problem | None:
    """Fresh sessions, with their buffers elsewhere in memory: the luck of one placement must not decide."""
    for role, contestant in contest.contestants.items():
        opened = contestant.worker.open(contestant.plan)
        if not isinstance(opened, Opened):
            return _blame(role, opened)
    return None


def _round(contest: Contest, number: int, counted: int) -> Round | Problem:
    """Time each contestant once on the same fresh inputs, then inspect what the submission made of them."""
    with threadpool_limits(1):  # NumPy's own threads would go on spinning on the cores that kernels are timed on
        trial = make_trial(
            contest.assignment, contest.oracle, contest.goal.sizes, "random", (contest.seed, ROUND_KEY, number)
        )
    timings: dict[Role, Timing] = {}
    transfers: dict[Role, float] = {}
    for role in _order(number):
        timing, transfers[role] = _time(contest.contestants[role].worker, STUDENT, trial)
        if not isinstance(timing, Timing):
            return _blame(role, timing)
        timings[role] = timing
    fetched, seconds = _timed(partial(_fetch, contest, Role.SUBMISSION))
    transfers[Role.SUBMISSION] += seconds
    problem = _wrong_with(contest, trial, timings[Role.SUBMISSION], fetched)
    if problem is not None:
        return of_timed_run(problem, number + 1)
    return Round(
        submission=timings[Role.SUBMISSION].seconds,
        reference=timings[Role.REFERENCE].seconds,
        control=timings[Role.CONTROL].seconds,
        submission_gap=timings[Role.SUBMISSION].gap,
        reference_gap=timings[Role.REFERENCE].gap,
        transfers=_compare_transfers(contest, transfers) if counted % TRANSFERS == 0 else None,
        side_show=_side_show(contest, trial) if counted % SIDE_SHOWS == 0 else None,
    )


def _timed(action: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and the seconds that it took by the judge's clock."""
    start = time.perf_counter()
    return action(), time.perf_counter() - start


def _time(worker: Worker, script: str, trial: Trial) -> tuple[Timing | Failure, float]:
    """The launch, and the seconds that taking its inputs took."""
    staged, seconds = _timed(partial(worker.stage, script, trial.arrays))
    return (worker.launch(script) if isinstance(staged, Done) else staged), seconds


def _order(number: int) -> tuple[Role, ...]:
    """The roles in another order each round, so that none profits from its place."""
    roles = tuple(Role)
    turn = number % len(roles)
    return roles[turn:] + roles[:turn]


def _fetch(contest: Contest, role: Role) -> dict[str, Fetched] | Failure:
    contestant = contest.contestants[role]
    return contestant.worker.fetch(contestant.plan.scripts[STUDENT].outputs)


def _wrong_with(
    contest: Contest, trial: Trial, timing: Timing, fetched: dict[str, Fetched] | Failure
) -> Problem | None:
    """What is wrong with what the submission returned, if anything."""
    if not isinstance(fetched, dict):
        return of_failure(fetched)
    if timing.seconds <= 0:
        return of_no_time()
    return inspect(trial, contest.contestants[Role.SUBMISSION].plan.scripts[STUDENT], fetched)


def _compare_transfers(contest: Contest, seconds: dict[Role, float]) -> Transfers:
    """Taking inputs and returning results, by the submission and by the reference, which returns them only now."""
    fetched, returning = _timed(partial(_fetch, contest, Role.REFERENCE))
    if not isinstance(fetched, dict):
        raise _failed_solution(fetched)
    return Transfers(submission=seconds[Role.SUBMISSION], reference=seconds[Role.REFERENCE] + returning)


def _side_show(contest: Contest, trial: Trial) -> SideShow:
    """What the control worker times besides, on the data of this round."""
    control = contest.contestants[Role.CONTROL]
    timings: dict[str, Timing] = {}
    for script in control.plan.scripts.keys() - {STUDENT}:
        timing, _ = _time(control.worker, script, trial)
        if not isinstance(timing, Timing):
            raise SolutionError(f"the {script} of the assignment failed: {of_failure(timing).message}")
        timings[script] = timing
    whole = timings.get(WHOLE)
    return SideShow(
        baseline=timings[NAIVE].seconds,
        device_copy=timings[COPY].seconds,
        surroundings=whole.seconds_of(launch.solution_of is not None for launch in contest.assignment.launches)
        if whole
        else None,
        peak=timings[PEAK].seconds if PEAK in timings else None,
    )


def _blame(role: Role, failure: Failure) -> Problem:
    """A failed submission is a problem of the student's; a failed kernel of ours is raised."""
    if role is Role.SUBMISSION:
        return of_failure(failure)
    raise _failed_solution(failure)


def _failed_solution(failure: Failure) -> SolutionError:
    return SolutionError(f"the model solution failed while it was timed: {of_failure(failure).message}")
