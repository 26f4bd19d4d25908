"""intervals.py: confidence intervals of speeds, and decisions that depend on them."""

import random
from dataclasses import replace

import numpy as np
import pytest

from grader.grading.rules import TimingRules
from grader.grading.timing.intervals import (
    CONFIDENCE,
    FEWEST,
    enough,
    fraction_by_device,
    fraction_of_reference,
    interval,
    is_blind,
    is_decided,
    is_disturbed,
    is_held_up,
    judged,
    leaves_few,
    seen_fraction,
    too_noisy,
)
from grader.grading.timing.rounds import Round
from grader.results.metrics import Interval


def rounds(count, submission=1.0, reference=1.0, control=1.0):
    return [
        Round(
            submission=submission,
            reference=reference,
            control=control,
            waited=submission,
            seen=submission,
            turn=submission,
            delay=0.0,
            kernel_surplus=0.0,
            comparisons=None,
        )
        for _ in range(count)
    ]


def test_nobody_is_faster_than_a_launch_was_waited_for():
    """If the grader waited longer for a launch than the device reports, the waiting time is used. The time of the whole
    turn does not affect the speed.
    """
    quick = rounds(FEWEST, submission=0.5)
    assert fraction_of_reference(quick).median == 2.0
    assert fraction_of_reference([replace(each, waited=2.0) for each in quick]).median == 0.5
    assert fraction_of_reference([replace(each, seen=4.0) for each in quick]).median == 2.0


def test_an_interval_covers_the_median_as_often_as_it_says():
    """In 2,000 samples of a skewed distribution, the interval misses the true median in about 1 % of the samples, and
    in less than 2 %.
    """
    generator = np.random.default_rng(1)
    misses = 0
    for _ in range(2000):
        found = interval(generator.lognormal(size=30).tolist())
        misses += not found.low <= 1.0 <= found.high
    assert misses / 2000 < 2 * (1 - CONFIDENCE)


@pytest.mark.parametrize(("count", "skipped"), [(1, 0), (7, 0), (8, 0), (10, 0), (30, 7), (100, 36)])
def test_an_interval_leaves_out_what_the_binomial_allows(count, skipped):
    """The ends of the interval have the ranks that the binomial distribution gives: 8 and 23 of 30 values, and 37 and
    64 of 100 (tables of the sign test). For few values, the interval contains all of them.
    """
    found = interval([float(i) for i in range(count)])
    assert (found.low, found.high) == (skipped, count - 1 - skipped)


def test_a_threshold_inside_the_interval_is_undecided():
    """If a threshold lies inside the interval, the verdict is undecided. This applies to the threshold of each band."""
    ratio = Interval(median=0.7, low=0.65, high=0.75)
    assert is_decided(ratio, [0.5, 0.8])
    assert not is_decided(ratio, [0.5, 0.74])


def test_measuring_stops_at_30_pairs_where_a_threshold_is_near():
    """Measuring stops after 30 pairs if every threshold is decided. Otherwise, it continues to 100 pairs or 15 s."""
    rules = TimingRules()
    assert not enough(rounds(29), 1.0, [0.9], rules)
    assert enough(rounds(30), 1.0, [0.9], rules)
    assert not enough(rounds(30), 1.0, [1.0], rules)
    assert not enough(rounds(99), 14.9, [1.0], rules)
    assert enough(rounds(100), 1.0, [1.0], rules)
    assert enough(rounds(30), 15.0, [1.0], rules)
    assert not enough(rounds(10), 60.0, [1.0], rules)


@pytest.mark.parametrize(("threshold", "clear"), [(0.5, True), (0.66, True), (0.67, False), (1.49, False), (1.6, True)])
def test_measuring_stops_after_one_session_where_every_threshold_is_far(threshold, clear):
    """If every threshold differs from the speed by a factor of at least 1.5, measuring stops after one session of ten
    pairs. It does not stop earlier, or if another threshold is closer.
    """
    rules = TimingRules()
    assert enough(rounds(10), 1.0, [threshold], rules) is clear
    assert not enough(rounds(9), 1.0, [threshold], rules)
    assert not enough(rounds(10), 1.0, [threshold, 0.9], rules)


def test_one_session_is_not_enough_where_its_pairs_differ():
    """One session is not enough if one of its ten pairs is close to the threshold, if the machine is noisy, or if there
    is no threshold. Then 30 pairs are needed.
    """
    rules = TimingRules()
    assert not enough([*rounds(9), *rounds(1, submission=1.8)], 1.0, [0.5], rules)
    assert not enough(rounds(10, control=1.2), 1.0, [0.5], rules)
    assert not enough(rounds(10), 1.0, [], rules)


def test_a_clear_verdict_rests_on_both_clocks():
    """An early decision must be confirmed by both clocks. If the device's clock reports a fast launch but the grader
    waited as long as for a slow one, measuring continues.
    """
    claims = [replace(each, submission=0.2, waited=1.0) for each in rounds(10)]
    assert not enough(claims, 1.0, [0.8], TimingRules())
    assert enough(claims, 1.0, [0.5], TimingRules())


def test_ratios_are_taken_round_by_round():
    """Ratios are computed within each round, so a drift of the machine that affects all workers equally does not change
    them.
    """
    drifting = rounds(20, submission=2.0) + rounds(20, submission=6.0, reference=3.0, control=3.0)
    assert fraction_of_reference(drifting) == Interval(median=0.5, low=0.5, high=0.5)


def test_both_workers_of_the_model_solution_count():
    """The ratio is based on both workers of the model solution. If one of them is 2 % slower, the ratio changes by 1
    %.
    """
    assert fraction_of_reference(rounds(30, reference=1.00, control=1.02)).median == pytest.approx(1.01)
    assert fraction_of_reference(rounds(30, reference=1.02, control=1.00)).median == pytest.approx(1.01)


def test_who_claims_more_than_was_seen_is_measured_by_what_was_seen():
    """If the device's clock reports less than the waiting time, the waiting time is used. If a threshold lies inside
    the resulting interval, measuring continues to the largest number of pairs.
    """
    waits = 15 * (0.8, 1.6)
    claims = [replace(each, submission=0.1, waited=wait) for each, wait in zip(rounds(30), waits, strict=True)]
    measured = fraction_of_reference(claims)
    assert (measured.low, measured.high) == (1 / 1.6, 1 / 0.8)
    assert not enough(claims, 1.0, [1.0], TimingRules())
    assert enough(claims, 1.0, [0.5], TimingRules())


@pytest.mark.parametrize(
    ("launch", "waits", "goal", "blind"),
    [
        (1e-6, (-0.1, 2.1, 2.1), 0.5, True),
        (1e-6, (-0.1, 2.1, 2.1), 0.4, True),
        (2.0, (-0.1, 2.1, 2.1), 0.4, False),
        (2.2, (0.2, 2.9, 3.0), 0.4, True),
        (2.2, (0.2, 2.9, 3.0), 0.3, False),
        (1.6, (2.8, 2.9, 3.0), 0.4, False),
        (9.0, (-0.1, 2.1, 2.1), 0.4, False),
    ],
    ids=["unseen", "huge", "seen", "wide", "wide and reached", "narrow", "slow"],
)
def test_what_only_the_devices_clock_says_earns_nothing(launch, waits, goal, blind):
    """A speed that only the device's clock reports earns no points, because a submission can manipulate this clock. On
    a busy machine, grader's own workers may be delayed more than the submission, so in a third of the rounds the
    waiting time of a launch is too short, or invisible. Then the other rounds must reach the threshold, and the device
    must not claim far more than they show, or measuring continues to its end.
    """
    pairs = zip(rounds(30), 10 * waits, strict=True)
    claims = [replace(each, submission=launch, waited=wait) for each, wait in pairs]
    assert is_blind(claims, [goal]) is blind
    assert not (blind and enough(claims, 1.0, [goal], TimingRules()))
    assert not is_blind(claims[:3], [goal])


def crowded(seed):
    """Rounds of a kernel with 0.3 of the model solution's speed that claims 0.6, on a machine that delays turns by
    chance.
    """
    chance = random.Random(seed)
    for _ in range(15):
        (model, again), slow = (0.008 * chance.uniform(1, 1.6) for _ in "ab"), 0.008 / 0.3 * chance.uniform(1, 1.6)
        mine, *ours = (chance.expovariate(50) * (chance.random() < 0.6) for _ in "abc")
        seen = slow + mine - sum(ours) / 2
        yield replace(rounds(1, 0.008 / 0.6, model, again)[0], waited=seen, seen=seen)


def test_delays_of_the_model_solutions_workers_pay_no_kernel():
    """On a busy machine, a slow kernel that claims to be fast never reaches the goal. Its speed is open, or the second
    clock refutes its claim.
    """
    for measured in map(list, map(crowded, range(100))):
        implausible = fraction_by_device(measured).low > 1.25 * seen_fraction(measured).high
        is_open = is_blind(measured, [0.4]) or too_noisy(measured, [0.4], TimingRules())
        assert implausible or is_open or judged(fraction_of_reference(measured)).high < 0.4


@pytest.mark.parametrize(("high", "reached"), [(1.01, 0.968), (0.95, 0.95)])
def test_a_few_fast_rounds_earn_at_most_a_tenth_more_than_the_median(high, reached):
    """A few fast rounds can raise the speed by at most a tenth above the median. A kernel whose median is 0.88 of the
    goal misses it, even if the interval contains the goal.
    """
    limited = judged(Interval(median=0.88, low=0.8, high=high))
    assert (limited.low, limited.median, limited.high) == (0.8, 0.88, pytest.approx(reached))


@pytest.mark.parametrize(("control", "noisy"), [(1.0, False), (1.09, False), (0.92, False), (1.12, True), (0.88, True)])
def test_a_reference_that_differs_from_itself_by_a_tenth_is_noise(control, noisy):
    """If the speeds of the model solution's two workers differ by more than a tenth in either direction, the machine is
    too noisy. Measuring then continues beyond the largest number of pairs until the time is over.
    """
    measured = rounds(30, control=control)
    assert too_noisy(measured, [0.5], TimingRules()) is noisy
    assert enough(measured, 1.0, [0.5], TimingRules()) is not noisy
    assert enough(rounds(100, control=control), 14.9, [0.5], TimingRules()) is not noisy
    assert enough(measured, 15.0, [0.5], TimingRules())


@pytest.mark.parametrize(("spread", "noisy"), [(0.04, False), (0.3, True)])
def test_where_the_verdict_is_in_the_balance_the_machine_must_be_quiet(spread, noisy):
    """A verdict close to a threshold is accepted only on a quiet machine. If the model solution's two workers are
    equally fast in the median but not in most rounds, such a verdict would be luck, but a verdict far from any
    threshold is sound. An uneven submission alone is not noise.
    """
    signs = (0, *(15 * (1, -1)))
    uneven = [rounds(1, reference=1 + sign * spread, control=1 - sign * spread)[0] for sign in signs]
    assert too_noisy(uneven, [1.0], TimingRules()) is noisy
    assert enough([*uneven, *uneven, *uneven, *uneven], 1.0, [1.0], TimingRules()) is not noisy
    assert not too_noisy(uneven, [0.5], TimingRules())
    assert not too_noisy(uneven, [], TimingRules())
    fickle = [rounds(1, submission=seconds)[0] for seconds in 15 * (0.5, 2.0)]
    assert not is_decided(fraction_of_reference(fickle), [1.0])
    assert not too_noisy(fickle, [1.0], TimingRules())


def waiting(share, speed, count=30):
    """Return rounds of a submission that spends `share` of each launch waiting for a processor, and that would reach
    `speed` without these waits.
    """
    seconds = 1 / speed / (1 - share)
    return [replace(each, delay=share * seconds) for each in rounds(count, submission=seconds)]


@pytest.mark.parametrize(
    ("share", "speed", "left_open"),
    [
        (0.0, 0.99, False),
        (0.01, 0.98, False),
        (0.4, 1.3, True),
        (0.4, 0.97, True),  # as vectorAdd's grid-stride loop beside eight other programs: 1.94 % where the goal was 2 %
        (0.4, 0.75, True),
        (0.4, 0.7, False),
        (0.4, 1.7, False),
        (0.7, 0.6, True),
        (0.9, 0.5, False),
    ],
)
def test_a_submission_that_waits_for_a_processor_is_not_too_slow(share, speed, left_open):
    """If a submission waited for a processor, it is not called too slow as long as it might reach the threshold on a
    quiet machine. The program that ran instead also slows down the rest of the launch, so the same share is allowed
    once more, and a submission with half of the required speed is too slow in any case. Points that are reached in
    spite of the waits are awarded. While the decision is open, a few pairs are not enough.
    """
    measured = waiting(share, speed)
    assert is_held_up(measured, [1.0]) is left_open
    assert enough(measured, 1.0, [1.0], TimingRules()) is not left_open
    assert enough(measured, 15.0, [1.0], TimingRules())


def test_points_that_are_awarded_are_not_left_open():
    """If the upper end of the interval reaches the threshold, the points are awarded in spite of the waits."""
    near = [*waiting(0.02, 0.99, count=16), *waiting(0.02, 1.03, count=14)]
    measured = fraction_of_reference(near)
    assert measured.median < 1.0 < measured.high
    assert not is_held_up(near, [1.0])
    assert is_held_up(near[:16], [1.0])


def test_who_waits_and_is_far_too_slow_is_told_so_after_one_session():
    """A submission that waits and is far too slow is decided after one session, as on a quiet machine. If it might
    reach the threshold without the waits, measuring continues.
    """
    assert enough(waiting(0.4, 0.4, count=10), 1.0, [1.0], TimingRules())
    assert not enough(waiting(0.4, 0.75, count=10), 1.0, [1.0], TimingRules())


@pytest.mark.parametrize(
    ("even", "one_sided", "disturbed"),
    [
        (0, 7, False),
        (7, 0, False),
        (8, 0, False),
        (7, 1, False),
        (4, 4, False),
        (3, 5, True),
        (0, 8, True),
        (8, 8, False),
        (8, 9, True),
        (30, 29, False),
    ],
)
def test_a_speed_is_disturbed_if_most_rounds_are_one_sided(even, one_sided, disturbed):
    """A speed is disturbed if more than half of the rounds are one-sided. With fewer than eight rounds, this is not
    decided.
    """
    beside_ours = [replace(each, kernel_surplus=-0.3) for each in rounds(one_sided)]
    assert is_disturbed([*beside_ours, *rounds(even)]) is disturbed


@pytest.mark.parametrize(
    ("even", "one_sided", "few"), [(7, 0, False), (8, 0, False), (8, 8, False), (7, 1, True), (0, 8, True)]
)
def test_eight_rounds_must_count(even, one_sided, few):
    """If eight or more rounds were timed but fewer than eight of them count, no speed is reported."""
    beside_ours = [replace(each, kernel_surplus=-0.3) for each in rounds(one_sided)]
    assert leaves_few([*beside_ours, *rounds(even)]) is few
