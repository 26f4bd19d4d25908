"""annotated.py: the source with the memory requests of each line."""

from types import SimpleNamespace

from samples import PROFILE, counted_as

from grader.course.submissions.submission import Task
from grader.grading.explain.problem import Problem
from grader.reports.annotated import render
from grader.results.verdicts import Reason

WRONG = Problem(reason=Reason.WRONG_OUTPUT, message="B is wrong.", detail="by far")


def page(assignment, counted, source):
    task = Task(assignment=assignment, submission=SimpleNamespace(source=source), seed=1)
    return render(task, counted, width=80, color=False)


def test_every_line_stands_with_its_counts(transposition):
    """Each numbered source line is followed by a row for each of its accesses and conditions. The totals come last."""
    lines = max(each.line for each in (*PROFILE.accesses, *PROFILE.branches))
    source = "".join(f"source of line {number}\n" for number in range(1, lines + 1))
    shown = page(transposition, counted_as(PROFILE), source).splitlines()
    listing = [row for row in shown if row[5:7] == "| "]
    numbers = [int(row[:4]) for row in listing if row[:4].strip()]
    assert numbers == list(range(1, lines + 1))
    rows, number = dict.fromkeys(numbers, 0), 0
    for row in listing:
        number = int(row[:4]) if row[:4].strip() else number
        rows[number] += not row[:4].strip()
    counted = [each.line for each in (*PROFILE.accesses, *PROFILE.branches)]
    assert rows == {number: counted.count(number) for number in numbers}
    for access in PROFILE.accesses:
        assert any(access.does in row and access.array in row and f"{access.requests:,} x" in row for row in shown)
    assert any("times the least possible" in row for row in shown)
    assert max(len(row) for row in shown) <= 80


def test_wrong_results_are_said_below_the_counts(transposition):
    """Below the counts of a wrong kernel, its error is printed, so that readers do not take the kernel for right. The
    page says that the order of work-items is not a device's, because a missing barrier may have no effect there.
    """
    shown = page(transposition, counted_as(PROFILE, WRONG), "x\n")
    assert shown.index("times the least possible") < shown.index("WRONG_OUTPUT  B is wrong.")
    assert "another order than on a device" in shown


def test_without_counts_there_is_the_reason(transposition):
    """Without counts, the page shows the reason with its detail, and not the source."""
    shown = page(transposition, WRONG, "x\n")
    assert "WRONG_OUTPUT  B is wrong.\nby far\n" in shown
    assert " | " not in shown


def test_the_source_cannot_move_the_cursor(transposition):
    """Escape sequences in a submission's source do not reach the terminal."""
    assert "\x1b" not in page(transposition, counted_as(PROFILE), "a \x1b[31m b\n")
