"""rounds.py: the order of events in the turn of a worker, which no submission can exploit to seem faster.

The adversaries in these tests act against the real judge in a simulated world with its own clock (adversaries.py).
"""

import pytest
from adversaries import MODEL, RULES, Move, graded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.batch.scheduler import ATTEMPTS
from grader.grading.timing.rounds import Clocked, Resting, Role, Round, TurnTimes
from grader.results.verdicts import UNTIMED, Reason, Verdict

pytestmark = pytest.mark.long

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
FEW = settings(QUICK, max_examples=10)
LONG = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))


def test_a_turn_is_what_the_judge_saw_from_the_inputs_to_the_answer():
    """The time of a turn is measured by the judge from the moment when it sends the inputs to the moment when it
    receives the answer. It does not depend on the times that the worker reports.
    """
    state = Resting().wake(Role.SUBMISSION).ask(10.0).answer(12.5, by_device=0.1).rest()
    assert state.turns == {Role.SUBMISSION: TurnTimes(by_device=0.1, waited=2.5, seen=2.5)}


def test_where_a_worker_is_believed_its_clock_is_the_better_one():
    """If the worker is trusted, its own clock is used instead, because it does not include the time that an answer
    travels. Here, the launch takes 1 of the 4 s of the turn.
    """
    state = Resting()
    for role, told, waited, took in (
        (Role.SUBMISSION, 0.1, 1.0, 4.0),
        (Role.REFERENCE, 0.5, 0.6, 1.5),
        (Role.CONTROL, 0.5, 0.8, 1.7),
    ):
        state = state.wake(role).ask(0).answer(9.0, told, Clocked(waited=waited, took=took)).rest()
    assert state.turns[Role.SUBMISSION] == TurnTimes(by_device=0.1, waited=1.0, seen=4.0)
    assert state.waited == pytest.approx(1.0 - (0.1 + 0.3) / 2)
    assert state.seen == pytest.approx(4.0 - (1.0 + 1.2) / 2)


def test_nobody_has_two_turns_in_a_round():
    """A role has only one turn in each round. Otherwise, a worker could choose the better of two."""
    state = Resting().wake(Role.CONTROL).ask(0).answer(1, by_device=1).rest()
    with pytest.raises(AssertionError, match="control has had its turn"):
        state.wake(Role.CONTROL)


def test_the_submissions_time_is_its_turn_without_our_own_overhead():
    """The time of the submission is the time of its turn without the overhead of the grader. Here, the overhead is 1.5
    s of 6, because the turns of the model solution took 1 and 2 s longer than its launches.
    """
    state = Resting()
    for role, seen, told in ((Role.SUBMISSION, 6, 1), (Role.REFERENCE, 4, 3), (Role.CONTROL, 5, 3)):
        state = state.wake(role).ask(0).answer(seen, by_device=told).rest()
    assert state.seen == state.waited == pytest.approx(4.5)


@pytest.mark.parametrize(("delay", "of_others"), [(6.0, 3.5), (2.5, 0.0), (1.0, 0.0)])
def test_only_what_it_waits_beyond_ours_is_the_machines_doing(delay, of_others):
    """Only waits beyond the model solution's 2 and 3 s are caused by other programs, because the threads of any launch
    also wait for each other.
    """
    state = Resting()
    for role, waited in ((Role.SUBMISSION, delay), (Role.REFERENCE, 2.0), (Role.CONTROL, 3.0)):
        state = state.wake(role).ask(0).answer(9.0, by_device=8.0, delay=waited).rest()
    assert state.delay == of_others


def round_with(kernel_surplus):
    """Return a round in which every time is one second."""
    seconds = dict.fromkeys(("submission", "waited", "seen", "turn", "reference", "control"), 1.0)
    return Round(**seconds, delay=0.0, kernel_surplus=kernel_surplus, comparisons=None)


@pytest.mark.parametrize(
    ("submission", "reference", "control", "one_sided"),
    [
        (0.0, 0.0, 0.0, False),
        (0.0, 0.3, 0.3, True),
        (0.0, 0.3, 0.0, True),
        (0.3, 0.0, 0.0, True),
        (0.3, 0.3, 0.3, False),
        (2.0, 2.0, 1.98, False),
        (0.0, 0.04, 0.04, False),
        (0.06, 0.0, 0.0, True),
    ],
)
def test_the_kernel_may_work_beside_both_sides_and_not_beside_one(submission, reference, control, one_sided):
    """A round is one-sided if the OS kernel works during the launch of one side only. Work is measured as a share of
    the turn, so equal work on both sides does not matter on any number of processors.
    """
    state = Resting()
    for role, share in ((Role.SUBMISSION, submission), (Role.REFERENCE, reference), (Role.CONTROL, control)):
        state = state.wake(role).ask(0).answer(9.0, by_device=8.0).rest(share)
    assert state.kernel_surplus == pytest.approx(submission - (reference + control) / 2)
    assert round_with(state.kernel_surplus).is_one_sided is one_sided


# --- adversaries ----------------------------------------------------------------------------------

MOVES = st.builds(
    Move,
    done=st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0, 1.0, 1.0]),
    told=st.one_of(st.floats(0, 2), st.sampled_from([1e-9, 0.1, 0.5, 0.8, 1.0, 1e6])),
    saves=st.floats(0, 0.4),
    wastes=st.sampled_from([0.0, 0.0, 0.0, 0.001, 0.1]),
    says=st.sampled_from(["once"] * 30 + ["twice", "huge", "junk", "other", "nothing"]),
    idle=st.sampled_from([0.0, 0.0, 0.0, 0.004, 0.1, 9e9]),
    queues=st.sampled_from([0.0, 0.0, 0.0, 0.016, 0.03, 0.06, 1.0]),
)
MOVES_OF_ONE = st.lists(MOVES, min_size=1, max_size=6).map(tuple)
ADVERSARIES = {
    "fraction": st.floats(0.1, 1.2),
    "moves": MOVES_OF_ONE,
    "noisy": st.booleans(),
    "seed": st.integers(0, 2**32),
}


def check_adversary(transposition, fraction, moves, seed, *, noisy):
    """Check that an adversary is graded in limited time, and gets no more points than a kernel that takes 0.9 times as
    long.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    seconds = MODEL / fraction
    check, world = graded(transposition, seconds, moves, noisy=noisy, seed=seed)
    assert check.points <= (band.points if MODEL / (0.9 * seconds) >= band.fraction else 0)
    assert world.now < 60 + 10 * RULES.max_seconds


@QUICK
@given(**ADVERSARIES)
def test_no_adversary_is_awarded_more_than_its_work_is_worth(transposition, fraction, moves, noisy, seed):
    """An adversary never gets more points than its work is worth, even if it answers early, late, twice or with huge
    replies, at any time and with any reported times.
    """
    check_adversary(transposition, fraction, moves, seed, noisy=noisy)


@pytest.mark.whole
@LONG
@given(**ADVERSARIES)
def test_no_adversary_is_awarded_more_by_many_examples(transposition, fraction, moves, noisy, seed):
    """An adversary never gets more points than its work is worth. These examples take minutes."""
    check_adversary(transposition, fraction, moves, seed, noisy=noisy)


@QUICK
@given(fraction=st.floats(0.1, 1.2), moves=MOVES_OF_ONE, seed=st.integers(0, 2**32), burden=st.floats(0, 4))
def test_to_be_asked_again_on_a_busy_machine_pays_no_adversary(transposition, fraction, moves, seed, burden):
    """If a machine is busy, a measurement that is too noisy is repeated, as often as a batch repeats a grading. The
    first measurement that is not too noisy counts, and it does not give an adversary more points than its work is
    worth.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    seconds = MODEL / fraction
    for attempt in range(ATTEMPTS):
        check, _ = graded(transposition, seconds, moves, noisy=True, seed=seed + attempt, burden=burden)
        assert check.max_points == band.points
        if check.reason not in UNTIMED:
            break
        assert (check.verdict, check.points, check.performance) == (Verdict.SKIPPED, 0, None)
    assert check.points <= (band.points if MODEL / (0.9 * seconds) >= band.fraction else 0)


@QUICK
@given(fraction=st.floats(0.1, 1.2), seed=st.integers(0, 2**32), burden=st.floats(0, 4))
def test_a_busy_machine_tells_nothing_wrong_of_an_honest_submission(transposition, fraction, seed, burden):
    """On a busy machine, the measured speed of an honest submission is right, or the speed is not measured. The
    submission is never called a fraud.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed, burden=burden)
    assert check.reason in {None, Reason.TOO_SLOW, Reason.NOT_MEASURED}
    if check.reason is not Reason.NOT_MEASURED and abs(fraction / band.fraction - 1) > 0.15:
        assert check.verdict is (Verdict.PASSED if fraction > band.fraction else Verdict.FAILED)


TOO_SLOW_ANYWHERE, NEAR_THE_GOAL = st.floats(0.1, 0.19), st.floats(0.4, 0.6)


CROWDED = {
    "fraction": TOO_SLOW_ANYWHERE | NEAR_THE_GOAL | st.floats(0.1, 1.2),
    "seed": st.integers(0, 2**32),
    "crowd": st.integers(1, 8),
}


def check_crowded(transposition, fraction, seed, crowd):
    """Check that a submission gets the points that it would earn on a quiet machine, or that it is to be timed again.
    If it has less than half of the required speed, it must fail at once.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed, crowd=crowd)
    if fraction > 1.05 * band.fraction:
        assert check.reason in {None, Reason.NOT_MEASURED}
    if fraction < 0.95 * band.fraction:
        assert check.reason in {Reason.TOO_SLOW, Reason.NOT_MEASURED}
    if fraction < 0.48 * band.fraction:
        assert check.reason is Reason.TOO_SLOW


@pytest.mark.whole
@FEW
@given(**CROWDED)
def test_a_machine_that_interrupts_long_launches_fails_nobody(transposition, fraction, seed, crowd):
    """If a machine interrupts long launches, it does not make a submission fail that is fast enough. The model solution
    ends before other programs get the processor, so its own times show no noise, but a slower kernel waits for these
    programs and shares its caches with them.
    """
    check_crowded(transposition, fraction, seed, crowd)


@pytest.mark.whole
@QUICK
@given(**CROWDED)
def test_a_machine_that_interrupts_launches_fails_nobody_in_more_examples(transposition, fraction, seed, crowd):
    """A machine that interrupts long launches does not make a fast submission fail in more examples. Each example takes
    half a second, because a kernel close to the goal is timed up to the largest number of pairs.
    """
    check_crowded(transposition, fraction, seed, crowd)


HONEST_WORK = {"fraction": st.floats(0.1, 1.2), "seed": st.integers(0, 2**32)}


@pytest.mark.whole
@QUICK
@given(**HONEST_WORK)
def test_an_honest_submission_gets_what_its_speed_is_worth(transposition, fraction, seed):
    """An honest submission gets the points for its speed, and nothing else is reported, with any jitter of the machine
    and any waits between its own threads. Both verdicts are possible only close to the threshold.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed)
    assert check.reason in {None, Reason.TOO_SLOW}
    if abs(fraction / band.fraction - 1) > 0.03:
        assert check.verdict is (Verdict.PASSED if fraction > band.fraction else Verdict.FAILED)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ((Move(), Move(told=0.05)), Reason.TOO_SLOW),
        ((Move(told=0.05),), Reason.IMPLAUSIBLE),
        ((Move(done=0.0, told=0.1),), Reason.NOT_WRITTEN),
        ((Move(done=0.95, told=0.1),), Reason.NOT_WRITTEN),
        ((Move(told=0.85),), Reason.TOO_SLOW),
        ((Move(wastes=3.0),), Reason.TIME_LIMIT),
        ((Move(idle=0.005),), Reason.TOO_SLOW),  # it is too slow even without these waits
        ((Move(idle=0.01),), Reason.NOT_MEASURED),
        ((Move(idle=1.0),), Reason.NOT_MEASURED),
        ((Move(told=0.2, idle=1.0),), Reason.NOT_MEASURED),  # two lies are worth no more than one
        ((Move(says="twice"),), Reason.TOO_SLOW),  # in longer timings it is a crash, because sessions are opened again
        ((Move(says="huge"),), Reason.CRASH),
        ((Move(says="junk"),), Reason.CRASH),
        ((Move(says="other"),), Reason.CRASH),
        ((Move(says="nothing"),), Reason.TIME_LIMIT),
    ],
)
def test_each_known_attack_has_its_end(transposition, moves, reason):
    """Each known attack by a kernel with a fifth of the model solution's speed earns no points and gets the expected
    reason.
    """
    check, _ = graded(transposition, MODEL / 0.2, moves)
    assert (check.points, check.reason) == (0, reason)


LEFT_TO_THE_KERNEL = (Move(), Move(queues=0.072))
"""The submission is first in every second round. The work that it has left to the OS kernel then continues during the
model solution's turns in this round and in the next one, and ends before the submission's next turn.
"""


@pytest.mark.parametrize("watched", [True, False])
def test_work_that_is_left_to_the_kernel_pays_only_where_nobody_looks(transposition, watched):
    """Work that a submission has left to the OS kernel continues while the submission is frozen, and doubles the time
    of the model solution. A submission with a third of the model solution's speed then gets all points, unless the
    judge watches the OS kernel.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / 0.3, LEFT_TO_THE_KERNEL, watched=watched)
    expected = (Verdict.SKIPPED, Reason.INTERFERENCE, 0) if watched else (Verdict.PASSED, None, band.points)
    assert (check.verdict, check.reason, check.points) == expected


def test_rounds_in_which_the_kernel_works_for_a_submission_are_told_and_end(transposition):
    """Rounds in which the OS kernel works for the submission do not count, and the message gives their number.
    Measuring ends after the largest number of pairs.
    """
    check, world = graded(transposition, MODEL / 0.3, LEFT_TO_THE_KERNEL)
    assert check.message == (
        f"in {RULES.max_pairs} of {RULES.max_pairs} timed rounds, this machine's operating system did more work during "
        "one of the two compared launches than during the other. The points stay open until the submission is timed "
        "again, with no other programs running."
    )
    assert (check.max_points, check.performance) == (transposition.performance.classes["cpu"].bands[0].points, None)
    assert world.now < 2 * RULES.max_seconds


@pytest.mark.parametrize("quiet", [4, 8])
def test_a_submission_is_timed_by_the_rounds_that_it_leaves_alone(transposition, quiet):
    """If the OS kernel works for a submission in two of six or of ten rounds, the other rounds decide. They show that
    the submission is slow.
    """
    moves = (*LEFT_TO_THE_KERNEL, *(quiet * (Move(),)))
    check, _ = graded(transposition, MODEL / 0.3, moves)
    assert (check.points, check.reason) == (0, Reason.TOO_SLOW)
    assert check.performance.fraction_of_reference.high < 0.32


def test_who_runs_while_others_are_timed_is_frozen(transposition):
    """A submission that keeps running while others are timed is frozen. Otherwise, it would double the model solution's
    time and earn points.
    """
    check, _ = graded(transposition, MODEL / 0.3, (Move(),), noisy=True)
    assert (check.points, check.reason) == (0, Reason.TOO_SLOW)
    assert check.performance.fraction_of_reference.high < 0.32
