"""cause_search.py: a search is started only if no shown check explains the wrong results."""

from dataclasses import dataclass

import pytest
from samples import check, failed, unchecked

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.grading.explain.problem import MIXED_UP, WrongParameters
from grader.grading.explain.slips.macros import REDEFINED
from grader.grading.phases.cause_search import is_needed, rightness
from grader.results.findings import Finding
from grader.results.verdicts import Reason, Verdict

SEEN = Finding(reason=Reason.DATA_RACE, message="line 3: a race.", help="No barrier.", places=(), times=1)

WRONG = failed("correctness: one row (height 1)")
RACE = replace(unchecked(), verdict=Verdict.FAILED, reason=Reason.DATA_RACE, findings=(SEEN,))


@dataclass(frozen=True, kw_only=True)
class Task:
    """A stand-in for a task, with only the fields that are needed."""

    assignment: object


@dataclass(frozen=True, kw_only=True)
class Build:
    """A stand-in for a build, with only the fields that are needed."""

    task: Task
    wrong_parameters: WrongParameters | None = None


def built(assignment, wrong_parameters=None, **changes):
    return Build(task=Task(assignment=replace(assignment, **changes)), wrong_parameters=wrong_parameters)


def test_a_wrong_result_without_a_cause_needs_it(transposition):
    """If a wrong result has no cause and the simulator has no finding, a search is started."""
    assert is_needed(built(transposition), [WRONG, check("correctness: one column (height 9)")], [unchecked()])


def test_a_cause_without_a_line_needs_it(transposition):
    """If the cause of a wrong result is known but its line is not, a search is started. A list of all lines that use an
    array does not count as the line.
    """
    told = replace(
        WRONG, cause="a sign", message="the sign is wrong.", help="Follow one element by hand: line 7 writes `B`."
    )
    assert is_needed(built(transposition), [told], [unchecked()])


def test_a_redefined_macro_needs_none(transposition):
    """If the submission redefines a macro, no search is started. An edit of a line that uses the macro could also make
    the results right, and the message would then name two lines.
    """
    told = replace(WRONG, cause=REDEFINED, message="line 1 redefines TILE, which the grader sets to 16.")
    assert not is_needed(built(transposition), [told], [unchecked()])


def test_a_line_of_the_effect_needs_it(transposition):
    """A search starts even if a cause or a finding names a line, because this line may only show the effect."""
    told = replace(WRONG, cause="B is stored by columns", message="B is stored by columns (line 7 writes `B`).")
    assert is_needed(built(transposition), [told], [unchecked()])
    assert is_needed(built(transposition), [WRONG], [RACE])
    outside = replace(WRONG, reason=Reason.OUT_OF_BOUNDS)
    assert is_needed(built(transposition), [outside], [RACE])


def test_a_crash_beside_a_wrong_result_needs_it(transposition):
    """A crash in one case does not prevent a search, because it does not explain the wrong results of other cases."""
    assert is_needed(
        built(transposition), [WRONG, failed("correctness: one column (height 9)", reason=Reason.CRASH)], []
    )


@pytest.mark.parametrize(
    "checks",
    [
        [check("correctness: one row (height 1)")],
        [failed("correctness: one column (height 9)", reason=Reason.CRASH)],
        [WRONG, failed("correctness: one column (height 9)", reason=Reason.TIME_LIMIT)],
        [failed("practice: one row (height 1)", reason=Reason.WRONG_OUTPUT).model_copy(update={"kind": Kind.PRACTICE})],
    ],
    ids=["right", "crash", "time", "practice"],
)
def test_what_needs_none(transposition, checks):
    """No search starts for correct results, for a crash, a time limit, or a practice case."""
    assert not is_needed(built(transposition), checks, [unchecked()])


def test_what_else_says_why(transposition):
    """No search starts if the simulator found a barrier that some work-items miss. No search starts either if exchanged
    parameters explain the results, or if the instructor does not want hints.
    """
    missed = replace(SEEN, reason=Reason.BARRIER_DIVERGENCE)
    assert not is_needed(built(transposition), [WRONG], [replace(RACE, findings=(missed,))])
    exchanged = WrongParameters(message="line 3: exchanged", explains=MIXED_UP)
    assert not is_needed(built(transposition, wrong_parameters=exchanged), [WRONG], [])
    assert not is_needed(built(transposition, hints="none"), [WRONG], [])


def test_what_is_hidden_has_no_part_in_it(transposition):
    """The findings of a hidden simulation neither prevent a search nor rule out edits."""
    hidden = replace(transposition.sanitizer, hidden=True)
    missed = replace(RACE, findings=(replace(SEEN, reason=Reason.BARRIER_DIVERGENCE),))
    assert is_needed(built(transposition, sanitizer=hidden), [WRONG], [missed])
    shown = transposition.correctness.shown
    checks = [check(f"correctness: {case.name}") for case in shown]
    assert set(rightness(transposition, checks)) == {case.name for case in shown if not case.practice}
