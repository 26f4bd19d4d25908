"""performance.py: from rounds to a check."""

import pytest
from samples import DEVICE, ROOFS, performance
from timing_setups import MS, RULES, at_sizes, begun, fake_setup, one_bit_wrong, with_constants

from grader.course.rubric import Band, SpeedGoal
from grader.execution.device import GPU_COPY_BYTES
from grader.execution.plan import STUDENT
from grader.grading.timing.intervals import FEWEST
from grader.grading.timing.measurement import measure
from grader.grading.timing.participants import Role
from grader.grading.timing.performance import (
    CLOCK_SHARE,
    check_performance,
    implausible,
    judge,
    summarise,
    unmeasured,
)
from grader.grading.timing.rounds import Comparisons, Round
from grader.results.metrics import Interval
from grader.results.result import Reason, Verdict

pytestmark = pytest.mark.usefixtures("still_kernel")

GPU = DEVICE.model_copy(update={"type": "gpu", "name": "NVIDIA H200"})


def round_of(submission, reference, control, comparisons=None, *, seen=None):
    """Times in milliseconds; all clocks agree unless told otherwise."""
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
    """A transposition of a million words: 8 MB must move."""
    return at_sizes(transposition, height=1000, width=1000)


ROUNDS = (
    round_of(2, 1, 1.0, show(4, 0.5)),
    round_of(4, 1, 0.5),
    round_of(1, 1, 2.0, show(4, 0.25)),
    round_of(2, 2, 2.0, show(10, 1)),
)
"""Submission 1 to 4 ms, median 2; the ratios to the mean of reference and control are 1/2, 3/16, 3/2 and 1."""


def test_rates_and_fractions_are_those_worked_out_by_hand(million):
    """8 MB in 1, 2, 2 and 4 ms; a copy of 8 MB in 0.25, 0.5 and 1 ms. The ratio 3/2 counts as 1.1 times the median."""
    found = summarise(million, DEVICE, ROUNDS)
    assert numbers(found.seconds) == pytest.approx([2 * MS, 1 * MS, 4 * MS])
    assert numbers(found.rate) == pytest.approx([4, 2, 8])
    assert found.unit == "GB/s"
    assert numbers(found.fraction_of_reference) == pytest.approx([0.75, 0.1875, 0.825])
    assert numbers(found.noise) == pytest.approx([1, 0.5, 2])
    assert found.copy_bandwidth == pytest.approx(16)
    assert found.fraction_of_copy == pytest.approx(0.25)


def test_the_speed_up_is_over_the_baseline_of_the_same_round(million):
    """4/2, 4/1 and 10/2; rounds without a side show take no part."""
    assert numbers(summarise(million, DEVICE, ROUNDS).speed_up_over_baseline) == pytest.approx([4, 2, 5])


def test_every_time_that_counts_is_kept(million):
    """In the order it was taken, so that anybody can work the figures out again."""
    found = summarise(million, DEVICE, ROUNDS)
    assert (found.pairs, found.sizes, found.device_class) == (4, {"height": 1000, "width": 1000}, "cpu")
    assert found.samples.submission == pytest.approx((2 * MS, 4 * MS, 1 * MS, 2 * MS))
    assert found.samples.reference == pytest.approx((1 * MS, 1 * MS, 1 * MS, 2 * MS))
    assert found.samples.control == pytest.approx((1 * MS, 0.5 * MS, 2 * MS, 2 * MS))
    assert found.samples.baseline == pytest.approx((4 * MS, 4 * MS, 10 * MS))
    assert found.samples.device_copy == pytest.approx((0.5 * MS, 0.25 * MS, 1 * MS))


def test_without_surroundings_there_is_no_whole_program(million):
    """A kernel that stands for itself has none."""
    assert summarise(million, DEVICE, ROUNDS).program is None


def test_the_whole_program_is_the_submission_and_what_surrounds_it(course):
    """2 + 1, 4 + 2 and 1 + 1 ms, against a baseline of 12, 12 and 6 ms; 8 MB must move, and a copy does 16 GB/s."""
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
    """2 * 100 * 300 * 200 operations, and 4 bytes of each of three matrices, in 1 ms."""
    assignment = at_sizes(product, heightA=100, widthB=200, widthA=300)
    found = summarise(assignment, DEVICE, (round_of(1, 1, 1, show(2, 1)),))
    moved = 4 * (100 * 300 + 300 * 200 + 100 * 200)
    assert found.unit == "GFLOPS"
    assert found.rate.median == pytest.approx(12.0)
    assert found.copy_bandwidth == pytest.approx(moved / MS * 1e-9)
    assert found.fraction_of_copy == pytest.approx(1.0)


def test_a_gpus_bandwidth_is_that_of_a_copy_beyond_its_caches(million):
    """Reads and writes of the copied bytes, not of the kernel's."""
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
        (0.795, Verdict.PASSED, 40),
        (0.78, Verdict.PARTIAL, 15),
        (0.495, Verdict.PARTIAL, 15),
        (0.48, Verdict.FAILED, 0),
    ],
)
def test_a_band_gives_verdict_and_points(transposition, fraction, verdict, points):
    """By the upper end of the interval; what misses full points says by how much."""
    check = judged(transposition, fraction)
    assert (check.verdict, check.points) == (verdict, points)
    if verdict is Verdict.PASSED:
        assert check.reason is None
        assert (
            check.message == f"it runs at {100 * fraction:.3g} % of the model solution's speed; full points need 80 %."
        )
    else:
        assert check.reason is Reason.TOO_SLOW
        assert check.message.startswith(f"it runs at {100 * fraction:.3g} % of the model solution's speed")
        assert "full points need 80 %. This is a processor, which runs the work-items" in check.message


def test_an_absolute_minimum_fails_a_kernel_that_keeps_up_with_the_model_solution(transposition):
    """Where the device is named, no fraction makes up for it; the line gives both rates."""
    check = judged(transposition, 1.0, rate=1400.0, device=GPU)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.TOO_SLOW)
    assert "1400 GB/s" in check.message
    assert "on NVIDIA H200 the assignment asks for at least 1500" in check.message


def test_a_minimum_that_is_reached_leaves_the_bands_to_decide(transposition):
    """It is a condition and earns nothing."""
    assert judged(transposition, 1.0, rate=1500.0, device=GPU).points == 40
    assert judged(transposition, 0.6, rate=1600.0, device=GPU).points == 15


def test_a_minimum_for_another_device_does_not_count(transposition):
    """A CPU is not measured by what an H200 can do."""
    assert judged(transposition, 1.0, rate=7.0).verdict is Verdict.PASSED


# --- implausible: figures that no kernel can reach ------------------------------------------------


def seen_as(milliseconds, count=9):
    """Rounds in which both run for 1 ms by the device's clock, and the submission so long by the judge's."""
    return tuple(round_of(1, 1, 1, seen=milliseconds) for _ in range(count))


def at_speed(seconds=MS, fraction_of_copy=0.5, slowest=None):
    """Times, and the bytes that make such a fraction of the 35.4 GB/s at which the session's copy ran."""
    return performance(
        seconds=Interval(median=seconds, low=seconds, high=slowest or seconds),
        bytes=fraction_of_copy * 35.4e9 * seconds,
        fraction_of_copy=fraction_of_copy,
    )


NINE = seen_as(1)


@pytest.mark.parametrize(("fraction", "found"), [(1.04, False), (1.06, True), (9.0, True)])
def test_faster_than_a_copy_is_implausible(fraction, found):
    """With 5 % for noise: bytes that must move cannot move faster."""
    problem = implausible(at_speed(fraction_of_copy=fraction), NINE, GPU)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"{100 * fraction:.0f} % of the device's copy bandwidth" in problem.message


def computing(gflops, peak, roofs=None):
    """A product's figures; the session's peak, and how fast the peak kernel was each time it ran."""
    rate = Interval(median=1.1 * gflops, low=gflops, high=1.2 * gflops)
    return performance(unit="GFLOPS", rate=rate, flop=1e9, peak=peak, roofs=roofs)


def with_peaks(*milliseconds):
    shows = (Comparisons(baseline=MS, device_copy=MS, surroundings=None, peak=each * MS) for each in milliseconds)
    return 3 * tuple(round_of(1, 1, 1, show) for show in shows)


@pytest.mark.parametrize(("gflops", "found"), [(104, False), (106, True), (190, True)])
def test_faster_than_any_arithmetic_is_implausible(gflops, found):
    """Multiply-adds that must be made cannot be made faster than by a kernel that makes nothing else."""
    problem = implausible(computing(gflops, 100), with_peaks(1, 1, 1), GPU)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"times mean {gflops} % of the rate at which the device multiplies and adds" in problem.message


def test_the_fastest_of_the_sessions_peak_launches_counts():
    """A machine that was busy while the peak was measured must not make a fraud of anybody: here 200 GFLOPS once."""
    assert implausible(computing(205, 100), with_peaks(1, 0.5, 1), GPU) is None
    assert implausible(computing(215, 100), with_peaks(1, 0.5, 1), GPU) is not None


def test_a_profile_can_know_a_higher_peak_than_the_session_and_a_session_a_higher_one():
    """ROOFS have 5,100 GFLOPS at most; without any peak nothing can be said."""
    assert implausible(computing(5200, 100, ROOFS), with_peaks(1, 1, 1), GPU) is None
    assert implausible(computing(5400, 100, ROOFS), with_peaks(1, 1, 1), GPU) is not None
    assert implausible(computing(5400, None, ROOFS), NINE, GPU) is not None
    assert implausible(computing(5400, 6000, ROOFS), with_peaks(1, 1, 1), GPU) is None
    assert implausible(computing(5400, None), NINE, GPU) is None


def test_what_only_moves_has_no_peak_to_keep_below():
    """Its rate is in GB/s."""
    moving = performance(rate=Interval(median=9e9, low=9e9, high=9e9), roofs=ROOFS)
    assert implausible(moving, NINE, GPU) is None


@pytest.mark.parametrize(("fraction", "found"), [(1.2, False), (1.23, True)])
def test_a_profile_can_know_a_faster_copy_than_the_session(fraction, found):
    """41 GB/s against 35.4: then nothing beyond 1.05 times the former is possible."""
    measured = at_speed(fraction_of_copy=fraction).model_copy(update={"roofs": ROOFS})
    problem = implausible(measured, NINE, GPU)
    assert (problem is not None) is found
    if found:
        assert f"{100 * fraction * 35.4 / 41:.0f} % of the device's copy bandwidth" in problem.message


def test_what_is_faster_than_a_copy_only_now_and_then_is_no_finding():
    """The slow end of its times counts: while a copy came late, a kernel may have come in time."""
    assert implausible(at_speed(fraction_of_copy=2.0, slowest=2 * MS), NINE, GPU) is None
    assert implausible(at_speed(fraction_of_copy=2.2, slowest=2 * MS), NINE, GPU) is not None


def test_bandwidth_and_arithmetic_are_no_limits_where_the_judges_clock_is_one():
    """On a processor caches are faster than any copy, and a busy one makes copies late: a finding needs two clocks."""
    beyond = at_speed(fraction_of_copy=9.0)
    assert implausible(beyond, seen_as(1), DEVICE) is None
    assert implausible(beyond, seen_as(2), DEVICE) is not None
    assert implausible(computing(1000, 100), with_peaks(1, 1, 1), DEVICE) is None


@pytest.mark.parametrize("device", [DEVICE, GPU], ids=["cpu", "gpu"])
def test_a_device_clock_that_says_less_than_another_is_implausible(device):
    """60 ms that the device's clock did not see; the line gives both times."""
    problem = implausible(at_speed(10 * MS), seen_as(60), device)
    assert problem.reason is Reason.IMPLAUSIBLE
    assert "the device reports 10 ms for its launches, but the grader measured 60 ms" in problem.message


@pytest.mark.parametrize(("seen", "found"), [(CLOCK_SHARE - 0.01, False), (CLOCK_SHARE + 0.01, True), (-1, False)])
def test_a_device_clock_may_differ_a_little(seen, found):
    """By a quarter of the launch; a judge that saw less than its own overhead knows nothing."""
    assert (implausible(at_speed(), seen_as(seen), DEVICE) is not None) is found


def test_a_late_answer_now_and_then_is_no_finding():
    """As on a busy machine."""
    assert implausible(at_speed(), (*seen_as(1, 5), *seen_as(1000, 4)), DEVICE) is None


def test_few_rounds_are_no_ground_for_a_finding():
    """One that came late would be all of them, and so would one copy that did."""
    assert implausible(at_speed(fraction_of_copy=9.0), seen_as(1, FEWEST - 1), GPU) is None
    assert implausible(at_speed(), seen_as(1000, FEWEST - 1), DEVICE) is None


def test_points_follow_the_judges_clock_where_that_is_slower(million):
    """The model solution's 1 ms over the 4 ms that the judge saw in every second round of 9, or in every one."""
    truth = tuple(round_of(4, 1, 1, show(4, 0.5)) for _ in range(9))
    lies = tuple(round_of(0.1, 1, 1, show(4, 0.5), seen=4) for _ in range(9))
    for rounds in (truth, lies, truth[:5] + lies[:4], truth[:4] + lies[:5]):
        assert summarise(million, DEVICE, rounds).fraction_of_reference.high == pytest.approx(0.25)


# --- check_performance: rounds with workers of straw ----------------------------------------------


@pytest.fixture
def small(transposition):
    """A transposition of a few words, so that rounds are quick."""
    return at_sizes(transposition, height=7, width=5)


def test_a_wrong_timed_run_fails_the_check_without_points(small):
    """The check has the reason, and no figures that might be taken for a result."""
    setup = fake_setup(small, faults={Role.SUBMISSION: {("fetch", 2): one_bit_wrong}})
    check = check_performance(begun(setup), RULES)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.WRONG_OUTPUT)
    assert check.max_points == small.performance.classes["cpu"].points
    assert check.performance is None


def test_a_right_and_fast_participant_earns_the_points(small):
    """Launches of straw take the same time as the model solution's."""
    check = check_performance(begun(fake_setup(small)), RULES)
    assert (check.verdict, check.points) == (Verdict.PASSED, check.max_points)
    assert check.name == "performance: cpu (height 7, width 5)"
    assert check.performance.pairs == 6
    assert check.performance.roofs is None
    assert check.performance.fraction_of_reference.median == pytest.approx(1)


def test_the_check_is_named_by_the_constants_that_are_timed(small):
    """Before the sizes, where they are others than those of the cases."""
    given = with_constants(small, TILE=32, real="double")
    assert unmeasured(small, GPU).name == "performance: gpu (height 7, width 5)"
    assert unmeasured(given, GPU).name == "performance: gpu (TILE 32, real double, height 7, width 5)"


def test_the_check_states_which_profile_it_was_judged_by(small):
    """By name and date."""
    assert check_performance(begun(fake_setup(small)), RULES, ROOFS).performance.roofs == ROOFS


def test_an_implausible_participant_is_failed_with_its_figures(small):
    """An instructor who looks at it has them all."""
    rules = RULES.model_copy(update={"min_pairs": FEWEST, "max_pairs": FEWEST})
    check = check_performance(begun(fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 0.01}})), rules)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.IMPLAUSIBLE)


@pytest.mark.parametrize("session_pairs", range(1, 7))
def test_a_summary_can_be_made_whatever_the_length_of_a_session(small, session_pairs):
    """The rounds that have side shows are not always those that open a session and do not count."""
    rules = RULES.model_copy(update={"session_pairs": session_pairs})
    rounds = measure(begun(fake_setup(small)), rules)
    assert summarise(small, DEVICE, rounds).speed_up_over_baseline.median == pytest.approx(3)
