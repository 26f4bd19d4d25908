"""measurement.py: launches of fake workers become timed rounds."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import DEVICE
from three_kernels import three_kernels, with_cases
from timing_setups import MS, RULES, at_sizes, begun, fake_setup

from grader.common.errors import SolutionError
from grader.execution.assignment_plans import submission_plan
from grader.execution.outcome import Crashed, TimedOut
from grader.execution.plan import COPY, NAIVE, STUDENT, Binding
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing import measurement
from grader.grading.timing.intervals import FEWEST
from grader.grading.timing.measurement import LAUNCHES, UNEVEN, measure, open_sessions
from grader.grading.timing.performance import check_performance, implausible, summarise
from grader.grading.timing.rounds import Comparisons, Role
from grader.protocol.messages import BuildFailed
from grader.results.verdicts import Reason, Verdict

pytestmark = pytest.mark.usefixtures("still_kernel")


@pytest.fixture
def small(transposition):
    """Return a transposition of a few words, so that rounds are short."""
    return at_sizes(transposition, height=7, width=5)


def student_launches(log):
    """Return the order of the roles that launched the student's kernel, for each round."""
    roles = [role for role, request, script in log if (request, script) == ("launch", STUDENT)]
    return [tuple(roles[start : start + 3]) for start in range(0, len(roles), 3)]


def test_rounds_hold_the_times_of_their_workers(small):
    """Each round contains the times of all workers by the device's clock. The times by the judge's clock are tested in
    test_rounds.py.
    """
    rounds = measure(begun(fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 5}})), RULES)
    assert len(rounds) == 6
    for each in rounds:
        assert each.submission == pytest.approx(5 * MS)
        assert (each.reference, each.control) == (pytest.approx(2 * MS), pytest.approx(2 * MS))


def test_the_time_of_a_kernel_is_that_of_all_its_launches(tmp_path):
    """Launches of a kernel are added up by the assignment's name of it. Fills belong to no kernel."""
    launch = {"kernel": "addOffsets", "args": ["data", "sums", "n"], "global": ["n"], "local": [8]}
    program = [{"fill": "sums"}, launch, {**launch, "kernel": "scanBlocks"}, launch]
    assignment = three_kernels(
        tmp_path, kernel="addOffsets", program=program, launches=None, correctness=with_cases({"name": "one"})
    )
    names = {name: Binding(name=f"my_{name}", takes_local=False) for name in ("addOffsets", "scanBlocks")}
    script = submission_plan(assignment, {"n": 8}, names).scripts[STUDENT]
    assert measurement._by_kernel(script, (8.0, 1.0, 2.0, 4.0)) == {"addOffsets": 5.0, "scanBlocks": 2.0}


def test_side_shows_are_timed_in_some_rounds(small):
    """The control worker also times the baseline and the copy in every third round that counts, beginning with the
    first.
    """
    rounds = measure(begun(fake_setup(small)), RULES)
    shows = [each.comparisons for each in rounds]
    first = Comparisons(baseline=0.006, device_copy=0.001, surroundings=None, peak=None)
    assert shows == [first, None, None, shows[3], None, None]
    assert shows[3] == shows[0]


def test_surroundings_are_the_steps_that_are_ours(course):
    """The surroundings are the steps of the model solution before and after the student's kernel. Here, they are two
    transpositions, which take 3 and 9 ms.
    """
    assignment = at_sizes(course.load("coalsProgrm"), height=7, width=5)
    assert [launch.solution_of is None for launch in assignment.launches] == [False, True, False]
    rounds = measure(begun(fake_setup(assignment)), RULES)
    assert rounds[0].comparisons.surroundings == pytest.approx(12 * MS)


def test_the_workers_take_turns_in_another_order_each_round(small):
    """The order of the workers changes from round to round. The submission is alternately last and first, so that it is
    thawed only once in two rounds, and the other two workers swap places.
    """
    log = []
    measure(begun(fake_setup(small, log)), RULES)
    r, s, c = Role.REFERENCE, Role.SUBMISSION, Role.CONTROL
    orders = student_launches(log)
    assert orders[:4] == [(r, c, s), (s, r, c), (c, r, s), (s, c, r)]
    assert orders[4:8] == orders[:4]


def test_the_submission_is_frozen_while_others_are_timed(small):
    """The submission is frozen during all requests to other workers. It is awake during its own requests."""
    setup, seen = fake_setup(small), []
    submission = setup.participants[Role.SUBMISSION].worker
    for role, participant in setup.participants.items():
        for request in ("stage", "launch", "fetch", "open"):
            asked = getattr(participant.worker, request)

            def spying(*args, role=role, asked=asked, request=request):
                seen.append((role, request, submission.is_frozen))
                return asked(*args)

            setattr(participant.worker, request, spying)
    measure(begun(setup), RULES)
    assert {frozen for role, request, frozen in seen if role is Role.SUBMISSION} == {False}
    assert {frozen for role, request, frozen in seen if role is not Role.SUBMISSION and request != "open"} == {True}


def test_a_device_that_is_no_processor_needs_nobody_frozen(small):
    """On a GPU, the submission is not frozen, because kernels do not run in the process of the worker. Freezing it
    would only take time.
    """
    setup = fake_setup(small, device=DEVICE.model_copy(update={"type": "gpu"}))
    setup.participants[Role.SUBMISSION].worker.freeze = None
    assert len(measure(begun(setup), RULES)) == 6


def test_on_a_gpu_the_workers_clock_tells_how_long_a_launch_was_waited_for(small):
    """On a GPU, the waiting time of a launch is measured by the worker's clock. In this test, the submission waits 4 ms
    longer for a launch than its driver reports, 1 ms longer for the kernel that runs after it, and 9 ms longer for the
    results, which are not a part of the turn. A small difference between the workers is tolerated.
    """
    for each in measure(begun(waiting(small, launch=4 * MS, end=1 * MS, results=9 * MS)), RULES):
        assert each.submission == pytest.approx(2 * MS)
        assert each.waited == pytest.approx(6 * MS - UNEVEN)
        assert each.seen == pytest.approx(7 * MS - LAUNCHES * UNEVEN)


@pytest.mark.parametrize(
    ("waits", "is_told"), [({"results": 9 * MS}, False), ({"end": 9 * MS}, True), ({"number": 9 * MS}, True)]
)
def test_only_a_slow_launch_is_implausible_on_a_gpu(small, waits, is_told):
    """A GPU's worker may take long to fetch the results, which happened on a busy machine. If the kernel after the
    student's steps takes long, or its number, then the launch has not ended when the device said so.
    """
    setup = waiting(small, **waits)
    rounds = measure(begun(setup), RULES.model_copy(update={"min_pairs": 9, "max_pairs": 9}))
    problem = implausible(summarise(setup.assignment, setup.device, rounds), rounds, setup.device)
    assert (problem is not None and problem.reason is Reason.IMPLAUSIBLE) is is_told


def waiting(assignment, launch=0.0, end=0.0, number=0.0, results=0.0):
    """Return a setup on a GPU in which the submission waits so many seconds longer than others."""
    setup = fake_setup(assignment, device=DEVICE.model_copy(update={"type": "gpu"}))
    worker = setup.participants[Role.SUBMISSION].worker
    turn = worker.turn

    def longer(keys, names):
        took = turn(keys, names)
        waits = zip(took.waits, (launch, end, number, results), strict=True)
        return replace(took, waits=tuple(usual + more for usual, more in waits))

    worker.turn = longer
    return setup


def test_results_are_taken_directly_after_the_launch(small):
    """The results of the submission are fetched directly after its launch, before any request to another worker."""
    log = []
    measure(begun(fake_setup(small, log)), RULES)
    asked = [(role, request) for role, request, script in log if script in (STUDENT, ("B",))]
    for number, each in enumerate(asked):
        if each == (Role.SUBMISSION, "launch"):
            assert asked[number + 1] == (Role.SUBMISSION, "fetch")


def test_a_submission_has_so_many_seconds_and_no_more(small, monkeypatch):
    """The time for a submission is limited, here on a clock that advances only during launches. If fewer rounds than an
    interval needs fit into this time, the problem is a time limit. Otherwise, the rounds that fit decide.
    """
    rules = RULES.model_copy(update={"max_seconds": 0.05, "min_pairs": 30, "max_pairs": 100, "session_pairs": 50})
    clock = Clock()
    monkeypatch.setattr(measurement, "time", clock)
    problem = measure(begun(sluggish(small, 0.02, clock)), rules)
    assert problem.reason is Reason.TIME_LIMIT
    rounds = measure(begun(sluggish(small, 0.02, clock)), rules.model_copy(update={"max_seconds": 0.2}))
    assert FEWEST <= len(rounds) < 30


def test_a_noisy_machine_makes_no_time_limit(small, monkeypatch):
    """If the machine is noisy, a slow submission gets the problem that its speed could not be measured, and not a time
    limit, because the noise is not its fault.
    """
    rules = RULES.model_copy(update={"max_seconds": 0.2, "min_pairs": 30, "max_pairs": 100, "session_pairs": 50})
    clock = Clock()
    monkeypatch.setattr(measurement, "time", clock)
    setup = sluggish(small, 0.02, clock, step_ms={Role.CONTROL: {STUDENT: 4}})
    assert measure(begun(setup), rules).reason is Reason.NOT_MEASURED


class Clock:
    """A stand-in for the module `time`."""

    now = 0.0

    def perf_counter(self):
        return self.now


# --- work of the operating system -----------------------------------------------------------------


class Kernel:
    """A stand-in for the threads of the OS kernel, which work during the launches of some roles."""

    def __init__(self, *patterns):
        self.patterns, self.rounds, self.worked, self.looks = patterns, 0, 0.0, 0

    def seconds(self):
        self.looks += 1
        return self.worked

    def works_beside(self, role):
        """Work for 1 ms during a launch of 2 ms if the pattern of this round contains the role. The patterns repeat,
        one for each round.
        """
        beside = self.patterns[self.rounds // 3 % len(self.patterns)]
        self.rounds += 1
        self.worked += 1 * MS if role in beside else 0.0


OURS, OWN, BOTH, NONE = (Role.REFERENCE, Role.CONTROL), (Role.SUBMISSION,), tuple(Role), ()


@pytest.fixture
def beside(monkeypatch, small):
    """Return a function that makes a setup in which the OS kernel works in the given patterns, on a clock that advances
    only during launches.
    """

    def make(*patterns, assignment=small, device=DEVICE, seconds=2 * MS):
        clock, kernel = Clock(), Kernel(*patterns)
        monkeypatch.setattr(measurement, "time", clock)
        monkeypatch.setattr(measurement, "kernel_threads", lambda: nullcontext(kernel))
        setup = fake_setup(assignment, device=device)
        for role, participant in setup.participants.items():
            launch = participant.worker.launch

            def launching(script, key=0, role=role, launch=launch):
                if script == STUDENT:
                    kernel.works_beside(role)
                    clock.now += seconds if role is Role.SUBMISSION else 2 * MS
                return launch(script, key)

            participant.worker.launch = launching
        return begun(setup), kernel

    return make


MANY = TimingRules(warm_up_seconds=0, clear_pairs=30, min_pairs=30, max_pairs=40, session_pairs=100)


@pytest.mark.parametrize("pattern", [NONE, BOTH])
def test_work_of_the_kernel_beside_both_sides_counts_nothing_out(beside, pattern):
    """Rounds count if the OS kernel works during the launches of both sides or of neither. The times of its threads are
    read six times in each round, before and after each turn.
    """
    setup, kernel = beside(pattern)
    assert len(measure(setup, MANY)) == 30
    assert kernel.looks == 6 * 31


@pytest.mark.parametrize("side", [OURS, OWN, (Role.REFERENCE,)])
def test_rounds_in_which_the_kernel_works_beside_one_side_do_not_count(beside, side):
    """Rounds in which the OS kernel works during the launches of only one side do not count. Here, these are a third of
    the rounds. They are replaced by other rounds, and every third round that counts has the comparisons.
    """
    setup, kernel = beside(NONE, side, NONE)
    rounds = measure(setup, MANY)
    assert {each.kernel_surplus for each in rounds} == {0.0}
    assert len(rounds) == 30
    assert kernel.rounds // 3 > 40
    assert [number for number, each in enumerate(rounds) if each.comparisons] == [*range(0, 30, 3)]


@pytest.mark.parametrize("side", [OURS, OWN])
@pytest.mark.parametrize("quiet", [0, 1, 2])
def test_where_most_rounds_are_such_the_speed_is_left_open(beside, side, quiet):
    """If the OS kernel works for one side in most rounds, the speed is left open after the largest number of pairs. A
    few quiet rounds do not change this.
    """
    setup, kernel = beside(side, side, side, *(quiet * (NONE,)))
    problem = measure(setup, MANY)
    assert problem.reason is Reason.INTERFERENCE
    seen = kernel.rounds // 3 - 1
    one_sided = seen - sum((1 + number) % (3 + quiet) >= 3 for number in range(seen))
    assert seen == MANY.max_pairs
    assert f"in {one_sided} of {seen} timed rounds, " in problem.message


@pytest.mark.parametrize("side", [OURS, OWN])
def test_points_that_others_would_have_are_not_awarded(beside, side):
    """A check that is left open because of the OS kernel's work earns no points, even if the remaining rounds would
    have earned them. Its maximum of points is kept.
    """
    setup, _ = beside(side)
    check = check_performance(setup, MANY)
    assert (check.verdict, check.reason, check.points) == (Verdict.SKIPPED, Reason.INTERFERENCE, 0)
    assert check.max_points == setup.goal.points


def test_a_slow_submission_has_no_more_time_because_of_the_kernel(beside):
    """A slow submission does not get more time because of the OS kernel's work. With fewer than eight rounds, the
    problem is a time limit. With eight rounds of which seven count, the speed is left open.
    """
    rules = MANY.model_copy(update={"max_seconds": 0.2})
    assert measure(beside(OURS, seconds=0.04)[0], rules).reason is Reason.TIME_LIMIT
    setup, kernel = beside(OURS, *(20 * (NONE,)), seconds=0.023)
    assert len(measure(setup, rules)) == 8
    setup, kernel = beside(NONE, OURS, *(20 * (NONE,)), seconds=0.023)
    problem = measure(setup, rules)
    assert (problem.reason, "in 1 of 8 timed rounds" in problem.message) == (Reason.NOT_MEASURED, True)
    assert kernel.rounds == 3 * 9


@pytest.mark.parametrize("device", [DEVICE.model_copy(update={"type": "gpu"})])
def test_on_a_gpu_nobody_looks(beside, device):
    """On a GPU, the times of the OS kernel's threads are not read, because GPU kernels cannot make the operating system
    work.
    """
    setup, kernel = beside(OURS, device=device)
    assert len(measure(setup, MANY)) == 30
    assert kernel.looks == 0


@pytest.mark.whole
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(patterns=st.lists(st.sampled_from([NONE, NONE, BOTH, OURS, OWN]), min_size=1, max_size=12))
def test_whatever_the_kernel_does_measuring_ends_and_half_of_the_rounds_decide(beside, patterns):
    """Regardless of when the OS kernel works, measuring ends after at most twice the largest number of pairs. A speed
    is reported only if at least half of the rounds count.
    """
    setup, kernel = beside(*patterns)
    found = measure(setup, MANY)
    seen = kernel.rounds // 3 - 1
    assert seen <= 2 * MANY.max_pairs
    if isinstance(found, Problem):
        assert found.reason in {Reason.INTERFERENCE, Reason.NOT_MEASURED}
        assert {OURS, OWN} & {*patterns}
    else:
        assert 2 * len(found) >= seen
        assert all(not each.is_one_sided for each in found)


def sluggish(assignment, seconds, clock, **told):
    """Return a setup in which each launch of the submission takes this time on the clock."""
    setup = fake_setup(assignment, **told)
    worker = setup.participants[Role.SUBMISSION].worker
    launch = worker.launch

    def slow(script):
        clock.now += seconds
        return launch(script)

    worker.launch = slow
    return setup


def test_sessions_are_renewed_and_their_first_rounds_do_not_count(small):
    """All three workers open new sessions before rounds 0 and 4. The first round of each session does not count, so six
    of eight rounds count.
    """
    log = []
    rounds = measure(begun(fake_setup(small, log)), RULES)
    assert len(student_launches(log)) == 8
    assert len(rounds) == 6
    opened = [number for number, (_, request, _) in enumerate(log) if request == "open"]
    roles = [log[number][0] for number in opened]
    assert set(roles[:3]) == set(roles[3:]) == set(Role)
    assert len(roles) == 6
    launched_before = sum((request, script) == ("launch", STUDENT) for _, request, script in log[: opened[3]])
    assert launched_before == 4 * 3


def test_sessions_are_asked_for_before_any_is_waited_for(small):
    """All sessions are requested before the first of them is awaited, so that three programs are built at the same
    time.
    """
    log = []
    assert open_sessions(fake_setup(small, log)) is None
    assert [request for _, request, _ in log] == ["begin to open"] * 3 + ["open"] * 3
    assert {role for role, _, _ in log[:3]} == {role for role, _, _ in log[3:]} == set(Role)


def test_a_session_that_does_not_open_is_told_before_anything_is_timed(small):
    """If a session cannot be opened, this is found before any launch is timed. A failure of the submission is a problem
    of the student, and a failure of another worker raises SolutionError.
    """
    failure = Crashed(signal=11, exit_code=None, words="")
    problem = open_sessions(fake_setup(small, faults={Role.SUBMISSION: {("open", 1): failure}}))
    assert problem.reason is Reason.CRASH
    with pytest.raises(SolutionError, match="timed against failed"):
        open_sessions(fake_setup(small, faults={Role.CONTROL: {("open", 1): failure}}))


def test_a_launch_that_takes_no_time_is_no_launch(small):
    """A launch that takes no time is implausible, because no ratio can be computed. The message names the timed run."""
    problem = measure(begun(fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 0}})), RULES)
    assert problem.reason is Reason.IMPLAUSIBLE
    assert problem.message.startswith("in timed run 1, ")


FAILURES = [
    (Crashed(signal=11, exit_code=None, words=""), Reason.CRASH),
    (TimedOut(doing="running", seconds=10), Reason.TIME_LIMIT),
]
REQUESTS = [("open", 2), (f"stage {STUDENT}", 3), (f"launch {STUDENT}", 3)]


@pytest.mark.parametrize(("failure", "reason"), FAILURES)
@pytest.mark.parametrize("request_", [*REQUESTS, ("fetch", 3)], ids=lambda request: request[0])
def test_a_failure_of_the_submission_is_the_students(small, failure, reason, request_):
    """A failure of the submission's worker is a problem of the student, in every request and also in late rounds."""
    problem = measure(begun(fake_setup(small, faults={Role.SUBMISSION: {request_: failure}})), RULES)
    assert isinstance(problem, Problem)
    assert problem.reason is reason


@pytest.mark.parametrize("role", [Role.REFERENCE, Role.CONTROL])
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request[0])
def test_a_failure_of_our_own_kernel_is_ours(small, role, request_):
    """A failure of the reference or control worker raises SolutionError, so that no student loses points for it. If the
    baseline does not build, the error says so.
    """
    opening = request_[0] == "open"
    failure = BuildFailed(program="baseline", log="x") if opening else FAILURES[0][0]
    said = "the baseline of the assignment does not build" if opening else "submissions are timed against failed"
    with pytest.raises(SolutionError, match=said):
        measure(begun(fake_setup(small, faults={role: {request_: failure}})), RULES)


@pytest.mark.parametrize("script", [NAIVE, COPY])
@pytest.mark.parametrize("request_", ["stage", "launch"])
def test_a_failure_of_a_side_show_is_ours(small, script, request_):
    """A failure of the baseline or of the copy raises SolutionError, because both belong to the assignment."""
    faults = {Role.CONTROL: {(f"{request_} {script}", 2): FAILURES[0][0]}}
    with pytest.raises(SolutionError, match=f"the {script} of the assignment failed"):
        measure(begun(fake_setup(small, faults=faults)), RULES)


@pytest.mark.parametrize("control", [4, 1])
def test_a_machine_on_which_the_model_solution_is_not_as_fast_as_itself_is_too_noisy(small, control):
    """If one worker of the model solution is twice as slow or twice as fast as the other, the machine is too noisy for
    a valid ratio. After the time limit, the smallest number of rounds is enough for this decision.
    """
    rules = RULES.model_copy(update={"max_seconds": 0.02})
    setup = fake_setup(small, step_ms={Role.CONTROL: {STUDENT: control}})
    problem = measure(begun(setup), rules)
    assert problem.reason is Reason.NOT_MEASURED
    assert f"of launches, the model solution ran at {2 / control:.2f} times its own speed" in problem.message


def test_a_slow_submission_is_no_noise(small):
    """A slow submission does not make the machine count as noisy. Only the model solution, compared with itself,
    does.
    """
    rounds = measure(begun(fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 20}})), RULES)
    assert len(rounds) == 6


def test_a_contest_is_followed_until_it_is_decided(small):
    """If the speed is close to a threshold, it is measured up to the largest number of pairs. If it is far from all
    thresholds, the smallest number is enough.
    """
    rules = RULES.model_copy(update={"max_pairs": 12})
    threshold = small.performance.classes["cpu"].bands[0].fraction
    near = fake_setup(small, step_ms={Role.SUBMISSION: {STUDENT: 2 / threshold}})
    jitter = iter([0.9, 1.1] * 20)
    launch = near.participants[Role.SUBMISSION].worker.launch

    def unsteady(script):
        timing, factor = launch(script), next(jitter)
        steps = tuple(step.model_copy(update={"end_ns": int(step.end_ns * factor)}) for step in timing.steps)
        return replace(timing, steps=steps)

    near.participants[Role.SUBMISSION].worker.launch = unsteady
    assert len(measure(begun(near), rules)) == 12
    assert len(measure(begun(fake_setup(small)), rules)) == 6
