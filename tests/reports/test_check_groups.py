"""groups.py: the rows of a report."""

from samples import BUILD, SPEED, check, failed, result, unchecked

from grader.course.rubric import Kind
from grader.reports.groups import groups_of
from grader.reports.issues import issues_of, numbers_of
from grader.results.check import Reason, Verdict


def rows(*checks):
    """Return state, label, points and full points of each row."""
    outcome = result(*checks)
    groups = groups_of(outcome.checks, outcome.unreached, numbers_of(issues_of(outcome)))
    return [(group.state, group.label, group.points, group.max_points) for group in groups]


def test_checks_of_a_kind_that_were_made_are_one_row():
    """A row has the state of its checks, "partly" if they differ, the number of passed ones, and the sums of points."""
    half = check("correctness: two", verdict=Verdict.PARTIAL, points=2, reason=Reason.WRONG_OUTPUT)
    assert rows(check("correctness: one"), check("correctness: two")) == [
        ("passed", "correctness: all 2 cases", 10, 10)
    ]
    assert rows(check("correctness: one"), half) == [("partly", "correctness: 1 of 2 cases", 7, 10)]
    assert rows(half, failed("correctness: three"))[0][:2] == ("partly", "correctness: 0 of 2 cases")


def test_a_single_check_keeps_its_name_and_its_speed():
    """A check that is alone keeps its name; a timed one has its rate and its share of the model's."""
    (build, speed) = rows(BUILD, SPEED)
    assert build[:2] == ("passed", "build")
    assert speed[1] == f"{SPEED.name}, 7.21 GB/s, 100 % of the model"


def test_checks_that_were_not_made_have_a_row_for_each_reason():
    """Open, hidden and skipped checks are apart. Hidden points are not told."""
    hidden = unchecked("memory: banks", Kind.MEMORY, reason=Reason.HIDDEN, message="later.")
    unrun = failed("correctness: two", reason=Reason.NOT_RUN, message="fix one first.")
    found = rows(BUILD, failed("correctness: one"), unrun, unchecked(), hidden)
    assert [row[0] for row in found] == ["passed", "failed", "skipped", "open", "hidden"]
    assert found[-1][2] is None


def test_checks_that_a_failed_build_prevents_are_the_last_row():
    """All checks that a failed build prevents are one row."""
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, max_points=0)
    unrun = [failed(f"correctness: {name}", reason=Reason.NOT_RUN) for name in ("one", "two")]
    assert rows(broken, *unrun)[1:] == [("skipped", "2 checks: correctness", 0, 10)]
