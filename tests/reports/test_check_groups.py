"""groups.py: the rows into which a report groups its checks."""

from samples import BUILD, SPEED, check, failed, result, unchecked

from grader.course.rubric import Kind
from grader.reports.groups import groups_of
from grader.reports.issues import issues_of, numbers_of
from grader.results.metrics import Interval
from grader.results.verdicts import Reason, Verdict


def rows(*checks):
    """Return the state, the label, the points and the full points of each row."""
    outcome = result(*checks)
    groups = groups_of(outcome.checks, outcome.unreached, numbers_of(issues_of(outcome)))
    return [(group.state, group.label, group.points, group.max_points) for group in groups]


def test_checks_of_a_kind_that_were_made_are_one_row():
    """A row shows the state of its checks, or "partly" if they differ, the number of passed checks, and the sums of
    their points.
    """
    half = check("correctness: two", verdict=Verdict.PARTIAL, points=2, reason=Reason.WRONG_OUTPUT)
    assert rows(check("correctness: one"), check("correctness: two")) == [("passed", "correctness: both cases", 10, 10)]
    assert rows(check("correctness: one"), half) == [("partly", "correctness: 1 of 2 cases", 7, 10)]
    assert rows(half, failed("correctness: three"))[0][:2] == ("partly", "correctness: 0 of 2 cases")


def test_a_single_check_keeps_its_name_and_its_speed():
    """A single check keeps its name. If it was timed, its row also shows the rate and the share of the model solution's
    speed.
    """
    (build, speed) = rows(BUILD, SPEED)
    assert build[:2] == ("passed", "build")
    assert speed[1] == f"{SPEED.name}, 7.21 GB/s, 100 % of the model"
    faster = SPEED.performance.model_copy(update={"fraction_of_reference": Interval(median=12.6, low=12, high=13)})
    (speed,) = rows(SPEED.model_copy(update={"performance": faster}))
    assert speed[1] == f"{SPEED.name}, 7.21 GB/s, 12.6 times the model"


def test_checks_that_were_not_made_have_a_row_for_each_reason():
    """Open, hidden and skipped checks have separate rows. The points of hidden checks are not shown."""
    hidden = unchecked("memory: banks", Kind.MEMORY, reason=Reason.HIDDEN, message="later.")
    unrun = failed("correctness: two", reason=Reason.NOT_RUN, message="fix one first.")
    found = rows(BUILD, failed("correctness: one"), unrun, unchecked(), hidden)
    assert [row[0] for row in found] == ["passed", "failed", "skipped", "open", "hidden"]
    assert found[-1][2] is None


def test_checks_that_a_failed_build_prevents_are_the_last_row():
    """All checks that a failed build prevents share the last row."""
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, max_points=0)
    unrun = [failed(f"correctness: {name}", reason=Reason.NOT_RUN) for name in ("one", "two")]
    assert rows(broken, *unrun)[1:] == [("skipped", "2 checks: correctness", 0, 10)]
