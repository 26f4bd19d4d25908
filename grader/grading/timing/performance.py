"""Derives the performance check from timed rounds: rates, plausibility, points, and the message."""

import time
from collections.abc import Iterator, Mapping
from statistics import median

from grader.common.phrases import percent, share_of
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import SpeedGoal
from grader.course.expressions import evaluate
from grader.course.rubric import Kind, SpeedGoals
from grader.course.speed_goals import device_class, model_speed, speed_goal
from grader.execution.device import copy_size, peak_run, share_a_process
from grader.grading.checks.requirements import worth
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.intervals import (
    FEWEST,
    fraction_by_device,
    fraction_of_reference,
    interval,
    judged,
    noise,
    seen_fraction,
)
from grader.grading.timing.measurement import measure
from grader.grading.timing.rounds import Round
from grader.grading.timing.speed_problems import (
    of_missed_goal,
    of_missed_minimum,
    of_other_clock,
    of_speed_elsewhere,
    of_too_fast,
    of_too_much_arithmetic,
)
from grader.grading.timing.timing_setup import TimingSetup
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, full_marks
from grader.results.metrics import Interval, KernelSpeed, Performance, Program, Roofs, Samples
from grader.results.result import Result
from grader.results.verdicts import Reason, Verdict

CEILING = 1.05
"""Maximum plausible speed of a kernel on a GPU, as a multiple of the highest known speed, which is the fastest copy or
the highest rate of multiplying and adding. The part above 1 allows for noise.
"""

CLOCK_SHARE = 1.25
"""Maximum plausible ratio of the time by the second clock, without noise, to the time by the device's clock. Below it,
points depend on the longer time, which is the turn's time on a CPU and the launch's time on a GPU.
"""


def check_performance(setup: TimingSetup, rules: TimingRules, roofs: Roofs | None = None) -> Check:
    """Measure the speed and judge it. `roofs` come from the profile of the device, if there is one."""
    start = time.perf_counter()
    rounds = measure(setup, rules)
    check = replace(unmeasured(setup.assignment, setup.device), seconds=time.perf_counter() - start)
    if isinstance(rounds, Problem):
        return rounds.mark(check)
    performance = replace(summarise(setup.assignment, setup.device, rounds), roofs=roofs)
    problem = implausible(performance, rounds, setup.device)
    if problem is not None:
        return problem.fail(replace(check, performance=performance))
    return judge(check, performance, setup.goal, setup.device)


def unmeasured(assignment: Assignment, device: DeviceFacts) -> Check:
    """The performance check before the speed is known."""
    speed_goal(assignment, device)  # raises an error if there is none
    (asked,) = assignment.speed_goals.asked(device_class(device))
    return full_marks(asked)


def rescored(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Judge the measured speed of a stored result again, by the current version of the assignment."""
    return (
        _rejudged(check, assignment, result.provenance.device)
        for check in result.checks
        if check.kind is Kind.PERFORMANCE
    )


def _rejudged(check: Check, assignment: Assignment, device: DeviceFacts) -> Check:
    goal = speed_goal(assignment, device)
    if check.performance is None or check.reason in {Reason.IMPLAUSIBLE, Reason.DECIDED_ELSEWHERE}:
        return worth(check, goal.points)
    fresh = replace(unmeasured(assignment, device), seconds=check.seconds, usage=check.usage)
    return judge(fresh, check.performance, goal, device)


def summarise(assignment: Assignment, device: DeviceFacts, rounds: tuple[Round, ...]) -> Performance:
    """Summarise the rounds as rates and ratios."""
    goal, asked = speed_goal(assignment, device), assignment.speed_goals
    names = assignment.names(goal.sizes)
    moved = evaluate(asked.bytes, names)
    flop = None if asked.flop is None else evaluate(asked.flop, names)
    work = evaluate(asked.work, names)
    seconds = interval([each.submission for each in rounds])
    fraction = judged(fraction_of_reference(rounds))
    known = model_speed(assignment, device)
    shows = [(each, each.comparisons) for each in rounds if each.comparisons is not None]
    copied = 2 * copy_size(assignment, device)
    copy_bandwidth = copied / median(show.device_copy for _, show in shows) * 1e-9
    return Performance(
        device_class=device_class(device),
        sizes=goal.sizes,
        pairs=len(rounds),
        seconds=seconds,
        unit=asked.unit,
        rate=Interval(
            median=work / seconds.median * 1e-9, low=work / seconds.high * 1e-9, high=work / seconds.low * 1e-9
        ),
        fraction_of_reference=None if known is None else fraction.over(known),
        yardstick=None if assignment.kit is None else known,
        speed_up_over_baseline=interval([show.baseline / each.submission for each, show in shows])
        if assignment.kit is None
        else fraction,
        noise=noise(rounds),
        copy_bandwidth=copy_bandwidth,
        fraction_of_copy=moved / seconds.median * 1e-9 / copy_bandwidth,
        bytes=moved,
        flop=flop,
        peak=_peak(device, rounds),
        program=_program(rounds, moved, copy_bandwidth),
        kernels=tuple(_kernels(asked, names, rounds)),
        samples=_samples(assignment, rounds),
    )


def _samples(assignment: Assignment, rounds: tuple[Round, ...]) -> Samples:
    """All times in seconds. In a student kit, the times of the reference are times of the baseline."""
    shows = [each.comparisons for each in rounds if each.comparisons is not None]
    reference = tuple(each.reference for each in rounds)
    in_kit = assignment.kit is not None
    return Samples(
        submission=tuple(each.submission for each in rounds),
        reference=() if in_kit else reference,
        control=() if in_kit else tuple(each.control for each in rounds),
        baseline=reference if in_kit else tuple(show.baseline for show in shows),
        device_copy=tuple(show.device_copy for show in shows),
    )


def _peak(device: DeviceFacts, rounds: tuple[Round, ...]) -> float | None:
    """The rate of the kernel that only computes, in GFLOPS; None for assignments whose kernels only move data."""
    seconds = _peak_seconds(rounds)
    return peak_run(device).flop / median(seconds) * 1e-9 if seconds else None


def _peak_seconds(rounds: tuple[Round, ...]) -> list[float]:
    return [each.comparisons.peak for each in rounds if each.comparisons and each.comparisons.peak is not None]


def _program(rounds: tuple[Round, ...], moved: float, copy_bandwidth: float) -> Program | None:
    """The speed of the whole program, in which the submission runs the student's steps, and grader's own kernels run
    the other steps.
    """
    times = [
        (each.submission + each.comparisons.surroundings, each.comparisons.baseline)
        for each in rounds
        if each.comparisons is not None and each.comparisons.surroundings is not None
    ]
    if not times:
        return None
    seconds = median(whole for whole, _ in times)
    return Program(
        seconds=seconds,
        speed_up=median(baseline / whole for whole, baseline in times),
        fraction_of_copy=moved / seconds * 1e-9 / copy_bandwidth,
    )


def _kernels(asked: SpeedGoals, names: Mapping[str, object], rounds: tuple[Round, ...]) -> Iterator[KernelSpeed]:
    """Yield the speeds of the kernels for which the assignment states quantities."""
    for kernel, quantities in asked.kernels.items():
        seconds = median(each.kernels.get(kernel, 0.0) for each in rounds)
        if seconds > 0:  # a time of 0 is shorter than the device's clock can measure
            rate = evaluate(quantities.work, names) / seconds * 1e-9
            yield KernelSpeed(kernel=kernel, seconds=seconds, rate=rate, unit=quantities.unit)


def judge(check: Check, performance: Performance, goal: SpeedGoal, device: DeviceFacts) -> Check:
    """Return the check with verdict and points for a measured speed."""
    check = replace(check, performance=performance)
    if performance.fraction_of_reference is None:
        return of_speed_elsewhere(performance).skip(check)
    required = required_rate(goal, device.name)
    if required is not None and performance.rate.high < required:
        return of_missed_minimum(performance.rate.median, required, performance.unit, device.name).fail(check)
    verdict, points = award_speed(goal, performance.fraction_of_reference)
    if verdict is Verdict.PASSED:
        told = replace(check, message=_reached_goal(performance.fraction_of_reference, goal))
    else:
        told = of_missed_goal(performance.fraction_of_reference, goal, performance.device_class).fail(check)
    return replace(told, verdict=verdict, points=points)


def implausible(performance: Performance, rounds: tuple[Round, ...], device: DeviceFacts) -> Problem | None:
    """Return a problem if the measured values are implausible; None if they are plausible, or if there are too few
    rounds to decide. A submission can manipulate the device's clock, but not the second clock, which measures the true
    time of a kernel. On a CPU, bandwidth is not a limit because caches are faster than any copy. On a GPU, the second
    clock is less precise, but no kernel is faster than the memory and the arithmetic units.
    """
    if len(rounds) < FEWEST:
        return None
    if share_a_process(device):
        return _of_two_clocks(performance, rounds)
    too_fast = _beyond_memory(performance) or _beyond_arithmetic(performance, rounds)
    return too_fast or _of_two_clocks(performance, rounds)


def _of_two_clocks(performance: Performance, rounds: tuple[Round, ...]) -> Problem | None:
    """The problem if the two clocks disagree. The nearest ends of the intervals are compared, so that a busy machine
    does not look like a fraud.
    """
    by_device, seen = fraction_by_device(rounds), seen_fraction(rounds)
    if by_device.low <= CLOCK_SHARE * seen.high:
        return None
    return of_other_clock(performance.seconds.median, median(each.seen for each in rounds))


def _beyond_memory(performance: Performance) -> Problem | None:
    """The problem if the kernel moves data faster than the fastest known copy, in the session or in the profile. The
    slow end of the interval of the kernel's times is used.
    """
    copies = performance.samples.device_copy
    in_session = performance.copy_bandwidth * median(copies) / min(copies)
    profiled = performance.roofs.copy_bandwidth.high if performance.roofs else 0.0
    moved = performance.bytes / performance.seconds.high * 1e-9
    fastest = max(in_session, profiled)
    return of_too_fast(moved / fastest) if moved > CEILING * fastest else None


def _beyond_arithmetic(performance: Performance, rounds: tuple[Round, ...]) -> Problem | None:
    """Problem if the kernel computes faster than the highest known rate of multiplying and adding.

    Only rates in GFLOPS have such a limit.
    """
    known = [performance.roofs.fp32_rate.high] if performance.roofs else []
    if performance.peak is not None and (seconds := _peak_seconds(rounds)):
        known.append(performance.peak * median(seconds) / min(seconds))
    if performance.unit != "GFLOPS" or not known or performance.rate.low <= CEILING * max(known):
        return None
    return of_too_much_arithmetic(performance.rate.low / max(known))


def _reached_goal(fraction: Interval, goal: SpeedGoal) -> str:
    """Sentence about a kernel that is fast enough for full points."""
    return (
        f"it runs at {share_of(fraction.median)} the model solution's speed; "
        f"full points need {percent(goal.bands[0].fraction)}."
    )


def award_speed(goal: SpeedGoal, fraction: Interval) -> tuple[Verdict, float]:
    """Return verdict and points of the highest band that the fraction may reach, with the benefit of the doubt.

    The upper end of the interval decides. Therefore a kernel that is exactly as fast as a band requires misses the band
    only once in 200 gradings (CONFIDENCE in timing/intervals.py). If the median decided, it would miss the band every
    second time. DOUBT in timing/intervals.py limits the distance between the upper end and the median.
    """
    for band in goal.bands:
        if fraction.high >= band.fraction:
            return Verdict.PASSED if band is goal.bands[0] else Verdict.PARTIAL, band.points
    return Verdict.FAILED, 0.0


def required_rate(goal: SpeedGoal, device_name: str) -> float | None:
    """Return the absolute minimum rate for this device; None if the assignment does not set one."""
    return next((rate for name, rate in goal.minimum.items() if name.lower() in device_name.lower()), None)
