"""Statistics of timed pairs: medians with distribution-free intervals, and when there are enough of them."""

from collections.abc import Sequence
from math import comb, inf

import numpy as np

from grader.common.record import replace
from grader.grading.rules import TimingRules
from grader.grading.timing.rounds import Round
from grader.results.metrics import Interval

FEWEST = 8
"""Pairs without which no interval covers the median with CONFIDENCE."""


def fraction_of_reference(rounds: Sequence[Round]) -> Interval:
    """Speed of the submission as a fraction of the model solution's, round by round; in a student kit, the baseline's.

    It is what the device's clock says, as far as another one allows that. The device's is precise, but a submission can
    turn it: native code in a worker, or a kernel on a GPU, whose driver keeps the times of launches where kernels can
    write. The other one is out of reach, and as precise as the machine is quiet: nobody is faster than the upper end of
    what it says of the launch, and who claims to be is measured by it, in as many rounds as that takes. What it says of
    the whole turn is less precise on a GPU, and good for a finding.
    """
    by_device, waited = fraction_by_device(rounds), waited_fraction(rounds)
    if by_device.median > waited.high:
        return waited
    return Interval(median=by_device.median, low=by_device.low, high=min(by_device.high, waited.high))


DOUBT = 1.10
"""Largest ratio of the judged speed to the median. On a machine that counts as quiet, the model solution differs from
itself by no more (`TimingRules.noise_limit`); a wider interval comes from a few disturbed rounds. Without this limit,
a kernel at 0.88 of its goal had full points in 1 of 20 gradings on two cores."""


def judged(fraction: Interval) -> Interval:
    """The interval by which a submission is judged: its upper end is at most DOUBT times the median."""
    return replace(fraction, high=min(fraction.high, DOUBT * fraction.median))


def fraction_by_device(rounds: Sequence[Round]) -> Interval:
    """The same by the device's clock.

    The model solution runs twice in a round, in two workers, and its time is the mean of both: on a GPU, a worker as a
    whole can be faster than another by a percent, with the same kernel on the same data.
    """
    return interval([(each.reference + each.control) / 2 / each.submission for each in rounds])


def waited_fraction(rounds: Sequence[Round]) -> Interval:
    """The same by how long the launch was waited for."""
    return _fraction_by([each.waited for each in rounds], rounds)


def seen_fraction(rounds: Sequence[Round]) -> Interval:
    """The same by what was seen of the whole turn, in whatever part of it the work was done."""
    return _fraction_by([each.seen for each in rounds], rounds)


def _fraction_by(clock: Sequence[float], rounds: Sequence[Round]) -> Interval:
    """Nothing is known of a round in which the clock saw less than our own overhead, nor of a few rounds."""
    if len(rounds) < FEWEST:
        return Interval(median=inf, low=inf, high=inf)
    ours = [(each.reference + each.control) / 2 for each in rounds]
    return interval([mine / own if own > 0 else inf for mine, own in zip(ours, clock, strict=True)])


def noise(rounds: Sequence[Round]) -> Interval:
    """The same for the model solution against itself in another worker."""
    return interval([each.reference / each.control for each in rounds])


def one_sided(seen: Sequence[Round]) -> int:
    """Number of rounds in which the OS kernel worked for one side only; these do not count."""
    return sum(each.is_one_sided for each in seen)


def is_disturbed(seen: Sequence[Round]) -> bool:
    """True if most rounds are one-sided. A submission may cause such rounds and so exclude them, but at most half of
    all rounds: it must not choose the rounds that decide.
    """
    return len(seen) >= FEWEST and 2 * one_sided(seen) > len(seen)


def leaves_few(seen: Sequence[Round]) -> bool:
    """True if enough rounds were seen, but too few of them count for a statement."""
    return len(seen) - one_sided(seen) < FEWEST <= len(seen)


CONFIDENCE = 0.99
"""Of every interval. We look after each pair whether to stop, so the usual 0.95 would be wrong too often."""


def interval(values: Sequence[float]) -> Interval:
    """The median and its confidence interval by order statistics (a sign test turned round).

    The number of values below the true median is binomial (n, 1/2), whatever their distribution; the interval leaves
    out as many values at each end as that allows.
    """
    ordered = sorted(values)
    skip = _skip(len(ordered))
    return Interval(median=float(np.median(ordered)), low=ordered[skip], high=ordered[-1 - skip])


def _skip(count: int) -> int:
    """The most values that can be left out at each end while the rest still covers the median with CONFIDENCE."""
    tail = 0.0
    for skip in range(count):
        tail += comb(count, skip) / 2.0**count
        if tail > (1 - CONFIDENCE) / 2:
            return max(0, skip - 1)
    return 0


def is_decided(ratio: Interval, thresholds: Sequence[float]) -> bool:
    """Whether no threshold lies inside the interval, so that more pairs would hardly change the verdict."""
    return not any(ratio.low <= threshold <= ratio.high for threshold in thresholds)


def enough(rounds: Sequence[Round], seconds: float, thresholds: Sequence[float], rules: TimingRules) -> bool:
    """The stop rule: enough pairs, quiet, and a clear verdict or the most pairs; or `max_seconds` have passed.

    Noise alone is waited out to the end: a median over more pairs strays less.
    """
    if len(rounds) < rules.min_pairs:
        return is_clear(rounds, thresholds, rules)
    if seconds >= rules.max_seconds:
        return True
    if is_open(rounds, thresholds, rules):
        return False
    return len(rounds) >= rules.max_pairs or is_decided(fraction_of_reference(rounds), thresholds)


CLEAR = 1.5
"""How far a threshold must lie from every pair where all pairs are of one session, which may have been kinder to one
worker than to another: a kernel against itself strayed by 1.14 at most (above), which leaves as much again and more."""


def is_clear(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """Whether a few pairs leave no doubt: all of them lie on one side of each threshold, and far from it."""
    if not thresholds or len(rounds) < max(FEWEST, rules.clear_pairs):
        return False
    if is_open(rounds, thresholds, rules):
        return False
    ratio = fraction_of_reference(rounds)
    return is_decided(replace(ratio, low=ratio.low / CLEAR, high=ratio.high * CLEAR), thresholds)


def is_open(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """Whether these pairs tell nothing, for any of three reasons."""
    return too_noisy(rounds, thresholds, rules) or is_held_up(rounds, thresholds) or is_blind(rounds, thresholds)


def too_noisy(rounds: Sequence[Round], thresholds: Sequence[float], rules: TimingRules) -> bool:
    """Whether the model solution against itself is off by more than the limit: then no ratio of this session counts.
    Where the verdict is in the balance, it is enough that it may be off by so much: another session could turn it.
    """
    itself, limit = noise(rounds), 1 + rules.noise_limit
    if not 1 / limit <= itself.median <= limit:
        return True
    may_be = not 1 / limit <= itself.low <= itself.high <= limit
    return may_be and not is_decided(fraction_of_reference(rounds), thresholds)


def is_held_up(rounds: Sequence[Round], thresholds: Sequence[float]) -> bool:
    """Whether the submission might have earned more on a machine that had a processor free for it.

    Only points that are missing need that. A scheduler interrupts long launches, and lets short ones run to their end,
    as our own often are: so a busy machine makes slow kernels look slower, and the model solution against itself shows
    nothing of it. Beside eight other programs on two cores, launches of 20 ms waited for two fifths of their time.

    Programs that take its processor take its caches as well: what was left of those launches took up to 1.4 times as
    long as alone, in medians of gradings. We allow for the share of its waits once more, twice its speed at most.
    """
    measured, undelayed = fraction_of_reference(rounds), fraction_of_reference([each.undelayed for each in rounds])
    alone = undelayed.median * (1 + delayed_share(rounds))
    return any(measured.high < threshold <= alone for threshold in thresholds)


def delayed_share(rounds: Sequence[Round]) -> float:
    """How much of its launch the submission says that it has waited for a processor, in the median."""
    return float(np.median([min(1.0, each.delay / each.submission) for each in rounds]))


def is_blind(rounds: Sequence[Round], thresholds: Sequence[float]) -> bool:
    """Whether points would rest on the device's clock alone, which a submission can tamper with: the other clock has
    seen less than our own overhead in so many rounds that it bounds nothing, and in the median less speed than a
    threshold asks for.
    """
    by_device, waited = fraction_by_device(rounds), waited_fraction(rounds)
    unbounded = len(rounds) >= FEWEST and waited.high == inf
    return unbounded and any(waited.median < threshold <= by_device.high for threshold in thresholds)
