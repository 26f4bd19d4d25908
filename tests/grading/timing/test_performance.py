"""performance.py: the rounds of a measurement become a check, and the measured speed earns points."""

from dataclasses import replace

import pytest
from samples import DEVICE, ROOFS, performance
from timing_setups import MS, RULES, at_sizes, begun, fake_setup, one_bit_wrong, with_constants

from grader.common.phrases import share_of
from grader.course.criteria import Band, Case, Quantities, SpeedGoal, WorkCount
from grader.course.rubric import Correctness
from grader.course.tolerance import Tolerance
from grader.execution.device import GPU_COPY_BYTES
from grader.execution.plan import STUDENT
from grader.grading.timing.intervals import FEWEST
from grader.grading.timing.measurement import measure
from grader.grading.timing.performance import (
    CLOCK_SHARE,
    award_speed,
    check_performance,
    implausible,
    judge,
    required_rate,
    summarise,
    unmeasured,
)
from grader.grading.timing.rounds import Comparisons, Role, Round
from grader.results.metrics import Interval
from grader.results.verdicts import Reason, Verdict

pytestmark = pytest.mark.usefixtures("still_kernel")

GPU = DEVICE.model_copy(update={"type": "gpu", "name": "NVIDIA H200"})


def round_of(submission, reference, control, comparisons=None, *, seen=None):
    """Return a round with these times in milliseconds. All clocks agree, unless `seen` gives the time on the judge's
    clock.
    """
    return Round(
        submission=submission * MS,
        reference=reference * MS,
        control=control * MS,
        waited=(submission if seen is None else seen) * MS,
        seen=(submission if seen is None else seen) * MS,
        turn=(submission if seen is None else seen) * MS,
        delay=0.0,
        kernel_surplus=0.0,
        comparisons=comparisons,
    )


def show(baseline, device_copy, surroundings=None):
    return Comparisons(
        baseline=baseline * MS,
        device_copy=device_copy * MS,
        surroundings=None if surroundings is None else surroundings * MS,
        peak=None,
    )


def numbers(interval):
    return [interval.median, interval.low, interval.high]


# --- summarise: rates and ratios ----------------------------------------------------------------


@pytest.fixture
def million(transposition):
    """Return a transposition of a million words, which must move 8 MB."""
    return at_sizes(transposition, height=1000, width=1000)


ROUNDS = (
    round_of(2, 1, 1.0, show(4, 0.5)),
    round_of(4, 1, 0.5),
    round_of(1, 1, 2.0, show(4, 0.25)),
    round_of(2, 2, 2.0, show(10, 1)),
)
"""The submission takes 1 to 4 ms, with a median of 2 ms. The mean of the reference and the control, divided by its
time, is 1/2, 3/16, 3/2 and 1.
"""


def test_rates_and_fractions_are_those_worked_out_by_hand(million):
    """Rates and fractions equal the values computed by hand from 8 MB in 1, 2, 2 and 4 ms, and a copy of 8 MB in 0.25,
    0.5 and 1 ms. The ratio 3/2 is limited to 1.1 times the median.
    """
    found = summarise(million, DEVICE, ROUNDS)
    assert numbers(found.seconds) == pytest.approx([2 * MS, 1 * MS, 4 * MS])
    assert numbers(found.rate) == pytest.approx([4, 2, 8])
    assert found.unit == "GB/s"
    assert numbers(found.fraction_of_reference) == pytest.approx([0.75, 0.1875, 0.825])
    assert numbers(found.noise) == pytest.approx([1, 0.5, 2])
    assert found.copy_bandwidth == pytest.approx(16)
    assert found.fraction_of_copy == pytest.approx(0.25)


def test_each_kernel_has_a_rate_in_its_own_unit(million):
    """A rate is the work of all launches of a kernel over their median time. A kernel without a time has none."""
    one, two = (Quantities(bytes="4*height*width", count=count) for count in (None, WorkCount(of="height", unit="row")))
    goals = million.performance.model_copy(update={"kernels": {"one": one, "two": two, "fast": one}})
    times = [{"one": first * MS, "two": 1 * MS, "fast": 0.0} for first in (1, 2, 4, 2)]
    rounds = tuple(replace(each, kernels=kernels) for each, kernels in zip(ROUNDS, times, strict=True))
    found = summarise(million.model_copy(update={"performance": goals}), DEVICE, rounds)
    speeds = [(each.kernel, pytest.approx(each.seconds), pytest.approx(each.rate), each.unit) for each in found.kernels]
    assert speeds == [("one", 2 * MS, 2.0, "GB/s"), ("two", 1 * MS, 0.001, "Grow/s")]
    assert not summarise(million, DEVICE, rounds).kernels


def test_the_speed_up_is_over_the_baseline_of_the_same_round(million):
    """The speed-up over the baseline is computed from two times of the same round: 4/2, 4/1 and 10/2. Rounds without a
    baseline are ignored.
    """
    assert numbers(summarise(million, DEVICE, ROUNDS).speed_up_over_baseline) == pytest.approx([4, 2, 5])


def test_every_time_that_counts_is_kept(million):
    """All times of the rounds that count are stored in the order of measurement, so that the figures can be computed
    again.
    """
    found = summarise(million, DEVICE, ROUNDS)
    assert (found.pairs, found.sizes, found.device_class) == (4, {"height": 1000, "width": 1000}, "cpu")
    assert found.samples.submission == pytest.approx((2 * MS, 4 * MS, 1 * MS, 2 * MS))
    assert found.samples.reference == pytest.approx((1 * MS, 1 * MS, 1 * MS, 2 * MS))
    assert found.samples.control == pytest.approx((1 * MS, 0.5 * MS, 2 * MS, 2 * MS))
    assert found.samples.baseline == pytest.approx((4 * MS, 4 * MS, 10 * MS))
    assert found.samples.device_copy == pytest.approx((0.5 * MS, 0.25 * MS, 1 * MS))


def test_without_surroundings_there_is_no_whole_program(million):
    """If the kernel has no surroundings, the figures contain no time of a whole program."""
    assert summarise(million, DEVICE, ROUNDS).program is None


def test_the_whole_program_is_the_submission_and_what_surrounds_it(course):
    """The whole program is the submission and its surroundings. Here, it takes 2 + 1, 4 + 2 and 1 + 1 ms, and the
    baseline takes 12, 12 and 6 ms. The program must move 8 MB, and a copy runs at 16 GB/s.
    """
    assignment = at_sizes(course.load("coalsProgrm"), height=1000, width=1000)
    rounds = (
        round_of(2, 1, 1, show(12, 0.5, surroundings=1)),
        round_of(9, 1, 1),
        round_of(4, 1, 1, show(12, 0.5, surroundings=2)),
        round_of(1, 1, 1, show(6, 0.5, surroundings=1)),
    )
    found = summarise(assignment, DEVICE, rounds)
    assert found.program.seconds == pytest.approx(3 * MS)
    assert found.program.speed_up == pytest.approx(3)
    assert found.program.fraction_of_copy == pytest.approx(8e6 / (3 * MS) / 16e9)


def test_work_in_operations_gives_gflops_beside_the_bytes(product):
    """Work that is counted in operations has a rate in GFLOPS, and its bytes are compared with a copy. Here, 2 * 100 *
    300 * 200 operations, and 4 bytes for each element of three matrices, take 1 ms.
    """
    assignment = at_sizes(product, heightA=100, widthB=200, widthA=300)
    found = summarise(assignment, DEVICE, (round_of(1, 1, 1, show(2, 1)),))
    moved = 4 * (100 * 300 + 300 * 200 + 100 * 200)
    assert found.unit == "GFLOPS"
    assert found.rate.median == pytest.approx(12.0)
    assert found.copy_bandwidth == pytest.approx(moved / MS * 1e-9)
    assert found.fraction_of_copy == pytest.approx(1.0)


def test_a_gpus_bandwidth_is_that_of_a_copy_beyond_its_caches(million):
    """The copy bandwidth of a GPU is measured with a copy that is far larger than its caches. It counts the bytes that
    this copy reads and writes, not the bytes of the kernel.
    """
    found = summarise(million, GPU, ROUNDS)
    assert found.device_class == "gpu"
    assert found.copy_bandwidth == pytest.approx(2 * GPU_COPY_BYTES / (0.5 * MS) * 1e-9)
    assert found.fraction_of_copy == pytest.approx(4 / found.copy_bandwidth)


# --- judge: bands and minimum -------------------------------------------------------------------

GOAL = SpeedGoal(
    sizes={"height": 1000, "width": 1000},
    bands=(Band(fraction=0.8, points=40), Band(fraction=0.5, points=15)),
    minimum={"H200": 1500},
)


def judged(transposition, fraction, rate=2000.0, device=DEVICE):
    measured = performance(
        fraction_of_reference=Interval(median=fraction, low=fraction - 0.01, high=fraction + 0.01),
        rate=Interval(median=rate, low=rate, high=rate),
    )
    check = judge(unmeasured(transposition, device), measured, GOAL, device)
    assert check.performance == measured
    return check


@pytest.mark.parametrize(
    ("fraction", "verdict", "points"),
    [
        (1.3, Verdict.PASSED, 40),
        (12.6, Verdict.PASSED, 40),
        (0.795, Verdict.PASSED, 40),
        (0.78, Verdict.PARTIAL, 15),
        (0.495, Verdict.PARTIAL, 15),
        (0.48, Verdict.FAILED, 0),
    ],
)
def test_a_band_gives_verdict_and_points(transposition, fraction, verdict, points):
    """The upper end of the interval determines the band, which determines the verdict and the points. The message gives
    the speed and the speed for full points.
    """
    check = judged(transposition, fraction)
    assert (check.verdict, check.points) == (verdict, points)
    if verdict is Verdict.PASSED:
        assert check.reason is None
        assert check.message == f"it runs at {share_of(fraction)} the model solution's speed; full points need 80 %."
    else:
        assert check.reason is Reason.TOO_SLOW
        assert check.message.startswith(f"it runs at {share_of(fraction)} the model solution's speed")
        assert check.message.endswith("full points need 80 %.")
        assert check.detail.startswith("This is a processor, which runs the work-items")


def test_an_absolute_minimum_fails_a_kernel_that_keeps_up_with_the_model_solution(transposition):
    """If the goal has a minimum rate for this device, a kernel below it fails, even if it is as fast as the model
    solution. The message gives both rates.
    """
    check = judged(transposition, 1.0, rate=1400.0, device=GPU)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.TOO_SLOW)
    assert "1400 GB/s" in check.message
    assert "on NVIDIA H200 the assignment asks for at least 1500" in check.message


def test_a_minimum_that_is_reached_leaves_the_bands_to_decide(transposition):
    """Reaching the minimum rate earns no points by itself. The points still depend on the bands."""
    assert judged(transposition, 1.0, rate=1500.0, device=GPU).points == 40
    assert judged(transposition, 0.6, rate=1600.0, device=GPU).points == 15


def test_a_minimum_for_another_device_does_not_count(transposition):
    """A minimum rate for another device is ignored, so a CPU is not compared with an H200."""
    assert judged(transposition, 1.0, rate=7.0).verdict is Verdict.PASSED


# --- implausible: figures that no kernel can reach ------------------------------------------------


def seen_as(milliseconds, count=9):
    """Return rounds in which every kernel takes 1 ms on the device's clock, but the submission takes `milliseconds` on
    the judge's clock.
    """
    return tuple(round_of(1, 1, 1, seen=milliseconds) for _ in range(count))


def at_speed(seconds=MS, fraction_of_copy=0.5, slowest=None):
    """Return figures with these times. The number of bytes is chosen so that the bandwidth is this fraction of the copy
    bandwidth, 35.4 GB/s.
    """
    return performance(
        seconds=Interval(median=seconds, low=seconds, high=slowest or seconds),
        bytes=fraction_of_copy * 35.4e9 * seconds,
        fraction_of_copy=fraction_of_copy,
    )


NINE = seen_as(1)


@pytest.mark.parametrize(("fraction", "found"), [(1.04, False), (1.06, True), (9.0, True)])
def test_faster_than_a_copy_is_implausible(fraction, found):
    """A kernel that moves its bytes more than 5 % faster than a copy is implausible."""
    problem = implausible(at_speed(fraction_of_copy=fraction), NINE, GPU)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"{100 * fraction:.0f} % of the device's copy bandwidth" in problem.message


def computing(gflops, peak, roofs=None):
    """Return the figures of a matrix product. `peak` is the peak rate that was measured in the session."""
    rate = Interval(median=1.1 * gflops, low=gflops, high=1.2 * gflops)
    return performance(unit="GFLOPS", rate=rate, flop=1e9, peak=peak, roofs=roofs)


def with_peaks(*milliseconds):
    shows = (Comparisons(baseline=MS, device_copy=MS, surroundings=None, peak=each * MS) for each in milliseconds)
    return 3 * tuple(round_of(1, 1, 1, show) for show in shows)


@pytest.mark.parametrize(("gflops", "found"), [(104, False), (106, True), (190, True)])
def test_faster_than_any_arithmetic_is_implausible(gflops, found):
    """A kernel that computes faster than the peak kernel is implausible, because the peak kernel does nothing but the
    multiply-adds that every kernel must do.
    """
    problem = implausible(computing(gflops, 100), with_peaks(1, 1, 1), GPU)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"times mean {gflops} % of the rate at which the device multiplies and adds" in problem.message


def test_the_fastest_of_the_sessions_peak_launches_counts():
    """The fastest launch of the peak kernel in the session is used, here with 200 GFLOPS. A machine that is busy during
    the other ones therefore does not make a submission look like a fraud.
    """
    assert implausible(computing(205, 100), with_peaks(1, 0.5, 1), GPU) is None
    assert implausible(computing(215, 100), with_peaks(1, 0.5, 1), GPU) is not None


def test_the_higher_peak_counts_of_the_profile_and_of_the_session():
    """The higher of two peaks is used, the one in the device's profile (at most 5,100 GFLOPS in ROOFS) or the one in
    the session. If neither is known, no kernel is implausible.
    """
    assert implausible(computing(5200, 100, ROOFS), with_peaks(1, 1, 1), GPU) is None
    assert implausible(computing(5400, 100, ROOFS), with_peaks(1, 1, 1), GPU) is not None
    assert implausible(computing(5400, None, ROOFS), NINE, GPU) is not None
    assert implausible(computing(5400, 6000, ROOFS), with_peaks(1, 1, 1), GPU) is None
    assert implausible(computing(5400, None), NINE, GPU) is None


def test_what_only_moves_has_no_peak_to_keep_below():
    """A kernel that only moves words has no peak rate, because its rate is in GB/s."""
    moving = performance(rate=Interval(median=9e9, low=9e9, high=9e9), roofs=ROOFS)
    assert implausible(moving, NINE, GPU) is None


@pytest.mark.parametrize(("fraction", "found"), [(1.2, False), (1.23, True)])
def test_a_profile_can_know_a_faster_copy_than_the_session(fraction, found):
    """If the copy in the device's profile is faster than the one in the session, it is used instead. Here, it runs at
    41 GB/s instead of 35.4, and the limit is 1.05 times this bandwidth.
    """
    measured = at_speed(fraction_of_copy=fraction).model_copy(update={"roofs": ROOFS})
    problem = implausible(measured, NINE, GPU)
    assert (problem is not None) is found
    if found:
        assert f"{100 * fraction * 35.4 / 41:.0f} % of the device's copy bandwidth" in problem.message


def test_what_is_faster_than_a_copy_only_now_and_then_is_no_finding():
    """A kernel is faster than a copy only if the slow end of its interval is. Single rounds may show this because the
    copy was delayed.
    """
    assert implausible(at_speed(fraction_of_copy=2.0, slowest=2 * MS), NINE, GPU) is None
    assert implausible(at_speed(fraction_of_copy=2.2, slowest=2 * MS), NINE, GPU) is not None


def test_bandwidth_and_arithmetic_are_no_limits_where_the_judges_clock_is_one():
    """On a CPU, a bandwidth or rate beyond the limit is implausible only if the judge's clock confirms it. Caches are
    faster than any copy, and a busy machine delays copies.
    """
    beyond = at_speed(fraction_of_copy=9.0)
    assert implausible(beyond, seen_as(1), DEVICE) is None
    assert implausible(beyond, seen_as(2), DEVICE) is not None
    assert implausible(computing(1000, 100), with_peaks(1, 1, 1), DEVICE) is None


@pytest.mark.parametrize("device", [DEVICE, GPU], ids=["cpu", "gpu"])
def test_a_device_clock_that_says_less_than_another_is_implausible(device):
    """If the device's clock reports much less time than the judge's clock, here 10 ms instead of 60, this is
    implausible. The message gives both times.
    """
    problem = implausible(at_speed(10 * MS), seen_as(60), device)
    assert problem.reason is Reason.IMPLAUSIBLE
    assert "the device reports 10 ms for its launches, but the grader measured 60 ms" in problem.message


@pytest.mark.parametrize(("seen", "found"), [(CLOCK_SHARE - 0.01, False), (CLOCK_SHARE + 0.01, True), (-1, False)])
def test_a_device_clock_may_differ_a_little(seen, found):
    """The two clocks may differ by a quarter of the launch. If the judge saw less time than its own overhead, nothing
    is implausible.
    """
    assert (implausible(at_speed(), seen_as(seen), DEVICE) is not None) is found


def test_a_late_answer_now_and_then_is_no_finding():
    """Late answers in some of the rounds, as on a busy machine, are not implausible."""
    assert implausible(at_speed(), (*seen_as(1, 5), *seen_as(1000, 4)), DEVICE) is None


def test_few_rounds_are_no_ground_for_a_finding():
    """With fewer than eight rounds, nothing is implausible, because a single delay could affect all of them."""
    assert implausible(at_speed(fraction_of_copy=9.0), seen_as(1, FEWEST - 1), GPU) is None
    assert implausible(at_speed(), seen_as(1000, FEWEST - 1), DEVICE) is None


def test_points_follow_the_judges_clock_where_that_is_slower(million):
    """If the judge's clock is slower, it determines the points. Here, the model solution takes 1 ms and the judge saw 4
    ms, in all nine rounds or in about half of them.
    """
    truth = tuple(round_of(4, 1, 1, show(4, 0.5)) for _ in range(9))
    lies = tuple(round_of(0.1, 1, 1, show(4, 0.5), seen=4) for _ in range(9))
    for rounds in (truth, lies, truth[:5] + lies[:4], truth[:4] + lies[:5]):
        assert summarise(million, DEVICE, rounds).fraction_of_reference.high == pytest.approx(0.25)


# --- check_performance: rounds with fake workers -------------------------------------------------


@pytest.fixture
def small(transposition):
    """Return a transposition of a few words, so that rounds are short."""
    return at_sizes(transposition, height=7, width=5)


def test_a_wrong_timed_run_fails_the_check_without_points(small):
    """If the result of a timed run is wrong, the check fails with that reason. It has no figures, because they could be
    mistaken for a result.
    """
    setup = fake_setup(small, faults={Role.SUBMISSION: {("fetch", 2): one_bit_wrong}})
    check = check_performance(begun(setup), RULES)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.WRONG_OUTPUT)
    assert check.max_points == small.performance.classes["cpu"].points
    assert check.performance is None


def test_a_right_and_fast_participant_earns_the_points(small):
    """A correct submission that is as fast as the model solution earns all points. All fake launches take the same
    time.
    """
    check = check_performance(begun(fake_setup(small)), RULES)
    assert (check.verdict, check.points) == (Verdict.PASSED, check.max_points)
    assert check.name == "performance: cpu (height 7, width 5)"
    assert check.performance.pairs == 6
    assert check.performance.roofs is None
    assert check.performance.fraction_of_reference.median == pytest.approx(1)


def test_the_check_is_named_by_the_constants_that_are_timed(small):
    """If the timed constants differ from the constants of the cases, the name of the check has the timed constants
    before the sizes.
    """
    given = with_constants(small, TILE=32, real="double")
    assert unmeasured(small, GPU).name == "performance: gpu (height 7, width 5)"
    assert unmeasured(given, GPU).name == "performance: gpu (TILE 32, real double, height 7, width 5)"


def test_the_check_states_which_profile_it_was_judged_by(small):
    """The check contains the name and the date of the device profile that was used."""
    assert check_performance(begun(fake_setup(small)), RULES, ROOFS).performance.roofs == ROOFS


def test_an_implausible_participant_is_failed_with_its_figures(small):
    """An implausible submission fails without points, and keeps its figures for the instructor."""
    rules = RULES.model_copy(update={"min_pairs": FEWEST, "max_pairs": FEWEST})
    check = check_performance(begun(fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 0.01}})), rules)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.IMPLAUSIBLE)


@pytest.mark.parametrize("session_pairs", range(1, 7))
def test_a_summary_can_be_made_whatever_the_length_of_a_session(small, session_pairs):
    """Figures can be computed for every length of a session, because some of the rounds with a baseline always
    count.
    """
    rules = RULES.model_copy(update={"session_pairs": session_pairs})
    rounds = measure(begun(fake_setup(small)), rules)
    assert summarise(small, DEVICE, rounds).speed_up_over_baseline.median == pytest.approx(3)


BANDS = SpeedGoal(
    sizes={"n": 1},
    bands=(Band(fraction=0.8, points=40), Band(fraction=0.5, points=20), Band(fraction=0.3, points=5)),
    minimum={"H200": 1500},
)


@pytest.mark.parametrize(
    ("fraction", "verdict", "points"),
    [
        (1.2, Verdict.PASSED, 40),
        (0.8, Verdict.PASSED, 40),
        (0.79, Verdict.PARTIAL, 20),
        (0.6, Verdict.PARTIAL, 20),
        (0.3, Verdict.PARTIAL, 5),
        (0.29, Verdict.FAILED, 0),
    ],
)
def test_a_kernel_earns_the_highest_band_it_reaches(fraction, verdict, points):
    """A kernel earns the points of the highest band that it reaches. Only the highest band of the goal counts as
    passed.
    """
    assert award_speed(BANDS, Interval(median=fraction, low=fraction, high=fraction)) == (verdict, points)


def test_doubt_is_the_students():
    """A band's points are awarded if the upper end of the measured interval reaches the band, so uncertainty never
    costs the student points.
    """
    assert award_speed(BANDS, Interval(median=0.77, low=0.7, high=0.81)) == (Verdict.PASSED, 40)


def test_cases_share_their_points():
    """The cases share the points equally. A practice case earns no points and has no share."""
    cases = [Case(name=str(number), sizes={"n": 1}, practice=number == 12) for number in range(13)]
    asked = Correctness(tolerance=Tolerance(rule="exact"), points=48, cases=cases)
    assert [asked.points_of(case) for case in cases] == [4.0] * 12 + [0.0]


def test_a_minimum_applies_to_the_device_it_names():
    """A minimum rate applies to all devices whose name contains the given text, regardless of case."""
    assert required_rate(BANDS, "NVIDIA h200 NVL") == 1500
    assert required_rate(BANDS, "pthread-AMD EPYC") is None
