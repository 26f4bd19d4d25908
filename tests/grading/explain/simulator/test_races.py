"""races.py: a race that another mistake causes is described without a missing barrier."""

from samples import unchecked

from grader.common.record import replace
from grader.grading.explain.simulator.races import STILL_WRONG, beside_another_mistake
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
