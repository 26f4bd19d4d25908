"""rounds.py: the order of a turn, and what it is good for: no order of events earns what speed does not.

Adversaries play against the real judge in a world with a clock of its own (adversaries.py).
"""

import pytest
from adversaries import MODEL, RULES, Move, graded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.batch.scheduler import ATTEMPTS
from grader.grading.timing.participants import Role
from grader.grading.timing.rounds import Clocked, Resting, Round, TurnTimes
from grader.results.result import UNTIMED, Reason, Verdict

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
LONG = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))


def test_a_turn_is_what_the_judge_saw_from_the_inputs_to_the_answer():
    """Whatever is told."""
    state = Resting().wake(Role.SUBMISSION).ask(10.0).answer(12.5, by_device=0.1).rest()
    assert state.turns == {Role.SUBMISSION: TurnTimes(by_device=0.1, waited=2.5, seen=2.5)}


def test_where_a_worker_is_believed_its_clock_is_the_better_one():
    """No answer on its way is in it. Of the 4 s that the turn took, 1 was the launch."""
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
    """It would choose the better one."""
    state = Resting().wake(Role.CONTROL).ask(0).answer(1, by_device=1).rest()
    with pytest.raises(AssertionError, match="control has had its turn"):
        state.wake(Role.CONTROL)


def test_the_submissions_time_is_its_turn_without_our_own_overhead():
    """6 s, of which 1 and 2 s are what the judge saw of ours beyond their launches."""
    state = Resting()
    for role, seen, told in ((Role.SUBMISSION, 6, 1), (Role.REFERENCE, 4, 3), (Role.CONTROL, 5, 3)):
        state = state.wake(role).ask(0).answer(seen, by_device=told).rest()
    assert state.seen == state.waited == pytest.approx(4.5)


@pytest.mark.parametrize(("delay", "of_others"), [(6.0, 3.5), (2.5, 0.0), (1.0, 0.0)])
def test_only_what_it_waits_beyond_ours_is_the_machines_doing(delay, of_others):
    """Threads of one launch wait for each other, too, and ours for 2 and 3 s."""
    state = Resting()
    for role, waited in ((Role.SUBMISSION, delay), (Role.REFERENCE, 2.0), (Role.CONTROL, 3.0)):
        state = state.wake(role).ask(0).answer(9.0, by_device=8.0, delay=waited).rest()
    assert state.delay == of_others


def round_with(kernel_surplus):
    """A round of a second for everybody."""
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
    """By shares of their turns: work beside both leaves their ratio as it is, on however many processors it is done."""
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
    """It gets no more than a kernel that takes 0.9 of its time, and it is graded."""
    (band,) = transposition.performance.classes["cpu"].bands
    seconds = MODEL / fraction
    check, world = graded(transposition, seconds, moves, noisy=noisy, seed=seed)
    assert check.points <= (band.points if MODEL / (0.9 * seconds) >= band.fraction else 0)
    assert world.now < 60 + 10 * RULES.max_seconds


@QUICK
@given(**ADVERSARIES)
def test_no_adversary_is_awarded_more_than_its_work_is_worth(transposition, fraction, moves, noisy, seed):
    """Early, late, twice, huge, by any clock, at any time."""
    check_adversary(transposition, fraction, moves, seed, noisy=noisy)


@pytest.mark.whole
@LONG
@given(**ADVERSARIES)
def test_no_adversary_is_awarded_more_by_many_examples(transposition, fraction, moves, noisy, seed):
    """The same, for minutes."""
    check_adversary(transposition, fraction, moves, seed, noisy=noisy)


@QUICK
@given(fraction=st.floats(0.1, 1.2), moves=MOVES_OF_ONE, seed=st.integers(0, 2**32), burden=st.floats(0, 4))
def test_to_be_asked_again_on_a_busy_machine_pays_no_adversary(transposition, fraction, moves, seed, burden):
    """Nor does it cost an honest one points: what is too noisy to tell is left open, and the first time that it can be
    told decides, of as many as a batch makes.
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
    """Its speed is what it is, or it is not measured; it is never a fraud."""
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed, burden=burden)
    assert check.reason in {None, Reason.TOO_SLOW, Reason.NOT_MEASURED}
    if check.reason is not Reason.NOT_MEASURED and abs(fraction / band.fraction - 1) > 0.15:
        assert check.verdict is (Verdict.PASSED if fraction > band.fraction else Verdict.FAILED)


TOO_SLOW_ANYWHERE, NEAR_THE_GOAL = st.floats(0.1, 0.19), st.floats(0.4, 0.6)


@QUICK
@given(
    fraction=TOO_SLOW_ANYWHERE | NEAR_THE_GOAL | st.floats(0.1, 1.2),
    seed=st.integers(0, 2**32),
    crowd=st.integers(1, 8),
)
def test_a_machine_that_interrupts_long_launches_fails_nobody(transposition, fraction, seed, crowd):
    """The model solution is done before others get the processor, and against itself shows nothing; a kernel that is
    slower waits for them, and shares its caches with them. What it would have earned alone, it gets, or is asked again;
    at less than half of the speed that is asked for it need not be.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed, crowd=crowd)
    if fraction > 1.05 * band.fraction:
        assert check.reason in {None, Reason.NOT_MEASURED}
    if fraction < 0.95 * band.fraction:
        assert check.reason in {Reason.TOO_SLOW, Reason.NOT_MEASURED}
    if fraction < 0.48 * band.fraction:
        assert check.reason is Reason.TOO_SLOW


HONEST_WORK = {"fraction": st.floats(0.1, 1.2), "seed": st.integers(0, 2**32)}


@QUICK
@given(**HONEST_WORK)
def test_an_honest_submission_gets_what_its_speed_is_worth(transposition, fraction, seed):
    """And no finding, whatever the machine's jitter, and however its own threads wait for each other; only at the very
    threshold can it be either.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / fraction, seed=seed)
    assert check.reason in {None, Reason.TOO_SLOW}
    if abs(fraction / band.fraction - 1) > 0.03:
        assert check.verdict is (Verdict.PASSED if fraction > band.fraction else Verdict.FAILED)


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ((Move(), Move(told=0.05)), Reason.TOO_SLOW),
        ((Move(told=0.05),), Reason.IMPLAUSIBLE),
        ((Move(done=0.0, told=0.1),), Reason.NOT_WRITTEN),
        ((Move(done=0.95, told=0.1),), Reason.NOT_WRITTEN),
        ((Move(told=0.85),), Reason.TOO_SLOW),
        ((Move(wastes=3.0),), Reason.TIME_LIMIT),
        ((Move(idle=0.005),), Reason.TOO_SLOW),  # without those, and what they may have cost it, it is too slow as well
        ((Move(idle=0.01),), Reason.NOT_MEASURED),
        ((Move(idle=1.0),), Reason.NOT_MEASURED),
        ((Move(told=0.2, idle=1.0),), Reason.NOT_MEASURED),  # two lies are worth no more than one
        ((Move(says="twice"),), Reason.TOO_SLOW),  # it is a crash when sessions open again, where more pairs are made
        ((Move(says="huge"),), Reason.CRASH),
        ((Move(says="junk"),), Reason.CRASH),
        ((Move(says="other"),), Reason.CRASH),
        ((Move(says="nothing"),), Reason.TIME_LIMIT),
    ],
)
def test_each_known_attack_has_its_end(transposition, moves, reason):
    """By a kernel of a fifth of the model solution's speed."""
    check, _ = graded(transposition, MODEL / 0.2, moves)
    assert (check.points, check.reason) == (0, reason)


LEFT_TO_THE_KERNEL = (Move(), Move(queues=0.072))
"""The submission is first in every second round: what it queues then goes on beside our turns in that round and the
next, and has ended when its own comes."""


@pytest.mark.parametrize("watched", [True, False])
def test_work_that_is_left_to_the_kernel_pays_only_where_nobody_looks(transposition, watched):
    """It goes on while the submission is frozen, and makes ours take twice as long: a kernel of a third of the model
    solution's speed has all points, unless the judge sees the kernel work.
    """
    (band,) = transposition.performance.classes["cpu"].bands
    check, _ = graded(transposition, MODEL / 0.3, LEFT_TO_THE_KERNEL, watched=watched)
    expected = (Verdict.SKIPPED, Reason.INTERFERENCE, 0) if watched else (Verdict.PASSED, None, band.points)
    assert (check.verdict, check.reason, check.points) == expected


def test_rounds_in_which_the_kernel_works_for_a_submission_are_told_and_end(transposition):
    """They count as little as those of a warm-up, and there are no more of them than of any."""
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
    """The kernel works for it in two of six, or of ten; the others say how slow it is."""
    moves = (*LEFT_TO_THE_KERNEL, *(quiet * (Move(),)))
    check, _ = graded(transposition, MODEL / 0.3, moves)
    assert (check.points, check.reason) == (0, Reason.TOO_SLOW)
    assert check.performance.fraction_of_reference.high < 0.32


def test_who_runs_while_others_are_timed_is_frozen(transposition):
    """Awake, it would make the model solution take twice as long, and be worth points itself."""
    check, _ = graded(transposition, MODEL / 0.3, (Move(),), noisy=True)
    assert (check.points, check.reason) == (0, Reason.TOO_SLOW)
    assert check.performance.fraction_of_reference.high < 0.32
