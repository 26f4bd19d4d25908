"""The report a student reads in the terminal: a table of checks with points, and the reason under each failure."""

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.result import Check, Interval, Kind, Performance, Result, Verdict

FAILURES_SHOWN = 4
"""Failed cases that are explained in full; the rest are named. The first few nearly always share a cause."""

DETAIL_LINES = 12
"""Lines of detail (a build log) shown under a failure."""

STYLES = {Verdict.PASSED: "green", Verdict.PARTIAL: "yellow", Verdict.FAILED: "bold red"}
WORDS = {Verdict.PASSED: "passed", Verdict.PARTIAL: "partly", Verdict.FAILED: "FAILED"}


def render(result: Result, *, width: int, color: bool) -> str:
    """The report for a terminal of this width; without colour it is plain text."""
    console = Console(
        file=StringIO(), width=width, force_terminal=color, color_system="standard" if color else None, highlight=False
    )
    console.print(Text.assemble((f"{result.title}", "bold"), f"  {result.assignment}"))
    console.print(Text(result.submission, style="dim"))
    console.print()
    for row in _rows(result.checks):
        console.print(row)
    console.print()
    console.print(_line(_overall(result), "total", result.points, result.max_points))
    console.print(Text(_footer(result), style="dim"))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def _rows(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    for kind in Kind:
        of_kind = [check for check in checks if check.kind is kind]
        passed = [check for check in of_kind if check.verdict is Verdict.PASSED]
        failed = [check for check in of_kind if check.verdict is not Verdict.PASSED]
        if len(passed) > 1:
            label = f"{kind}: {'all' if not failed else f'{len(passed)} of'} {len(of_kind)} cases"
            yield _line(Verdict.PASSED, label, sum(c.points for c in passed), sum(c.max_points for c in passed))
        else:
            for check in passed:
                yield from _passed(check)
        for check in failed[:FAILURES_SHOWN]:
            yield from _failed(check)
        if len(failed) > FAILURES_SHOWN:
            yield from _summary(failed[FAILURES_SHOWN:])


def _line(verdict: Verdict, label: str, points: float, max_points: float) -> Table:
    """One row: verdict, what was checked, points to the right."""
    table = Table.grid(expand=True, padding=(0, 1))
    table.add_column(width=6)
    table.add_column(ratio=1)
    table.add_column(justify="right")
    table.add_row(
        Text(WORDS[verdict], style=STYLES[verdict]),
        Text(label),
        Text(f"{points:g} / {max_points:g}" if max_points else ""),
    )
    return table


def _passed(check: Check) -> Iterator[Table | Padding]:
    yield _line(check.verdict, check.name, check.points, check.max_points)
    if check.performance is not None:
        yield _under(Text(_speed(check.performance), style="dim"))


def _failed(check: Check) -> Iterator[Table | Padding]:
    yield _line(check.verdict, check.name, check.points, check.max_points)
    yield _under(Text.assemble((f"{check.reason}", STYLES[check.verdict]), "  ", check.message))
    if check.performance is not None:
        yield _under(Text(_speed(check.performance), style="dim"))
    if check.detail:
        lines = check.detail.splitlines()
        more = [f"({len(lines) - DETAIL_LINES} more lines in the JSON report)"] if len(lines) > DETAIL_LINES else []
        yield _under(Text("\n".join(lines[:DETAIL_LINES] + more), style="dim"))


def _summary(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    points, of = sum(check.points for check in checks), sum(check.max_points for check in checks)
    yield _line(Verdict.FAILED, f"{checks[0].kind}: {len(checks)} more cases", points, of)
    names = "; ".join(f"{check.name.removeprefix(f'{check.kind}: ')}: {check.reason}" for check in checks)
    yield _under(Text(names, style="dim"))


def _under(text: Text) -> Padding:
    """Text below a row, in line with its label."""
    return Padding(text, (0, 0, 0, 7))


def _speed(performance: Performance) -> str:
    rate, fraction = performance.rate, performance.fraction_of_reference
    parts = [
        f"{_range(rate)} {performance.unit}",
        f"{_range(_percent(fraction))} % of the model solution",
        f"{performance.speed_up_over_baseline.median:.2g} x the naive kernel",
        f"{100 * performance.fraction_of_copy:.2g} % of copy bandwidth ({performance.copy_bandwidth:.3g} GB/s)",
    ]
    if performance.program_seconds is not None:
        parts.append(
            f"whole program {performance.program_seconds * 1e3:.3g} ms, "
            f"{performance.program_speed_up:.2g} x the naive program, "
            f"{100 * (performance.program_fraction_of_copy or 0):.2g} % of copy bandwidth"
        )
    return "; ".join(parts)


def _percent(interval: Interval) -> Interval:
    return Interval(median=100 * interval.median, low=100 * interval.low, high=100 * interval.high)


def _range(interval: Interval) -> str:
    return f"{interval.median:.3g} ({interval.low:.3g} to {interval.high:.3g})"


def _overall(result: Result) -> Verdict:
    if result.passed:
        return Verdict.PASSED
    return Verdict.PARTIAL if result.points else Verdict.FAILED


def _footer(result: Result) -> str:
    provenance = result.provenance
    return f"{provenance.device.name}, {result.seconds:.1f} s, seed {provenance.seed}"
