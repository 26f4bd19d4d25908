"""need.py: a search is made only where nothing else says why, and rests on what is shown."""

from dataclasses import dataclass

import pytest
from samples import check, failed, unchecked

from grader.common.record import replace
from grader.grading.rules import SearchRules
from grader.grading.search.need import allowance, is_needed, rightness
from grader.results.result import Finding, Kind, Reason, Verdict

SEEN = Finding(reason=Reason.DATA_RACE, message="line 3: a race.", cause="No barrier.", places=(), times=1)

WRONG = failed("correctness: one row (height 1)")
RACE = replace(unchecked(), verdict=Verdict.FAILED, reason=Reason.DATA_RACE, findings=(SEEN,))


@dataclass(frozen=True, kw_only=True)
class Task:
    """As much of a task as is asked for."""

    assignment: object


@dataclass(frozen=True, kw_only=True)
class Build:
    """As much of a build as is asked for."""

    task: Task
    misordered: str = ""


def built(assignment, misordered="", **changes):
    return Build(task=Task(assignment=replace(assignment, **changes)), misordered=misordered)


def test_a_wrong_result_without_a_cause_needs_it(transposition):
    """Where the simulator saw nothing either."""
    assert is_needed(built(transposition), [WRONG, check("correctness: one column (height 9)")], [unchecked()])


def test_a_cause_without_a_line_needs_it(transposition):
    """That all lines are listed which use an array says nothing."""
    told = replace(WRONG, cause="a sign", message="the sign is wrong. In your file, B is written in line 7.")
    assert is_needed(built(transposition), [told], [unchecked()])


def test_a_cause_that_is_told_in_words_leaves_it_little_time():
    """The line of a known cause is worth less than a cause; a right case has none."""
    told, right = replace(WRONG, cause="a sign", message="the sign is wrong."), check("correctness: one column")
    assert allowance(SearchRules(seconds=5.0), [WRONG, right]) == SearchRules(seconds=5.0)
    assert allowance(SearchRules(seconds=5.0), [WRONG, told]) == SearchRules(seconds=2.0)


def test_a_crash_beside_a_wrong_result_needs_it(transposition):
    """That one case crashes does not say where the results of the others go wrong."""
    assert is_needed(
        built(transposition), [WRONG, failed("correctness: one column (height 9)", reason=Reason.CRASH)], []
    )


@pytest.mark.parametrize(
    "checks",
    [
        [check("correctness: one row (height 1)")],
        [replace(WRONG, cause="B is stored by columns", message="B is stored by columns. B is written in line 7.")],
        [failed("correctness: one column (height 9)", reason=Reason.CRASH)],
        [WRONG, failed("correctness: one column (height 9)", reason=Reason.TIME_LIMIT)],
        [failed("practice: one row (height 1)", reason=Reason.WRONG_OUTPUT).model_copy(update={"kind": Kind.PRACTICE})],
    ],
    ids=["right", "line", "crash", "time", "practice"],
)
def test_what_needs_none(transposition, checks):
    """A right result, a cause told with its line, a failure that says what it is, a case that decides nothing."""
    assert not is_needed(built(transposition), checks, [unchecked()])


def test_what_else_says_why(transposition):
    """The simulator, or parameters in another order; an instructor may want none."""
    assert not is_needed(built(transposition), [WRONG], [RACE])
    assert not is_needed(built(transposition, misordered="line 3: exchanged"), [WRONG], [])
    assert not is_needed(built(transposition, hints="none"), [WRONG], [])


def test_what_is_hidden_has_no_part_in_it(transposition):
    """What a hidden simulation has found neither prevents a search nor is asked about its edits."""
    hidden = replace(transposition.sanitizer, hidden=True)
    assert is_needed(built(transposition, sanitizer=hidden), [WRONG], [RACE])
    shown = transposition.correctness.shown
    checks = [check(f"correctness: {case.name}") for case in shown]
    assert set(rightness(transposition, checks)) == {case.name for case in shown if not case.practice}
