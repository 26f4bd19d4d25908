"""intervals.py: intervals that can be trusted, and the rules that rest on them."""

from dataclasses import replace

import numpy as np
import pytest

from grader.grading.rules import TimingRules
from grader.grading.timing.intervals import (
    CONFIDENCE,
    FEWEST,
    enough,
    fraction_of_reference,
    interval,
    is_blind,
    is_decided,
    is_disturbed,
    is_held_up,
    judged,
    leaves_few,
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
    """That counts where it is longer than the device's clock says; the rest of a turn is for findings."""
    quick = rounds(FEWEST, submission=0.5)
    assert fraction_of_reference(quick).median == 2.0
    assert fraction_of_reference([replace(each, waited=2.0) for each in quick]).median == 0.5
    assert fraction_of_reference([replace(each, seen=4.0) for each in quick]).median == 2.0


def test_an_interval_covers_the_median_as_often_as_it_says():
    """Over 2,000 samples of a skewed distribution, the true median is missed in about 1 % (never above 2 %)."""
    generator = np.random.default_rng(1)
    misses = 0
    for _ in range(2000):
        found = interval(generator.lognormal(size=30).tolist())
        misses += not found.low <= 1.0 <= found.high
    assert misses / 2000 < 2 * (1 - CONFIDENCE)


@pytest.mark.parametrize(("count", "skipped"), [(1, 0), (7, 0), (8, 0), (10, 0), (30, 7), (100, 36)])
def test_an_interval_leaves_out_what_the_binomial_allows(count, skipped):
    """The 8th and 23rd of 30, the 37th and 64th of 100 (tables of the sign test); of few, none."""
    found = interval([float(i) for i in range(count)])
    assert (found.low, found.high) == (skipped, count - 1 - skipped)


def test_a_threshold_inside_the_interval_is_undecided():
    """Whichever band edge it is."""
    ratio = Interval(median=0.7, low=0.65, high=0.75)
    assert is_decided(ratio, [0.5, 0.8])
    assert not is_decided(ratio, [0.5, 0.74])


def test_measuring_stops_at_30_pairs_where_a_threshold_is_near():
    """Decided at 30: stop. Undecided: go on, to 100 pairs or 15 s."""
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
    """On either side, by a factor of 1.5; not before, and not where another is near."""
    rules = TimingRules()
    assert enough(rounds(10), 1.0, [threshold], rules) is clear
    assert not enough(rounds(9), 1.0, [threshold], rules)
    assert not enough(rounds(10), 1.0, [threshold, 0.9], rules)


def test_one_session_is_not_enough_where_its_pairs_differ():
    """One of ten near the threshold, a noisy machine, or no threshold by which anything would be clear: 30 pairs."""
    rules = TimingRules()
    assert not enough([*rounds(9), *rounds(1, submission=1.8)], 1.0, [0.5], rules)
    assert not enough(rounds(10, control=1.2), 1.0, [0.5], rules)
    assert not enough(rounds(10), 1.0, [], rules)


def test_a_clear_verdict_rests_on_both_clocks():
    """The device's says fast, the other that it was waited for as long as a slow one: nothing is clear."""
    claims = [replace(each, submission=0.2, waited=1.0) for each in rounds(10)]
    assert not enough(claims, 1.0, [0.8], TimingRules())
    assert enough(claims, 1.0, [0.5], TimingRules())


def test_ratios_are_taken_round_by_round():
    """A drift of the machine that hits all alike leaves no trace."""
    drifting = rounds(20, submission=2.0) + rounds(20, submission=6.0, reference=3.0, control=3.0)
    assert fraction_of_reference(drifting) == Interval(median=0.5, low=0.5, high=0.5)


def test_both_workers_of_the_model_solution_count():
    """One that is faster by a percent for as long as it lives moves the ratio by half of that."""
    assert fraction_of_reference(rounds(30, reference=1.00, control=1.02)).median == pytest.approx(1.01)
    assert fraction_of_reference(rounds(30, reference=1.02, control=1.00)).median == pytest.approx(1.01)


def test_who_claims_more_than_was_seen_is_measured_by_what_was_seen():
    """By all of its interval: where that holds a threshold, measuring goes on until it is as narrow as can be."""
    waits = 15 * (0.8, 1.6)
    claims = [replace(each, submission=0.1, waited=wait) for each, wait in zip(rounds(30), waits, strict=True)]
    measured = fraction_of_reference(claims)
    assert (measured.low, measured.high) == (1 / 1.6, 1 / 0.8)
    assert not enough(claims, 1.0, [1.0], TimingRules())
    assert enough(claims, 1.0, [0.5], TimingRules())


def test_what_only_the_devices_clock_says_earns_nothing():
    """It can be turned. Where launches are short and the machine is busy, the other clock may see nothing of a third of
    the rounds: then the median of what it saw must be good enough for a threshold, or measuring goes on to its end.
    """
    waits = 10 * (-0.1, 2.1, 2.1)
    claims = [replace(each, submission=1e-6, waited=wait) for each, wait in zip(rounds(30), waits, strict=True)]
    assert is_blind(claims, [0.5])
    assert not enough(claims, 1.0, [0.5], TimingRules())
    assert not is_blind(claims, [0.4])
    assert not is_blind([replace(each, submission=9.0) for each in claims], [0.5])
    assert not is_blind(claims[:3], [0.5])


@pytest.mark.parametrize(("high", "reached"), [(1.01, 0.968), (0.95, 0.95)])
def test_a_few_fast_rounds_earn_at_most_a_tenth_more_than_the_median(high, reached):
    """A kernel at 0.88 of the goal misses it, even if its interval contains the goal."""
    limited = judged(Interval(median=0.88, low=0.8, high=high))
    assert (limited.low, limited.median, limited.high) == (0.8, 0.88, pytest.approx(reached))


@pytest.mark.parametrize(("control", "noisy"), [(1.0, False), (1.09, False), (0.92, False), (1.12, True), (0.88, True)])
def test_a_reference_that_differs_from_itself_by_a_tenth_is_noise(control, noisy):
    """In either direction; while it does, measuring goes on beyond the most pairs, to the end of patience."""
    measured = rounds(30, control=control)
    assert too_noisy(measured, [0.5], TimingRules()) is noisy
    assert enough(measured, 1.0, [0.5], TimingRules()) is not noisy
    assert enough(rounds(100, control=control), 14.9, [0.5], TimingRules()) is not noisy
    assert enough(measured, 15.0, [0.5], TimingRules())


@pytest.mark.parametrize(("spread", "noisy"), [(0.04, False), (0.3, True)])
def test_where_the_verdict_is_in_the_balance_the_machine_must_be_quiet(spread, noisy):
    """The model solution is as fast as itself in the median, and in most rounds it is not: far from a threshold that is
    no matter, at a threshold it would be luck. A submission that is uneven itself makes no noise.
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
    """Rounds of a submission that would reach this speed but for its waits, which are this share of its launches."""
    seconds = 1 / speed / (1 - share)
    return [replace(each, delay=share * seconds) for each in rounds(count, submission=seconds)]


@pytest.mark.parametrize(
    ("share", "speed", "left_open"),
    [
        (0.0, 0.99, False),
        (0.01, 0.98, False),
        (0.4, 1.3, True),
        (0.4, 0.97, True),  # as vectorAdd's loop over a grid beside eight other programs: 1.94 % where it asked for 2
        (0.4, 0.75, True),
        (0.4, 0.7, False),
        (0.4, 1.7, False),
        (0.7, 0.6, True),
        (0.9, 0.5, False),
    ],
)
def test_a_submission_that_waits_for_a_processor_is_not_too_slow(share, speed, left_open):
    """Not while it may reach the threshold alone. Who has its processor slows what is left of its launch as well; we
    allow for the same share, so half of the speed that is asked for is too slow on any machine. Points that it has in
    spite of all are awarded. While it may, no few pairs are enough.
    """
    measured = waiting(share, speed)
    assert is_held_up(measured, [1.0]) is left_open
    assert enough(measured, 1.0, [1.0], TimingRules()) is not left_open
    assert enough(measured, 15.0, [1.0], TimingRules())


def test_points_that_are_awarded_are_not_left_open():
    """The upper end of the interval earns them, whatever waits there were."""
    near = [*waiting(0.02, 0.99, count=16), *waiting(0.02, 1.03, count=14)]
    measured = fraction_of_reference(near)
    assert measured.median < 1.0 < measured.high
    assert not is_held_up(near, [1.0])
    assert is_held_up(near[:16], [1.0])


def test_who_waits_and_is_far_too_slow_is_told_so_after_one_session():
    """As in the quiet; nearer to the threshold than by the share of its waits, it is timed on."""
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
    """At most half of those seen are left out; of seven nothing is said."""
    beside_ours = [replace(each, kernel_surplus=-0.3) for each in rounds(one_sided)]
    assert is_disturbed([*beside_ours, *rounds(even)]) is disturbed


@pytest.mark.parametrize(
    ("even", "one_sided", "few"), [(7, 0, False), (8, 0, False), (8, 8, False), (7, 1, True), (0, 8, True)]
)
def test_eight_rounds_must_count(even, one_sided, few):
    """Where fewer do, of eight or more, no speed is stated."""
    beside_ours = [replace(each, kernel_surplus=-0.3) for each in rounds(one_sided)]
    assert leaves_few([*beside_ours, *rounds(even)]) is few
