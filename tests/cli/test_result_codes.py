"""result_codes.py: the exit codes of a grading and of a batch."""

import pytest
from gradebooks import grade, mark, missed, row

from grader.cli.exit_codes import BAD_INPUT, ELSEWHERE, FAILED, PASSED, UNGRADED
from grader.cli.result_codes import batch_exit_code, exit_code
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict


def left(reason, points=12.0):
    return mark("sanitizer", Kind.SANITIZER, 0.0, points, verdict=Verdict.SKIPPED, reason=reason, message="not here.")


HERE, THERE, HIDDEN = map(left, (Reason.NO_SIMULATOR, Reason.DECIDED_ELSEWHERE, Reason.HIDDEN))
NOISY = left(Reason.NOT_MEASURED)
PRACTICE = missed("practice: one (n 1)", Kind.PRACTICE, max_points=0.0)


def test_the_codes_are_those_of_the_readme():
    """The codes are those in the README, on which CI files and scripts rely."""
    assert (PASSED, FAILED, BAD_INPUT, UNGRADED, ELSEWHERE) == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        ((mark(),), PASSED),
        ((mark(), HIDDEN), PASSED),
        ((mark(), PRACTICE), PASSED),
        ((mark(), HERE), UNGRADED),
        ((mark(), left(Reason.NO_SIMULATOR, 0.0)), UNGRADED),
        ((mark(), THERE), ELSEWHERE),
        ((mark(), THERE, HERE), UNGRADED),
        ((mark(), NOISY), UNGRADED),
        ((mark(), left(Reason.INTERFERENCE)), UNGRADED),
        ((mark(), left(Reason.COMPILER_FAILED)), UNGRADED),
        ((missed(), NOISY), FAILED),
        ((mark(), missed(), HERE, THERE), FAILED),
        ((mark(points=2.0, verdict=Verdict.PARTIAL, reason=Reason.TOO_SLOW), THERE), FAILED),
    ],
    ids=[
        "passed",
        "hidden",
        "practice",
        "here",
        "for no points",
        "elsewhere",
        "both",
        "noisy",
        "disturbed",
        "for an instructor",
        "noisy, failed",
        "failed",
        "partly",
    ],
)
def test_a_failure_comes_first_then_what_is_missing_here(marks, code):
    """For a single grading, a failed check takes precedence over missing checks, because the student can act on it."""
    assert exit_code(grade(*marks)) == code


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ((row("ada", grade(mark())), row("eve")), PASSED),
        ((row("ada", grade(mark())), row("ben", grade(missed()))), FAILED),
        ((row("ben", grade(missed())), row("cem", grade(mark(), THERE))), FAILED),
        ((row("ada", grade(mark())), row("cem", grade(mark(), THERE))), ELSEWHERE),
        ((row("ben", grade(missed())), row("dee", fault="too noisy.")), UNGRADED),
        ((row("ben", grade(missed())), row("ada", grade(mark(), HERE))), UNGRADED),
        ((row("ben", grade(missed(), HERE)), row("ada", grade(mark()))), UNGRADED),
        ((row("ben", grade(missed())), row("ada", grade(mark(), NOISY))), UNGRADED),
    ],
    ids=["passed", "failed", "failed first", "elsewhere", "ungraded", "not checked", "failed and not checked", "noisy"],
)
def test_of_a_batch_what_is_not_graded_in_full_comes_first(rows, code):
    """For a batch, missing points take precedence over failed checks.

    In every course some student fails, and this must not hide missing points.
    """
    assert batch_exit_code(rows) == code
