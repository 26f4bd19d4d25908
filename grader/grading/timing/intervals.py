"""Statistics of timed pairs: medians with distribution-free intervals, and the rule that ends a measurement."""

from collections.abc import Sequence
from math import comb, inf

import numpy as np

from grader.common.record import replace
from grader.grading.rules import TimingRules
from grader.grading.timing.rounds import Round
from grader.results.metrics import Interval

FEWEST = 8
"""Minimum number of pairs for which an interval can cover the median with CONFIDENCE."""


def fraction_of_reference(rounds: Sequence[Round]) -> Interval:
    """The speed of the submission as a fraction of the model solution's speed, compared round by round. In a student
    kit, the baseline replaces the model solution.

    Two clocks measure the launch. The device's clock is precise, but a submission can manipulate its times, either with
    native code in a worker, or with a kernel on a GPU, where the driver keeps the times of launches in memory that
    kernels can write. A submission cannot reach the second clock, whose precision depends on how quiet the machine is.
    Therefore the device's clock decides within a bound: a submission never counts as faster than the upper end of the
    second clock's interval. If the device's clock reports a higher speed, the interval of the second clock is the
    result. On a GPU, the second clock's time of the whole turn is less precise, so it only supports a finding.
    """
    by_device, waited = fraction_by_device(rounds), waited_fraction(rounds)
    if by_device.median > waited.high:
        return waited
    return Interval(median=by_device.median, low=by_device.low, high=min(by_device.high, waited.high))


DOUBT = 1.10
"""Maximum ratio of the judged speed to the median. On a machine that counts as quiet, the model solution does not
differ from itself by more than this (`TimingRules.noise_limit`), so a wider interval is caused by a few disturbed
rounds. Without this limit, a kernel at 0.88 of its goal got full points in 1 of 20 gradings on two cores.
"""


def judged(fraction: Interval) -> Interval:
    """The interval that decides about a submission. Its upper end is at most DOUBT times the median."""
    return replace(fraction, high=min(fraction.high, DOUBT * fraction.median))


def fraction_by_device(rounds: Sequence[Round]) -> Interval:
    """The fraction of the reference speed by the device's clock. The model solution runs twice in a round, in two
    workers, and its time is the mean of both. This is needed because one worker on a GPU can be a percent faster than
    another in all of its launches, with the same kernel on the same data.
    """
    return interval([(each.reference + each.control) / 2 / each.submission for each in rounds])


def waited_fraction(rounds: Sequence[Round]) -> Interval:
    """The fraction of the reference speed by the second clock's time of the launch."""
    return _fraction_by([each.waited for each in rounds], rounds)


def seen_fraction(rounds: Sequence[Round]) -> Interval:
    """The fraction of the reference speed by the second clock's time of the whole turn, including all work
    in the turn.
    """
    return _fraction_by([each.seen for each in rounds], rounds)


def _fraction_by(clock: Sequence[float], rounds: Sequence[Round]) -> Interval:
    """The fraction of the reference speed, where `clock` contains the submission's seconds in each round. If the clock
    measured less than the overhead of grader's own workers in a round, its fraction is infinite. With fewer than FEWEST
    rounds, the whole interval is infinite.
    """
    if len(rounds) < FEWEST:
        return Interval(median=inf, low=inf, high=inf)
    ours = [(each.reference + each.control) / 2 for each in rounds]
    return interval([mine / own if own > 0 else inf for mine, own in zip(ours, clock, strict=True)])


def noise(rounds: Sequence[Round]) -> Interval:
    """The speed of the model solution as a fraction of its speed in another worker."""
    return interval([each.reference / each.control for each in rounds])


def one_sided(seen: Sequence[Round]) -> int:
    """Number of rounds in which the OS kernel worked for one side only. Such rounds do not count."""
    return sum(each.is_one_sided for each in seen)


def is_disturbed(seen: Sequence[Round]) -> bool:
    """True if most rounds are one-sided.

    A submission can make rounds one-sided, which excludes them. It must not be able to choose the rounds that decide,
    so at most half of all rounds may be excluded.
    """
    return len(seen) >= FEWEST and 2 * one_sided(seen) > len(seen)


def leaves_few(seen: Sequence[Round]) -> bool:
    """True if there are enough rounds, but too few of them count for a verdict."""
    return len(seen) - one_sided(seen) < FEWEST <= len(seen)


CONFIDENCE = 0.99
"""Confidence of every interval. A measurement may stop after any pair, so the usual 0.95 would be wrong too often."""


def interval(values: Sequence[float]) -> Interval:
    """The median and its confidence interval by order statistics (the inversion of a sign test). For every
    distribution, the number of values below the true median follows a binomial distribution (n, 1/2). The interval
    excludes as many values at each end as CONFIDENCE allows.
    """
    ordered = sorted(values)
    skip = _skip(len(ordered))
    return Interval(median=float(np.median(ordered)), low=ordered[skip], high=ordered[-1 - skip])


def _skip(count: int) -> int:
    """Maximum number of values that can be excluded at each end if the rest must cover the median with CONFIDENCE."""
    tail = 0.0
    for skip in range(count):
        tail += comb(count, skip) / 2.0**count
        if tail > (1 - CONFIDENCE) / 2:
            return max(0, skip - 1)
    return 0


def is_decided(ratio: Interval, thresholds: Sequence[float]) -> bool:
    """True if no threshold is inside the interval, so that more pairs would hardly change the verdict."""
    return not any(ratio.low <= threshold <= ratio.high for threshold in thresholds)


def enough(rounds: Sequence[Round], seconds: float, thresholds: Sequence[float], rules: TimingRules) -> bool:
    """True if the measurement can stop after these rounds, which took `seconds`. With fewer than `min_pairs` pairs, it
    stops only at a clear verdict (`is_clear`). With more pairs, it stops after `max_seconds`. It stops earlier if the
    pairs are usable (not `is_open`) and either the verdict is decided or there are `max_pairs` pairs. If the pairs are
    noisy, the measurement uses all of the time, because a median over more pairs is more precise.
    """
    if len(rounds) < rules.min_pairs:
        return is_clear(rounds, thresholds, rules)
    if seconds >= rules.max_seconds:
        return True
    if is_open(rounds, thresholds, rules):
        return False
    return len(rounds) >= rules.max_pairs or is_decided(fraction_of_reference(rounds), thresholds)


CLEAR = 1.5
"""Minimum ratio between a threshold and the interval if all pairs come from one session. One session may favour a
worker; the ratio of a kernel to itself was at most 1.14 (`TimingRules`). This factor allows for more than twice that
deviation.
"""


def is_clear(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """True if a few pairs are enough because they are all on one side of each threshold, and far from it."""
    if not thresholds or len(rounds) < max(FEWEST, rules.clear_pairs):
        return False
    if is_open(rounds, thresholds, rules):
        return False
    ratio = fraction_of_reference(rounds)
    return is_decided(replace(ratio, low=ratio.low / CLEAR, high=ratio.high * CLEAR), thresholds)


def is_open(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """True if these pairs do not allow a verdict, because they are too noisy, the submission was held up, or a clock
    does not provide a bound.
    """
    return too_noisy(rounds, thresholds, rules) or is_held_up(rounds, thresholds) or is_blind(rounds, thresholds)


def too_noisy(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """True if the model solution differs from itself by more than the limit, so that the ratios of this session do not
    count. If the verdict is not decided, it is enough that the difference may exceed the limit, because the interval
    reaches beyond it. Another session could then change the verdict.
    """
    itself, limit = noise(rounds), 1 + rules.noise_limit
    if not 1 / limit <= itself.median <= limit:
        return True
    may_be = not 1 / limit <= itself.low <= itself.high <= limit
    return may_be and not is_decided(fraction_of_reference(rounds), thresholds)


def is_held_up(rounds: Sequence[Round], thresholds: Sequence[float]) -> bool:
    """True if the submission might earn more points on a machine that has a free processor for it.

    This matters only if points are missing. A scheduler interrupts long launches and runs short ones to their end, and
    grader's own launches are often short. Therefore a busy machine makes slow kernels look even slower, which the
    comparison of the model solution with itself does not reveal. With eight other programs on two cores, launches of 20
    ms waited for two fifths of their time.

    Programs that use the submission's processor also use its caches. Even without their waiting times, those launches
    took up to 1.4 times as long as on an idle machine, in medians of gradings. Therefore the undelayed speed is raised
    by the share of the waiting times, to at most twice that speed.
    """
    measured, undelayed = fraction_of_reference(rounds), fraction_of_reference([each.undelayed for each in rounds])
    alone = undelayed.median * (1 + delayed_share(rounds))
    return any(measured.high < threshold <= alone for threshold in thresholds)


def delayed_share(rounds: Sequence[Round]) -> float:
    """Median share of a launch in which the submission waited for a processor, as reported by its worker."""
    return float(np.median([min(1.0, each.delay / each.submission) for each in rounds]))


WIDE = 1.5
"""Maximum ratio of the upper end of the second clock's interval to its median, if this clock is a bound by itself. On a
busy machine, grader's own workers may be delayed more than the submission, which makes the interval wide and its median
too fast. In simulated gradings at four loads, kernels with 0.2 or 0.3 of the model solution's speed, which claimed 0.45
or more, got points for a goal of 0.4 in 2 of 1,200 cases. Without this rule, most of them got points at high load.
"""


def is_blind(rounds: Sequence[Round], thresholds: Sequence[float]) -> bool:
    """True if points would depend only on the device's clock, which a submission can manipulate. In this case the
    second clock's interval is WIDE, so its upper end is hardly a bound. Then points count only if the device's clock
    does not contradict the second clock's median, and the whole interval reaches the threshold.
    """
    by_device, waited = fraction_by_device(rounds), waited_fraction(rounds)
    reached = [threshold for threshold in thresholds if threshold <= by_device.high]
    is_wide = waited.high == inf or waited.high > WIDE * waited.median
    if len(rounds) < FEWEST or not is_wide or not reached:
        return False
    return by_device.low > WIDE * waited.median or any(waited.low < threshold for threshold in reached)
