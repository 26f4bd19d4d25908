"""performance.py and measurement.py: from launches to rounds, and from rounds to a check."""

from dataclasses import replace

import numpy as np
import pytest
from samples import DEVICE, ROOFS, performance

from grader import performance as performance_module
from grader.checking import GUARD_BYTES, INPUT_POISON, POISON
from grader.device import GPU_COPY_BYTES
from grader.diagnosis import Problem
from grader.errors import NoiseError, SolutionError
from grader.measurement import Contest, Contestant, Role, measure
from grader.metrics import Interval
from grader.oracle import load_oracle
from grader.outcome import Crashed, Fetched, TimedOut, Timing
from grader.performance import (
    CEILING,
    CLOCK_SECONDS,
    CLOCK_SHARE,
    ceiling,
    check_performance,
    implausible,
    judge,
    summarise,
    unmeasured,
)
from grader.plan import (
    COPY,
    NAIVE,
    PEAK,
    STUDENT,
    WHOLE,
    Binding,
    control_plan,
    reference_plan,
    submission_plan,
)
from grader.protocol import BuildFailed, Done, Opened, StepTime
from grader.result import Reason, Verdict
from grader.rubric import Band, SpeedGoal
from grader.timing import Round, SideShow, TimingRules, Transfers

GPU = DEVICE.model_copy(update={"type": "gpu", "name": "NVIDIA H200"})
MS = 1e-3


def at_sizes(assignment, **sizes):
    """The assignment with other sizes for its timed rounds, on CPUs and on GPUs."""
    classes = {kind: goal.model_copy(update={"sizes": sizes}) for kind, goal in assignment.performance.classes.items()}
    return assignment.model_copy(update={"performance": assignment.performance.model_copy(update={"classes": classes})})


def round_of(submission, reference, control, side_show=None, *, gaps=(0.0, 0.0), transfers=(0.01, 0.01)):  # noqa: PLR0913
    """Times in milliseconds."""
    return Round(
        submission=submission * MS,
        reference=reference * MS,
        control=control * MS,
        submission_gap=gaps[0],
        reference_gap=gaps[1],
        transfers=Transfers(submission=transfers[0], reference=transfers[1]),
        side_show=side_show,
    )


def show(baseline, device_copy, surroundings=None):
    return SideShow(
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
"""Submission 1 to 4 ms, median 2; the ratios to the reference are 1/2, 1/4, 1 and 1."""


def test_rates_and_fractions_are_those_worked_out_by_hand(million):
    """8 MB in 1, 2, 2 and 4 ms; a copy of 8 MB in 0.25, 0.5 and 1 ms."""
    found = summarise(million, DEVICE, ROUNDS)
    assert numbers(found.seconds) == pytest.approx([2 * MS, 1 * MS, 4 * MS])
    assert numbers(found.rate) == pytest.approx([4, 2, 8])
    assert found.unit == "GB/s"
    assert numbers(found.fraction_of_reference) == pytest.approx([0.75, 0.25, 1])
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
        assert (check.reason, check.message) == (None, "")
    else:
        assert check.reason is Reason.TOO_SLOW
        assert check.message.startswith(f"it runs at {100 * fraction:.3g} % of the model solution's speed")
        assert check.message.endswith("full points need 80 %.")


def test_an_absolute_minimum_fails_a_kernel_that_keeps_up_with_the_model_solution(transposition):
    """Where the device is named, no fraction makes up for it; the line gives both rates."""
    check = judged(transposition, 1.0, rate=1400.0, device=GPU)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.TOO_SLOW)
    assert "1400 GB/s" in check.message
    assert "on NVIDIA H200 at least 1500" in check.message


def test_a_minimum_that_is_reached_leaves_the_bands_to_decide(transposition):
    """It is a condition and earns nothing."""
    assert judged(transposition, 1.0, rate=1500.0, device=GPU).points == 40
    assert judged(transposition, 0.6, rate=1600.0, device=GPU).points == 15


def test_a_minimum_for_another_device_does_not_count(transposition):
    """A CPU is not measured by what an H200 can do."""
    assert judged(transposition, 1.0, rate=7.0).verdict is Verdict.PASSED


# --- implausible: figures that no kernel can reach ------------------------------------------------


@pytest.mark.parametrize(("kind", "highest"), [("cpu", 4 * CEILING), ("gpu", CEILING)])
def test_a_copy_is_made_on_one_core_of_a_cpu(kind, highest):
    """A kernel on all of them can move bytes faster, honestly; nothing is faster than a GPU's copy."""
    facts = DEVICE.model_copy(update={"type": kind, "compute_units": 4})
    assert ceiling(facts) == pytest.approx(highest)


def gaps(submission, reference, count=9):
    return tuple(round_of(1, 1, 1, gaps=(submission, reference)) for _ in range(count))


def at_speed(seconds=MS, fraction_of_copy=0.5):
    return performance(seconds=Interval(median=seconds, low=seconds, high=seconds), fraction_of_copy=fraction_of_copy)


@pytest.mark.parametrize(("fraction", "found"), [(1.04, False), (1.06, True), (9.0, True)])
def test_faster_than_a_copy_is_implausible(fraction, found):
    """With 5 % for noise: bytes that must move cannot move faster."""
    problem = implausible(at_speed(fraction_of_copy=fraction), gaps(0, 0), CEILING)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"{100 * fraction:.0f} % of the device's copy bandwidth" in problem.message


def computing(gflops, peak, roofs=None):
    """A product's figures; the session's peak, and how fast the peak kernel was each time it ran."""
    rate = Interval(median=1.1 * gflops, low=gflops, high=1.2 * gflops)
    return performance(unit="GFLOPS", rate=rate, flop=1e9, peak=peak, roofs=roofs)


def with_peaks(*milliseconds):
    shows = (SideShow(baseline=MS, device_copy=MS, surroundings=None, peak=each * MS) for each in milliseconds)
    return tuple(round_of(1, 1, 1, show) for show in shows)


@pytest.mark.parametrize(("gflops", "found"), [(104, False), (106, True), (190, True)])
def test_faster_than_any_arithmetic_is_implausible(gflops, found):
    """Multiply-adds that must be made cannot be made faster than by a kernel that makes nothing else."""
    problem = implausible(computing(gflops, 100), with_peaks(1, 1, 1), CEILING)
    assert (problem is not None) is found
    if found:
        assert problem.reason is Reason.IMPLAUSIBLE
        assert f"claims {gflops} % of the rate at which the device multiplies and adds" in problem.message


def test_the_fastest_of_the_sessions_peak_launches_counts():
    """A machine that was busy while the peak was measured must not make a fraud of anybody: here 200 GFLOPS once."""
    assert implausible(computing(205, 100), with_peaks(1, 0.5, 1), CEILING) is None
    assert implausible(computing(215, 100), with_peaks(1, 0.5, 1), CEILING) is not None


def test_a_profile_can_know_a_higher_peak_than_the_session_and_a_session_a_higher_one():
    """ROOFS have 5,100 GFLOPS at most; without any peak nothing can be said."""
    assert implausible(computing(5200, 100, ROOFS), with_peaks(1, 1, 1), CEILING) is None
    assert implausible(computing(5400, 100, ROOFS), with_peaks(1, 1, 1), CEILING) is not None
    assert implausible(computing(5400, None, ROOFS), gaps(0, 0), CEILING) is not None
    assert implausible(computing(5400, 6000, ROOFS), with_peaks(1, 1, 1), CEILING) is None
    assert implausible(computing(5400, None), gaps(0, 0), CEILING) is None


def test_what_only_moves_has_no_peak_to_keep_below():
    """Its rate is in GB/s."""
    moving = performance(rate=Interval(median=9e9, low=9e9, high=9e9), roofs=ROOFS)
    assert implausible(moving, gaps(0, 0), CEILING) is None


@pytest.mark.parametrize(("fraction", "found"), [(1.2, False), (1.23, True)])
def test_a_profile_can_know_a_faster_copy_than_the_session(fraction, found):
    """41 GB/s against 35.4: then nothing beyond 1.05 times the former is possible."""
    measured = at_speed(fraction_of_copy=fraction).model_copy(update={"roofs": ROOFS})
    problem = implausible(measured, gaps(0, 0), CEILING)
    assert (problem is not None) is found
    if found:
        assert f"{100 * fraction * 35.4 / 41:.0f} % of the device's copy bandwidth" in problem.message


def test_a_device_clock_that_says_less_than_the_judges_is_implausible():
    """50 ms that only the judge saw, and nothing of the kind for the model solution; the line gives both times."""
    problem = implausible(at_speed(10 * MS), gaps(50.5 * MS, 0.5 * MS), CEILING)
    assert problem.reason is Reason.IMPLAUSIBLE
    assert "are said to take 10 ms, but the grader saw them take 60 ms" in problem.message


def test_a_gap_that_the_model_solution_has_as_well_is_fine():
    """On a busy machine every answer comes late."""
    assert implausible(at_speed(10 * MS), gaps(50 * MS, 50 * MS), CEILING) is None
    assert implausible(at_speed(10 * MS), gaps(0, 50 * MS), CEILING) is None


@pytest.mark.parametrize(("seconds", "allowed"), [(10 * MS, 4.5 * MS), (0.1 * MS, 2.025 * MS)])
def test_a_gap_has_an_allowance(seconds, allowed):
    """A quarter of the launch and 2 ms."""
    assert allowed == pytest.approx(CLOCK_SHARE * seconds + CLOCK_SECONDS)
    assert implausible(at_speed(seconds), gaps(allowed - 0.01 * MS, 0), CEILING) is None
    assert implausible(at_speed(seconds), gaps(allowed + 0.01 * MS, 0), CEILING) is not None


def test_a_late_answer_now_and_then_is_no_finding():
    """It is the usual gap that counts."""
    assert implausible(at_speed(), (*gaps(0, 0, 5), *gaps(1.0, 0, 4)), CEILING) is None


# --- measure: rounds with workers of straw ------------------------------------------------------

RULES = TimingRules(warm_up_seconds=0, min_pairs=6, max_pairs=6, session_pairs=3)
"""Round 0 opens sessions, 1 to 3 count, 4 opens sessions again, 5 to 7 count."""

STEP_MS = {STUDENT: 2, NAIVE: 6, COPY: 1, WHOLE: 3, PEAK: 0.5}


class StrawWorker:
    """Does what a Worker is asked to, without a process: right results, and times as told.

    `log` takes what is asked, with the role; `faults` maps a request to what is answered the n-th time it is made.
    """

    def __init__(self, role, log, step_ms, faults):
        self.role, self.log, self.step_ms, self.faults = role, log, step_ms, faults
        self.plan, self.arrays, self.asked = None, {}, {}

    def _answer(self, request, usual):
        self.asked[request] = self.asked.get(request, 0) + 1
        return self.faults.get((request, self.asked[request]), usual)

    def open(self, plan):
        self.plan = plan
        self.log.append((self.role, "open", None))
        return self._answer("open", Opened.model_construct(kernels=()))

    def stage(self, script, arrays):
        self.arrays = {name: np.array(array) for name, array in arrays.items()}
        self.log.append((self.role, "stage", script))
        return self._answer(f"stage {script}", Done())

    def launch(self, script):
        self.log.append((self.role, "launch", script))
        steps = self.plan.scripts[script].steps
        times = [
            StepTime(start_ns=0, end_ns=int((number + 1) * self.step_ms[script] * 1e6)) for number in range(len(steps))
        ]
        seconds = sum(time.seconds for time in times)
        return self._answer(f"launch {script}", Timing(steps=tuple(times), wall_seconds=seconds + 0.5 * MS))

    def fetch(self, names):
        self.log.append((self.role, "fetch", None))
        fetched = {name: self._fetched(name) for name in names}
        change = self._answer("fetch", None)
        return change(fetched) if callable(change) else (change or fetched)

    def _fetched(self, name):
        poison = POISON if name in self.plan.scripts[STUDENT].outputs else INPUT_POISON
        band = np.full(GUARD_BYTES // 4, poison, dtype=np.uint32)
        payload = np.ascontiguousarray(self.arrays[name], dtype=np.float32).view(np.uint32).reshape(-1)
        return Fetched(before=band, payload=payload, after=band.copy(), poison=poison)


@pytest.fixture
def small(transposition):
    """A transposition of a few words, so that rounds are quick."""
    return at_sizes(transposition, height=7, width=5)


def contest_for(assignment, log=None, step_ms=None, faults=None, seed=1):
    """A contest of straw workers; `step_ms` and `faults` are given by role."""
    log = [] if log is None else log
    sizes = assignment.performance.classes["cpu"].sizes
    bindings = {launch.kernel: Binding(name=launch.kernel, takes_local=False) for launch in assignment.student_launches}
    plans = {
        Role.SUBMISSION: submission_plan(assignment, sizes, bindings),
        Role.REFERENCE: reference_plan(assignment, sizes),
        Role.CONTROL: control_plan(assignment, DEVICE),
    }
    workers = {
        role: StrawWorker(role, log, {**STEP_MS, **(step_ms or {}).get(role, {})}, (faults or {}).get(role, {}))
        for role in plans
    }
    return Contest(
        assignment=assignment,
        oracle=load_oracle(assignment),
        device=DEVICE,
        seed=seed,
        contestants={role: Contestant(worker=workers[role], plan=plan) for role, plan in plans.items()},
    )


def student_launches(log):
    """The roles that ran the student's steps, round by round."""
    roles = [role for role, request, script in log if (request, script) == ("launch", STUDENT)]
    return [tuple(roles[start : start + 3]) for start in range(0, len(roles), 3)]


def test_rounds_hold_the_times_of_their_workers(small):
    """Each of its own, and the gap between the two clocks."""
    rounds = measure(contest_for(small, step_ms={Role.SUBMISSION: {STUDENT: 5}}), RULES)
    assert len(rounds) == 6
    for each in rounds:
        assert each.submission == pytest.approx(5 * MS)
        assert (each.reference, each.control) == (pytest.approx(2 * MS), pytest.approx(2 * MS))
        assert (each.submission_gap, each.reference_gap) == (pytest.approx(0.5 * MS), pytest.approx(0.5 * MS))


def test_side_shows_are_timed_in_some_rounds(small):
    """In the first of every three rounds that count: baseline and copy by the control worker."""
    rounds = measure(contest_for(small), RULES)
    shows = [each.side_show for each in rounds]
    first = SideShow(baseline=0.006, device_copy=0.001, surroundings=None, peak=None)
    assert shows == [first, None, None, shows[3], None, None]
    assert shows[3] == shows[0]


def test_surroundings_are_the_steps_that_are_ours(course):
    """Of a transposition (3 ms), the student's kernel (6 ms) and another transposition (9 ms): 12 ms."""
    assignment = at_sizes(course.load("coalsProgrm"), height=7, width=5)
    assert [launch.solution_of is None for launch in assignment.launches] == [False, True, False]
    rounds = measure(contest_for(assignment), RULES)
    assert rounds[0].side_show.surroundings == pytest.approx(12 * MS)


def test_every_round_has_inputs_of_its_own_and_the_same_for_all(small):
    """No round repeats another's inputs, and within a round nobody gets others."""
    contest = contest_for(small)
    seen = []
    for role, contestant in contest.contestants.items():
        stage = contestant.worker.stage

        def spying_stage(script, arrays, role=role, stage=stage):
            if script == STUDENT:
                seen.append((role, arrays["A"].tobytes()))
            return stage(script, arrays)

        contestant.worker.stage = spying_stage
    measure(contest, RULES)
    rounds = [seen[start : start + 3] for start in range(0, len(seen), 3)]
    assert len(rounds) == 8
    assert all({role for role, _ in each} == set(Role) for each in rounds)
    assert all(len({inputs for _, inputs in each}) == 1 for each in rounds)
    assert len({each[0][1] for each in rounds}) == 8


def test_the_inputs_come_from_the_seed(small):
    """Another seed gives other inputs, the same one the same."""

    def inputs(seed):
        contest = contest_for(small, seed=seed)
        measure(contest, RULES)
        return contest.contestants[Role.SUBMISSION].worker.arrays["A"].tobytes()

    assert inputs(1) == inputs(1) != inputs(2)


def test_the_workers_take_turns_in_another_order_each_round(small):
    """Each is first, second and last equally often."""
    log = []
    measure(contest_for(small, log), RULES)
    orders = student_launches(log)
    assert orders[:3] == [
        (Role.REFERENCE, Role.SUBMISSION, Role.CONTROL),
        (Role.SUBMISSION, Role.CONTROL, Role.REFERENCE),
        (Role.CONTROL, Role.REFERENCE, Role.SUBMISSION),
    ]
    assert orders[3:6] == orders[:3]


def test_sessions_are_renewed_and_their_first_rounds_do_not_count(small):
    """All three workers before rounds 0 and 4; of eight rounds six count."""
    log = []
    rounds = measure(contest_for(small, log), RULES)
    assert len(student_launches(log)) == 8
    assert len(rounds) == 6
    opened = [number for number, (_, request, _) in enumerate(log) if request == "open"]
    roles = [log[number][0] for number in opened]
    assert set(roles[:3]) == set(roles[3:]) == set(Role)
    assert len(roles) == 6
    launched_before = sum((request, script) == ("launch", STUDENT) for _, request, script in log[: opened[3]])
    assert launched_before == 4 * 3


@pytest.mark.parametrize("session_pairs", range(1, 7))
def test_a_summary_can_be_made_whatever_the_length_of_a_session(small, session_pairs):
    """The rounds that have side shows are not always those that open a session and do not count."""
    rules = RULES.model_copy(update={"session_pairs": session_pairs})
    rounds = measure(contest_for(small), rules)
    assert summarise(small, DEVICE, rounds).speed_up_over_baseline.median == pytest.approx(3)


def one_bit_wrong(fetched):
    payload = fetched["B"].payload.copy()
    payload[3] ^= 1
    return {"B": replace(fetched["B"], payload=payload)}


def one_word_past_the_end(fetched):
    after = fetched["B"].after.copy()
    after[0] = 0
    return {"B": replace(fetched["B"], after=after)}


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        (one_bit_wrong, Reason.WRONG_OUTPUT, "1 of 35 elements of B wrong; the first is B[0][3]"),
        (one_word_past_the_end, Reason.OUT_OF_BOUNDS, "wrote outside B, first at 1 element past its end"),
    ],
)
def test_one_wrong_bit_in_one_timed_run_is_found_and_its_run_is_named(small, change, reason, words):
    """Every timed output is looked at, so that nobody is right only while it is not timed."""
    problem = measure(contest_for(small, faults={Role.SUBMISSION: {("fetch", 5): change}}), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is reason
    assert problem.message.startswith("in timed run 5, ")
    assert words in problem.message


def test_a_wrong_timed_run_fails_the_check_without_points(small):
    """The check has the reason, and no figures that might be taken for a result."""
    contest = contest_for(small, faults={Role.SUBMISSION: {("fetch", 2): one_bit_wrong}})
    check = check_performance(contest, RULES)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.WRONG_OUTPUT)
    assert check.max_points == small.performance.classes["cpu"].points
    assert check.performance is None


def test_a_right_and_fast_contestant_earns_the_points(small, monkeypatch):
    """Launches of straw take the same time as the model solution's, and their bytes move no faster than a copy's."""
    monkeypatch.setattr(performance_module, "CEILING", 10.0)  # the copy of straw is quicker than any device's
    check = check_performance(contest_for(small), RULES)
    assert (check.verdict, check.points) == (Verdict.PASSED, check.max_points)
    assert check.name == "performance: cpu (height 7, width 5)"
    assert check.performance.pairs == 6
    assert check.performance.roofs is None
    assert check.performance.fraction_of_reference.median == pytest.approx(1)


def test_the_check_states_which_profile_it_was_judged_by(small):
    """By name and date."""
    assert check_performance(contest_for(small), RULES, ROOFS).performance.roofs == ROOFS


def test_an_implausible_contestant_is_failed_with_its_figures(small):
    """An instructor who looks at it has them all."""
    check = check_performance(contest_for(small, step_ms={Role.SUBMISSION: {STUDENT: 0.01}}), RULES)
    assert (check.verdict, check.points, check.reason) == (Verdict.FAILED, 0, Reason.IMPLAUSIBLE)
    assert check.performance.fraction_of_copy > CEILING


FAILURES = [
    (Crashed(signal=11, exit_code=None, words=""), Reason.CRASH),
    (TimedOut(doing="running", seconds=10), Reason.TIME_LIMIT),
]
REQUESTS = [("open", 2), (f"stage {STUDENT}", 3), (f"launch {STUDENT}", 3)]


@pytest.mark.parametrize(("failure", "reason"), FAILURES)
@pytest.mark.parametrize("request_", [*REQUESTS, ("fetch", 3)], ids=lambda request: request[0])
def test_a_failure_of_the_submission_is_the_students(small, failure, reason, request_):
    """Whatever was asked of its worker, and however late."""
    problem = measure(contest_for(small, faults={Role.SUBMISSION: {request_: failure}}), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is reason


@pytest.mark.parametrize("role", [Role.REFERENCE, Role.CONTROL])
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request[0])
def test_a_failure_of_our_own_kernel_is_ours(small, role, request_):
    """No student loses a point for it."""
    failure = BuildFailed(program="reference", log="x") if request_[0] == "open" else FAILURES[0][0]
    with pytest.raises(SolutionError, match="model solution failed while it was timed"):
        measure(contest_for(small, faults={role: {request_: failure}}), RULES)


@pytest.mark.parametrize("script", [NAIVE, COPY])
@pytest.mark.parametrize("request_", ["stage", "launch"])
def test_a_failure_of_a_side_show_is_ours(small, script, request_):
    """Baseline and copy are ours as well."""
    faults = {Role.CONTROL: {(f"{request_} {script}", 2): FAILURES[0][0]}}
    with pytest.raises(SolutionError, match=f"the {script} of the assignment failed"):
        measure(contest_for(small, faults=faults), RULES)


@pytest.mark.parametrize("control", [4, 1])
def test_a_machine_on_which_the_model_solution_is_not_as_fast_as_itself_is_too_noisy(small, control):
    """Twice as slow or twice as fast: no ratio taken there is worth anything."""
    contest = contest_for(small, step_ms={Role.CONTROL: {STUDENT: control}})
    with pytest.raises(NoiseError, match=f"over 6 pairs, the model solution ran at {2 / control:.2f} times its own"):
        measure(contest, RULES)


def test_a_slow_submission_is_no_noise(small):
    """Only our own kernel against itself tells."""
    rounds = measure(contest_for(small, step_ms={Role.SUBMISSION: {STUDENT: 20}}), RULES)
    assert len(rounds) == 6


def test_a_contest_is_followed_until_it_is_decided(small):
    """A ratio right at a threshold is measured to the end of patience, one far from it only as often as must be."""
    rules = RULES.model_copy(update={"max_pairs": 12})
    threshold = small.performance.classes["cpu"].bands[0].fraction
    near = contest_for(small, step_ms={Role.SUBMISSION: {STUDENT: 2 / threshold}})
    jitter = iter([0.9, 1.1] * 20)
    launch = near.contestants[Role.SUBMISSION].worker.launch

    def unsteady(script):
        timing, factor = launch(script), next(jitter)
        steps = tuple(step.model_copy(update={"end_ns": int(step.end_ns * factor)}) for step in timing.steps)
        return replace(timing, steps=steps)

    near.contestants[Role.SUBMISSION].worker.launch = unsteady
    assert len(measure(near, rules)) == 12
    assert len(measure(contest_for(small), rules)) == 6
