"""The performance check: rounds in which the submission and our own kernels are timed side by side.

    worker       runs                                           what for
    submission   the student's steps, by the submission         what is judged
    reference    the same steps, by the model solution          what it is compared with, pair by pair
    control      the same again; at times the baseline,         noise (the reference against itself); speed-up,
                 a plain copy, and the whole program            bandwidth, and what surrounds the student's steps

A student kit has no model solution: there, reference and control run the baseline.

Every round has fresh secret inputs and takes the workers in another order; every timed output of the submission is
judged (referee.py). The first rounds, and the first of every session, run but do not count.
"""

import time
from functools import partial
from itertools import count

from threadpoolctl import threadpool_limits

from grader.contest import Contest
from grader.contestant import Contestant, Role
from grader.diagnosis import Problem, of_failure, of_no_time, of_timed_run
from grader.errors import NoiseError, SolutionError
from grader.outcome import Failure, Timing
from grader.plan import COPY, NAIVE, PEAK, STUDENT, WHOLE
from grader.protocol import Done, Opened
from grader.referee import Scene, failed_solution, timed
from grader.timing import Round, SideShow, TimingRules, Transfers, enough, noise, too_noisy

SIDE_SHOWS = 3
"""Baseline and copy are timed in one of so many rounds: they inform, but the verdict does not rest on them."""


def open_sessions(contest: Contest) -> Problem | None:
    """A fresh session for each contestant, side by side; what went wrong with the submission's, if anything."""
    for contestant in contest.contestants.values():
        contestant.worker.begin_open(contestant.plan)
    for role, contestant in contest.contestants.items():
        opened = contestant.worker.open(contestant.plan)
        if not isinstance(opened, Opened):
            return _blame(role, opened)
    return None


def measure(contest: Contest, rules: TimingRules) -> tuple[Round, ...] | Problem:
    """Timed rounds in sessions that are open, as many as the rules ask for, or what went wrong with the submission.

    Raises NoiseError if the model solution, timed against itself, stays further from 1 than the rules allow, and points
    depend on it.
    """
    start = time.perf_counter()
    session_pairs = contest.referee.session_pairs(rules)
    rounds: list[Round] = []
    for number in count():
        is_first = number == 0 or (session_pairs is not None and number % (session_pairs + 1) == 0)
        problem = open_sessions(contest) if is_first and number else None
        found = problem or _round(contest, number, counted=len(rounds))
        if isinstance(found, Problem):
            return found
        elapsed = time.perf_counter() - start
        if not is_first and elapsed > rules.warm_up_seconds:
            rounds.append(found)
        if enough(rounds, elapsed, contest.thresholds, rules):
            break
    if contest.thresholds and too_noisy(rounds, rules):
        standard = "model solution" if contest.assignment.kit is None else "naive kernel"
        raise NoiseError(
            f"this machine is too noisy to time kernels: over {len(rounds)} pairs, the {standard} ran at "
            f"{noise(rounds).median:.2f} times its own speed. Stop other programs and grade again."
        )
    return tuple(rounds)


def _round(contest: Contest, number: int, counted: int) -> Round | Problem:
    """Time each contestant once on the same fresh inputs, then judge what the submission made of them."""
    with threadpool_limits(1):  # NumPy's own threads would go on spinning on the cores that kernels are timed on
        scene = contest.referee.scene(number)
    timings: dict[Role, Timing] = {}
    staging: dict[Role, float] = {}
    for role in _order(number):
        timing, staging[role] = _time(scene, contest.contestants[role], STUDENT)
        if not isinstance(timing, Timing):
            return _blame(role, timing)
        timings[role] = timing
    if timings[Role.SUBMISSION].seconds <= 0:
        return of_timed_run(of_no_time(), number + 1)
    ruling = scene.rule(contest.contestants, counted)
    if ruling.problem is not None:
        return of_timed_run(ruling.problem, number + 1)
    return Round(
        submission=timings[Role.SUBMISSION].seconds,
        reference=timings[Role.REFERENCE].seconds,
        control=timings[Role.CONTROL].seconds,
        submission_gap=timings[Role.SUBMISSION].gap,
        reference_gap=timings[Role.REFERENCE].gap,
        transfers=_both_ways(staging, ruling.returning) if ruling.returning else None,
        side_show=_side_show(contest, scene) if counted % SIDE_SHOWS == 0 else None,
    )


def _time(scene: Scene, contestant: Contestant, script: str) -> tuple[Timing | Failure, float]:
    """The launch, and the seconds that taking its inputs took."""
    staged, seconds = timed(partial(scene.stage, contestant, script))
    return (contestant.worker.launch(scene.script(script)) if isinstance(staged, Done) else staged), seconds


def _order(number: int) -> tuple[Role, ...]:
    """The roles in another order each round, so that none profits from its place."""
    roles = tuple(Role)
    turn = number % len(roles)
    return roles[turn:] + roles[:turn]


def _both_ways(staging: dict[Role, float], returning: Transfers) -> Transfers:
    """Taking inputs and returning results."""
    return Transfers(
        submission=staging[Role.SUBMISSION] + returning.submission,
        reference=staging[Role.REFERENCE] + returning.reference,
    )


def _side_show(contest: Contest, scene: Scene) -> SideShow:
    """What the control worker times besides, on the data of this round."""
    control = contest.contestants[Role.CONTROL]
    timings: dict[str, Timing] = {}
    for script in (name for name in (NAIVE, COPY, WHOLE, PEAK) if name in control.plan.scripts):
        timing, _ = _time(scene, control, script)
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
    raise failed_solution(failure)
