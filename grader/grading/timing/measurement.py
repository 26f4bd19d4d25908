"""Timed rounds of the performance check, in which the submission and grader's own kernels are timed side by side.

    worker       runs                                           purpose
    submission   the student's steps, by the submission         the speed that is judged
    reference    the same steps, by the model solution          the speed for comparison, pair by pair
    control      the reference's steps again; at times the      noise (the reference against itself); speed-up,
                 baseline, a plain copy, the whole program      bandwidth, and the steps around the student's steps

A student kit does not have a model solution, so reference and control run the baseline there.

Every round that counts has new secret inputs. The order of the workers changes from round to round, and every timed
output of the submission is verified (verifiers.py). The first rounds, and the first round of every session, run but do
not count. A round in which the
operating system worked more during the turns of one side does not count either, because a submission can leave work to
the operating system that slows down the other workers.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import count

from threadpoolctl import ThreadpoolController

from grader.common.errors import SolutionError
from grader.execution.device import share_a_process
from grader.execution.kernel_threads import KernelThreads, kernel_threads, no_kernel_threads
from grader.execution.outcome import Timing
from grader.execution.plan import COPY, NAIVE, PEAK, STUDENT, WHOLE, Script
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.intervals import (
    FEWEST,
    delayed_share,
    enough,
    is_blind,
    is_disturbed,
    is_held_up,
    leaves_few,
    noise,
    one_sided,
    too_noisy,
)
from grader.grading.timing.rounds import Awake, Comparisons, Participant, Resting, Role, Round
from grader.grading.timing.speed_problems import (
    NO_TIME,
    of_blindness,
    of_delay,
    of_few_rounds,
    of_interference,
    of_noise,
    of_spent_time,
    of_timed_run,
)
from grader.grading.timing.timing_setup import TimingSetup
from grader.grading.timing.verifiers import Ran, RoundInputs, blaming
from grader.protocol.steps import KernelStep

COMPARED_EVERY = 3
"""One of this many rounds also times the baseline and a copy. These times are only for information and do not affect
verdicts.
"""

UNEVEN = 20e-6
"""Seconds that one worker may wait longer than another for an equal launch on a GPU. Without this allowance, the speeds
of one submission on an H200 varied by 2.2 to 2.7 % instead of 1 %.
"""

LAUNCHES = 3
"""Number of launches in a turn on a GPU, which are for the inputs, for the student's steps and for the digest."""


def open_sessions(setup: TimingSetup) -> Problem | None:
    """Open a new session for each participant. Returns the problem of the submission; None if its session is open."""
    for participant in setup.participants.values():
        participant.worker.request(participant.plan)
    try:
        for role, participant in setup.participants.items():
            with blaming(role):
                unwrap(participant.worker.open(participant.plan))
    except FailedError as failed:
        return failed.problem
    return None


def _reopen_sessions(setup: TimingSetup) -> None:
    """Open all sessions again. The submission's worker may be frozen."""
    setup.participants[Role.SUBMISSION].worker.thaw()
    unwrap(open_sessions(setup))


def measure(setup: TimingSetup, rules: TimingRules) -> tuple[Round, ...] | Problem:
    """Run timed rounds in open sessions, as many as the rules ask for, or return a problem.

    The problem may be caused by the submission. It may also be caused by the machine, if it is too noisy or made the
    submission wait for a processor in a way that affects points. Other problems are that points would depend on a clock
    that the submission can manipulate, or that the OS kernel worked for one side only.
    """
    try:
        with _watched(setup, rules) as kernel:
            seen = _rounds(setup, rules, kernel)
    except FailedError as failed:
        return failed.problem
    return _usable(setup, rules, seen)


def _usable(setup: TimingSetup, rules: TimingRules, seen: Sequence[Round]) -> tuple[Round, ...] | Problem:
    """Return the rounds that count, or the reason why these rounds cannot be used."""
    if is_disturbed(seen):
        return of_interference(one_sided(seen), len(seen))
    if leaves_few(seen):
        return of_few_rounds(one_sided(seen), len(seen))
    rounds = _counted(seen)
    if setup.thresholds and too_noisy(rounds, setup.thresholds, rules):
        standard = "model solution" if setup.assignment.kit is None else "naive kernel"
        return of_noise(noise(rounds), len(rounds), standard)
    if is_held_up(rounds, setup.thresholds):
        return of_delay(delayed_share(rounds), len(rounds))
    if is_blind(rounds, setup.thresholds):
        return of_blindness(len(rounds))
    return rounds


def _watched(setup: TimingSetup, rules: TimingRules) -> AbstractContextManager[KernelThreads]:
    """Watch the threads of the OS kernel if points depend on them and the submission's code can give them work. On a
    GPU, the submission cannot do that, because its kernels do not reach a process of the host, and the driver's threads
    work for all launches. The threads are not watched either if the rules allow any noise.
    """
    matters = setup.thresholds and share_a_process(setup.device) and rules.noise_limit < ANY_NOISE
    return kernel_threads() if matters else no_kernel_threads()


ANY_NOISE = 10.0
"""Noise limit that allows any difference between two runs of the model solution. It is for a quick look and not for a
verdict.
"""


def _rounds(setup: TimingSetup, rules: TimingRules, kernel: KernelThreads) -> list[Round]:
    """Run all rounds, and return those after the warm-up.

    One-sided rounds at most double the time. If most rounds are one-sided or too few count, the limits on pairs and
    seconds apply to all rounds; otherwise they apply to the rounds that count. Raises FailedError if the submission is
    too slow for FEWEST rounds.
    """
    start, spent = time.perf_counter(), 0.0
    session_pairs = setup.verifier.session_pairs(rules)
    threads = ThreadpoolController()  # searches all libraries of this process, which takes milliseconds
    seen: list[Round] = []
    for number in count():
        is_first = number == 0 or (session_pairs is not None and number % (session_pairs + 1) == 0)
        begun = time.perf_counter()
        if is_first and number:
            _reopen_sessions(setup)
        spent += time.perf_counter() - begun
        warms_up = is_first or time.perf_counter() - start <= rules.warm_up_seconds
        with threads.limit(limits=1):  # NumPy's threads would continue to spin on the cores of the timed kernels
            inputs = setup.verifier.warm_up(number) if warms_up else setup.verifier.inputs(len(seen))
        found = _round(setup, inputs, number, len(_counted(seen)), kernel)
        elapsed = time.perf_counter() - start
        spent += found.turn
        if not warms_up:
            seen.append(found)
        if is_disturbed(seen) or leaves_few(seen):
            if len(seen) >= rules.max_pairs or elapsed >= rules.max_seconds:
                break
        elif enough(_counted(seen), elapsed, setup.thresholds, rules):
            break
        if spent > rules.max_seconds and len(seen) < FEWEST:
            raise FailedError(of_spent_time(spent, number + 1))
        if spent > rules.max_seconds:
            break
    return seen


def _counted(seen: Sequence[Round]) -> tuple[Round, ...]:
    return tuple(each for each in seen if not each.is_one_sided)


def _round(setup: TimingSetup, inputs: RoundInputs, number: int, counted: int, kernel: KernelThreads) -> Round:
    """Run each participant once on the same new inputs, then verify the submission's results."""
    state = Resting()
    rans: dict[Role, Ran] = {}
    for role in _order(number):
        with blaming(role):
            state, rans[role] = _turn(setup, inputs, state.wake(role), kernel)
    by_device = {role: turn.by_device for role, turn in state.turns.items()}
    uneven = 0.0 if share_a_process(setup.device) else UNEVEN
    if by_device[Role.SUBMISSION] <= 0:
        raise FailedError(of_timed_run(NO_TIME, number + 1))
    problem = inputs.verify({role: ran.results for role, ran in rans.items()}, setup.participants)
    if problem is not None:
        raise FailedError(of_timed_run(problem, number + 1))
    return Round(
        submission=by_device[Role.SUBMISSION],
        waited=state.waited - uneven,
        seen=state.seen - LAUNCHES * uneven,
        turn=state.turns[Role.SUBMISSION].seen,
        delay=state.delay,
        kernel_surplus=state.kernel_surplus,
        reference=by_device[Role.REFERENCE],
        control=by_device[Role.CONTROL],
        comparisons=_comparisons(setup, inputs) if counted % COMPARED_EVERY == 0 else None,
        kernels=_by_kernel(setup.participants[Role.SUBMISSION].judged, rans[Role.SUBMISSION].steps),
    )


def _by_kernel(script: Script, seconds: Sequence[float]) -> dict[str, float]:
    """Seconds of all launches of each kernel, by the names of the kernels in the assignment."""
    launches = iter(script.launches)
    found: dict[str, float] = defaultdict(float)
    for step, spent in zip(script.commands, seconds, strict=True):
        if isinstance(step, KernelStep):
            found[next(launches).launch.kernel] += spent
    return dict(found)


def _turn(setup: TimingSetup, inputs: RoundInputs, awake: Awake, kernel: KernelThreads) -> tuple[Resting, Ran]:
    """Run one participant, and return its run, with results if they are to be verified. The submission's worker is
    frozen during the turns of others.
    """
    participant = setup.participants[awake.role]
    _hold_others(setup, awake.role)
    inputs.prepare(participant, STUDENT)
    before = kernel.seconds()
    asked = awake.ask(time.perf_counter())
    ran = inputs.run(participant)
    answered = asked.answer(time.perf_counter(), ran.by_device, ran.clocked, ran.delay)
    taken = inputs.take(participant) if awake.role in inputs.judged else {}
    seconds = time.perf_counter() - asked.since
    share = (kernel.seconds() - before) / seconds if seconds > 0 else 0.0
    participant.worker.session.drop()
    return answered.rest(share), replace(ran, results={**ran.results, **taken})


def _hold_others(setup: TimingSetup, role: Role) -> None:
    """Freeze the submission's worker unless it is its turn. This is not needed on a GPU, whose kernels are idle between
    launches.
    """
    submission = setup.participants[Role.SUBMISSION].worker
    if not share_a_process(setup.device):
        return
    if role is Role.SUBMISSION:
        submission.thaw()
    else:
        submission.freeze()


def _launch(inputs: RoundInputs, participant: Participant, script: str) -> Timing:
    """Supply the inputs of a script, and launch it."""
    inputs.supply(participant, script)
    return unwrap(participant.worker.session.launch(inputs.script(script)))


def _order(number: int) -> tuple[Role, ...]:
    """The order of the roles in a round. It changes from round to round, so that no role benefits from its place. The
    submission is last in one round and first in the next, so it is frozen and thawed only once in two rounds.
    """
    others = (Role.REFERENCE, Role.CONTROL) if number % 4 < 2 else (Role.CONTROL, Role.REFERENCE)
    return (Role.SUBMISSION, *others) if number % 2 else (*others, Role.SUBMISSION)


def _comparisons(setup: TimingSetup, inputs: RoundInputs) -> Comparisons:
    """Time baseline, copy and program on the control worker, with the inputs of this round."""
    control = setup.participants[Role.CONTROL]
    _hold_others(setup, Role.CONTROL)
    timings: dict[str, Timing] = {}
    for script in (name for name in (NAIVE, COPY, WHOLE, PEAK) if name in control.plan.scripts):
        try:
            inputs.prepare(control, script)
            timings[script] = _launch(inputs, control, script)
        except FailedError as failed:
            raise SolutionError(f"the {script} of the assignment failed: {failed.problem.message}") from failed
        control.worker.session.drop()
    whole = timings.get(WHOLE)
    return Comparisons(
        baseline=timings[NAIVE].seconds,
        device_copy=timings[COPY].seconds,
        surroundings=whole.seconds_of(launch.solution_of is not None for launch in setup.assignment.launches)
        if whole
        else None,
        peak=timings[PEAK].seconds if PEAK in timings else None,
    )
