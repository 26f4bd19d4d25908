"""since.py: what has changed since the previous grading, in words."""

import pytest
from samples import RACE, check, failed, performance, result

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.reports.since import since
from grader.results.metrics import Interval
from grader.results.verdicts import Reason

BUILD = check("build", kind=Kind.BUILD)
ONE, TWO = check("correctness: one (n 1)"), check("correctness: two (n 2)")
CLEAN = check("sanitizer (n 70)", kind=Kind.SANITIZER, points=12, max_points=12)
RACED = failed("sanitizer (n 70)", kind=Kind.SANITIZER, reason=Reason.DATA_RACE, findings=(RACE,), max_points=12)
SLOW = check("performance: cpu", kind=Kind.PERFORMANCE, performance=performance())


def of(*checks, source="one\ntwo\n"):
    points = sum(each.points for each in checks)
    return replace(result(*checks), source=source, points=points, max_points=22.0)


def test_a_race_that_is_gone_is_named_with_the_line_that_it_had():
    """A race that was fixed is reported with its former line, after the points that this brings."""
    said = since(of(BUILD, ONE, RACED), of(BUILD, ONE, CLEAN))
    assert said == f"22 of 22 (was 10). Gone: race in line {RACE.lines[0]}."


def test_what_is_new_is_told():
    """A new race is reported with its line. Several races share one noun, with all lines in order."""
    assert since(of(CLEAN), of(RACED)) == f"0 of 22 (was 12). New: race in line {RACE.lines[0]}."
    found = [RACE.model_copy(update={"message": f"line {n} races.", "places": ()}) for n in (11, 10)]
    wild = RACE.model_copy(update={"message": "line 4 reads.", "places": (), "reason": Reason.OUT_OF_BOUNDS})
    many = RACED.model_copy(update={"findings": (*found, wild)})
    source = "\n".join(f"line {n}" for n in range(20))
    said = since(of(CLEAN, source=source), of(many, source=source))
    assert said.endswith(" New: races in lines 10 and 11 and access outside an array in line 4.")


def test_a_fault_whose_line_has_only_moved_is_neither_gone_nor_new():
    """If only the number of a faulty line has changed, but not its text, the fault is neither fixed nor new."""
    text = [f"line {n}" for n in range(60)]
    moved = RACE.model_copy(
        update={"message": RACE.message.replace(f"line {RACE.lines[0]}", f"line {RACE.lines[0] + 1}")}
    )
    before = of(RACED, source="\n".join(text))
    after = of(RACED.model_copy(update={"findings": (moved,)}), source="\n".join(["new", *text]))
    assert since(before, after) == "Still 0 of 22."


def test_cases_are_counted_and_those_that_broke_are_named():
    """Cases that became right are counted, and cases that became wrong are listed by name."""
    wrong = failed("correctness: two (n 2)")
    assert since(of(ONE, wrong), of(ONE, TWO)) == "10 of 22 (was 5). 1 more case is right."
    assert since(of(ONE, TWO), of(ONE, wrong)) == "5 of 22 (was 10). No longer right: two."


def test_many_cases_that_broke_are_counted():
    """Up to three cases that became wrong are listed by name. If there are more, only their number is given."""
    right = [check(f"correctness: case {n} (n {n})") for n in range(4)]
    wrong = [failed(each.name) for each in right]
    assert since(of(*right), of(*wrong[:3], right[3])).endswith("No longer right: case 0, case 1 and case 2.")
    assert since(of(*right), of(*wrong)) == "0 of 22 (was 20). No longer right: 4 cases."


def test_cases_of_two_parts_are_kept_apart():
    """Two parts of a suite may have cases with the same name, so the line includes the name of the part."""
    row, column = (ONE.of_part(part) for part in ("row", "column"))
    wrong = failed("correctness: one (n 1)").of_part("row")
    assert since(of(row, column), of(wrong, column)) == "5 of 22 (was 10). No longer right: row: one."


def test_a_build_error_that_is_gone_is_told():
    """A fixed build error is reported, and cases that could not run before count as newly right."""
    broken = failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR, message="line 2, column 1: unknown.")
    said = since(of(broken, failed("correctness: one (n 1)", reason=Reason.NOT_RUN)), of(BUILD, ONE))
    assert said == "10 of 22 (was 0). Gone: build error in line 2. 1 more case is right."


@pytest.mark.parametrize(
    ("median", "said"), [(0.45, " Speed 45 % (was 100 %)."), (1.0, ""), (12.6, " Speed 12.6 x (was 100 %).")]
)
def test_a_speed_is_compared_with_what_it_was(median, said):
    """A changed speed is given as a share of the model solution's speed, together with its former value."""
    new = performance(fraction_of_reference=Interval(median=median, low=0.4, high=1.1))
    assert since(of(SLOW), of(SLOW.model_copy(update={"performance": new}))) == f"Still 5 of 22.{said}"
