"""tried_barriers.py: a race that another mistake causes is described without a missing barrier."""

from samples import unchecked

from grader.common.record import replace
from grader.grading.explain.simulator.tried_barriers import (
    STILL_WRONG,
    beside_another_mistake,
    despite_barriers,
    ended_by_a_barrier,
)
from grader.results.findings import AdvisedBarrier, Finding
from grader.results.verdicts import Reason

RACE = "line 9 overwrites words of `t` that another work-item still reads in line 8."
SIZES = " The sizes are n 9."


def test_a_race_beside_another_mistake_is_told_by_itself():
    """Only the words about the barrier are replaced. The sizes after the first finding and findings without a barrier
    are kept.
    """
    outside = Finding(
        reason=Reason.OUT_OF_BOUNDS, message="line 4 reads outside `x`.", help="Check.", places=(), times=1
    )
    race = Finding(
        reason=Reason.DATA_RACE,
        message=f"a barrier is missing after line 9: {RACE}",
        help="Write barrier(CLK_LOCAL_MEM_FENCE) after line 9.",
        places=(),
        times=1,
        barrier=AdvisedBarrier(line=9, race=RACE),
    )
    check = replace(unchecked(), message=f"{race.message}{SIZES}", help=race.help, findings=(race, outside))
    told = beside_another_mistake(check)
    assert (told.message, told.help) == (f"{RACE}{SIZES}", STILL_WRONG)
    assert told.findings == (replace(race, message=RACE, help=STILL_WRONG, barrier=None), outside)
    later = replace(check, message=outside.message, help=outside.help, findings=(outside, race))
    assert beside_another_mistake(later).message == outside.message


def test_a_race_that_a_tried_barrier_ends_is_told_after_the_missing_barrier():
    """If a barrier ends all races, races without an advised barrier get it as their advice, and come after the race
    that names the missing barrier. Other findings and checks keep their place.
    """
    race = Finding(reason=Reason.DATA_RACE, message="line 7: two write.", help="Check the index.", places=(), times=1)
    missing = replace(race, message="a barrier is missing.", help="Add it.", barrier=AdvisedBarrier(line=9, race=RACE))
    unset = replace(race, reason=Reason.UNINITIALISED)
    check = replace(unchecked(), message=f"{race.message}{SIZES}", help=race.help, findings=(race, unset, missing))
    told = ended_by_a_barrier(check, 9)
    ended = replace(race, help="Write barrier(CLK_LOCAL_MEM_FENCE) after line 9, which ends this race.")
    assert told.findings == (missing, unset, ended)
    assert (told.message, told.help) == (f"{missing.message}{SIZES}", "Add it.")
    assert ended_by_a_barrier(unchecked(), 9) == unchecked()


def test_races_that_remain_despite_a_barrier_have_the_other_advice():
    """If races remain with the advised barrier, the advice for this case is given, or that to look for another
    mistake.
    """
    barrier = AdvisedBarrier(line=9, race=RACE, otherwise="Move the steps.")
    race = Finding(reason=Reason.DATA_RACE, message="missing", help="Add it.", places=(), times=1, barrier=barrier)
    plain = replace(race, barrier=replace(barrier, otherwise=None))
    check = replace(unchecked(), message=race.message, help=race.help, findings=(race, plain))
    told = despite_barriers(check)
    assert [each.help for each in told.findings] == ["Move the steps.", STILL_WRONG]
    assert (told.message, told.help) == (RACE, "Move the steps.")
