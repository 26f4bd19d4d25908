"""Reports for the terminal do not break lines within a word, neither at 60 nor at 80 columns."""

from types import SimpleNamespace

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from run_measurements import WRONG, measured, row
from samples import BUILD, PROFILE, RACE, SLOW, SPEED, SPILLING, check, counted_as, failed, result, unchecked

from grader.common.record import replace
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task
from grader.reports import annotated, explanation, terminal, timings
from grader.results.explanation import Explained
from grader.results.verdicts import Reason

CUT = "…"
"""Sign at the end of a source line that is wider than the terminal. Such lines are cut instead of being wrapped."""

CHECKS = (
    BUILD,
    *(check(f"memory: words-read-{n}", Kind.MEMORY, message="reads 36,864 words of global-memory.") for n in range(2)),
    failed("correctness: one-more-than a work-group (n 129)", message="work-item " * 20, detail="error: 1.5e-06"),
    failed("sanitizer: ragged", reason=Reason.DATA_RACE, message=RACE.message, findings=(RACE,)),
    failed("performance: cpu (n 1)", kind=Kind.PERFORMANCE, reason=Reason.NOT_RUN, message="fix it first."),
    replace(SLOW, usage=(SPILLING,)),
    unchecked(),
)


@pytest.fixture(scope="module")
def addition(tmp_path_factory):
    """An assignment with one kernel."""
    return course_of(tmp_path_factory.mktemp("one"), ADDITION, KERNEL, ORACLE).load("small")


def pages(addition, width):
    """Yield every report for the terminal at this width."""
    suite = [each.of_part(part) for part in ("naive-product", "tiled-product") for each in (BUILD, SPEED)]
    for checks in (CHECKS, suite):
        yield terminal.render(result(*checks), width=width, color=False)
        yield explanation.render(Explained(title="Transposition", checks=tuple(checks)), width=width, color=False)
    task = Task(assignment=addition, submission=SimpleNamespace(source="one\\ntwo\\n"), seed=1)
    counted = counted_as(PROFILE)
    yield annotated.render(task, counted, width=width, color=False)
    rows = [row("8", measured(addition, 2.0)), row("16", WRONG)]
    for swept, some in ((None, rows[:1]), ("TILE", rows), (None, rows)):
        yield timings.render(addition, "kernels.cl", timings.body(some, swept), width=width, color=False)


@pytest.mark.parametrize("width", [60, 80])
def test_no_report_breaks_a_word(addition, width):
    """Each word of a report at this width also occurs in the same report on a very wide terminal."""
    for narrow, wide in zip(pages(addition, width), pages(addition, 400), strict=True):
        words = {word for line in narrow.splitlines() if CUT not in line for word in line.split()}
        bars = {word for word in words if set(word) & set("█▏▎▍▌▋▊▉")}
        assert words - bars <= set(wide.split())
        assert max(map(len, narrow.splitlines())) <= width
