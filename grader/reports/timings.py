"""The output of `grader run`: all times of one kernel, or a row for each of several kernels or values, with bars."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median

from rich.bar import Bar
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from grader.common.phrases import count, sizes_in_words, three_digits
from grader.course.run_sequence import LaunchAt
from grader.course.suite import Coursework
from grader.grading.by_hand.run import Measured, TimedRow
from grader.grading.explain.error_map import as_text
from grader.grading.explain.problem import Problem
from grader.protocol.text import showable
from grader.reports.rows import drawn_as_text
from grader.reports.words import seconds_in_words

DETAIL_LINES = 12
"""Maximum number of lines of detail, such as a build log, that are shown below a reason."""

NOTHING = "-"
"""Text of a cell whose value is unknown."""


def render(coursework: Coursework, submission: Path, body: Iterable[RenderableType], *, width: int, color: bool) -> str:
    """Return the body below its title, for a terminal of this width. Without colour, it is plain text."""
    head = Text.assemble((showable(coursework.title), "bold"), f"  {coursework.name}")
    path = Text(showable(str(submission)), style="dim")
    apart = chain.from_iterable(("", part) for part in body)
    return drawn_as_text((head, path, *apart), width=width, color=color)


def body(rows: Sequence[TimedRow], swept: str | None) -> Iterator[RenderableType]:
    """Yield everything about one kernel, or a table by the values of the swept quantity or by kernels."""
    if swept is not None:
        yield from _sweep(swept, rows)
    elif len(rows) > 1:
        yield from _ladder(rows)
    else:
        yield from _one(rows[0])


def _one(row: TimedRow) -> Iterator[RenderableType]:
    """Yield the times of a single kernel, and the verdict on its results."""
    measured = row.outcome
    if isinstance(measured, Problem):
        yield _told(measured)
        return
    yield Text("\n".join((f"at {_settings(measured, but='')}", *_launches(measured))))
    yield _times(measured)
    yield Text("results right", style="green") if _is_right(row) else _told(row.problem) if row.problem else UNCHECKED
    yield _footer([row])


def _sweep(name: str, rows: Sequence[TimedRow]) -> Iterator[RenderableType]:
    """Yield a row for each value of a size or constant, with a bar for its rate if rates are known."""
    table = _table(name, rows)
    highest = max((_rate(row) or 0.0 for row in rows), default=0.0)
    if _has_rates(rows):
        table.add_column("", ratio=1)
    for row in rows:
        bar = [_bar(_rate(row), highest)] if _has_rates(rows) else []
        table.add_row(*_cells(row, rows), *bar)
    yield from _around(table, rows, but=name)


def _ladder(rows: Sequence[TimedRow]) -> Iterator[RenderableType]:
    """Yield a row for each kernel of a suite, compared with the first."""
    repeated = any(isinstance(row.outcome, Measured) and row.outcome.assignment.repeat for row in rows)
    table = _table("kernel", rows, apart=1 if repeated else 2)  # leaves room for the names of kernels
    for heading in ("times\nfirst", "FLOP\na word", *(["iterations"] if repeated else [])):
        table.add_column(heading, justify="right", vertical="bottom")
    for row in rows:
        iterations = [f"{row.outcome.turns:,}" if isinstance(row.outcome, Measured) else NOTHING] if repeated else []
        table.add_row(*_cells(row, rows), _ratio(_times_first(row, rows[0])), _ratio(row.intensity), *iterations)
    yield from _around(table, rows, but="")


# --- one kernel ---------------------------------------------------------------------------------


def _times(measured: Measured) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("")
    for heading in ("median", "least", *([measured.unit] if measured.unit else [])):
        table.add_column(heading, justify="right")

    def add(what: str, seconds: Sequence[float], rate: str = "") -> None:
        rates = [rate] if measured.unit else []
        table.add_row(what, seconds_in_words(median(seconds)), seconds_in_words(min(seconds)), *rates)

    add("kernel only, by the device", measured.on_device, _number(measured.rate(median(measured.on_device))))
    kernels = _steps_of_kernels(measured)
    for kernel, numbers in kernels if len(kernels) > 1 else ():
        add(f"  {kernel}", [sum(each.steps[number].seconds for number in numbers) for each in measured.launches])
    add("launch, by the clock", [each.wall_seconds for each in measured.launches])
    add("with transfers, by the clock", measured.totals, _number(measured.rate(median(measured.totals))))
    return table


def _steps_of_kernels(measured: Measured) -> list[tuple[str, list[int]]]:
    """Return the kernels with the numbers of their steps: each launch, or in a program each kernel."""
    assignment = measured.assignment
    if not assignment.program:
        return [(launch.kernel, [number]) for number, launch in enumerate(assignment.student_launches)]
    numbers: dict[str, list[int]] = {}
    for number, step in enumerate(assignment.sequence(measured.sizes).single_steps):
        if isinstance(step, LaunchAt):
            numbers.setdefault(step.launch.kernel, []).append(number)
    return list(numbers.items())


def _launches(measured: Measured) -> Iterator[str]:
    """Yield the sizes, such as "transpose: global 1024 x 64, local 16 x 16", and how often all launches were
    repeated.
    """
    assignment = measured.assignment
    for launch in assignment.student_launches:
        global_size, local_size = (
            " x ".join(map(str, assignment.items(launch, size, measured.sizes)))
            for size in (launch.global_size, launch.local_size)
        )
        yield f"{launch.kernel}: global {global_size}, local {local_size}"
    if assignment.repeat is not None:
        yield f"repeated: {count(measured.turns, 'iteration')}"


# --- several rows -------------------------------------------------------------------------------


def _table(first: str, rows: Sequence[TimedRow], apart: int = 2) -> Table:
    """Return a table with the columns that all tables have in common, and `apart` blanks between columns."""
    table = Table(box=None, pad_edge=False, padding=(0, apart, 0, 0), header_style="bold", expand=False)
    table.add_column(first, vertical="bottom", overflow="fold")
    unit = _unit(rows) or "rate"
    rates = (f"kernel\n{unit}", f"with\ntransfers\n{unit}") if _has_rates(rows) else ("with\ntransfers\nms",)
    for heading in ("kernel\nms", *rates):
        table.add_column(heading, justify="right", vertical="bottom")
    table.add_column("results", vertical="bottom")
    return table


def _cells(row: TimedRow, rows: Sequence[TimedRow]) -> tuple[str | Text, ...]:
    label, verdict = showable(row.label), _verdict(row)
    measured = row.outcome
    if isinstance(measured, Problem):
        return label, *([NOTHING] * (3 if _has_rates(rows) else 2)), verdict
    seconds, total = median(measured.on_device), median(measured.totals)
    if not _has_rates(rows):
        return label, three_digits(1e3 * seconds), three_digits(1e3 * total), verdict
    unit = "" if _unit(rows) or not measured.unit else f" {measured.unit}"
    rates = (f"{_number(measured.rate(each))}{unit}" for each in (seconds, total))
    return label, three_digits(1e3 * seconds), *rates, verdict


def _verdict(row: TimedRow) -> Text:
    if isinstance(row.outcome, Problem):
        return Text("failed", style="bold red")
    if row.problem is not None:
        return Text("wrong", style="bold red")
    return Text("right", style="green") if _is_right(row) else Text("unchecked", style="dim")


def _is_right(row: TimedRow) -> bool:
    return isinstance(row.outcome, Measured) and row.outcome.checked and row.problem is None


def _around(table: Table, rows: Sequence[TimedRow], but: str) -> Iterator[RenderableType]:
    """Yield the table, with the sizes and constants of its rows before it and the problems after it."""
    circumstances = "\n".join(_circumstances(rows, but))
    if circumstances:
        yield Text(circumstances)
    yield table
    problems = _problems(rows)
    if problems:
        yield Text("\n").join(problems)
    if any(isinstance(row.outcome, Measured) and not row.outcome.checked for row in rows):
        yield UNCHECKED
    if any(isinstance(row.outcome, Measured) for row in rows):
        yield _footer(rows)


def _circumstances(rows: Sequence[TimedRow], but: str) -> Iterator[str]:
    """Yield sizes and constants, once for all rows that share them."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        if isinstance(row.outcome, Measured):
            labels.setdefault(_settings(row.outcome, but), []).append(row.label)
    for settings, those in labels.items():
        yield f"at {settings}" if len(labels) == 1 else f"{', '.join(those)} at {settings}"


def _settings(measured: Measured, but: str) -> str:
    """Return sizes and constants in words, except the one that the table already shows."""
    both = (measured.sizes, measured.assignment.constants)
    return "; ".join(
        filter(None, (sizes_in_words({name: each[name] for name in each if name != but}) for each in both))
    )


def _problems(rows: Sequence[TimedRow]) -> list[Text]:
    """Return each problem once, after the labels of all rows in which it occurs."""
    labels: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.problem is not None:
            labels.setdefault((row.problem.reason, row.problem.message), []).append(row.label)
    return [
        Text.assemble(f"{showable(', '.join(those))}: ", (reason, "bold red"), f"  {showable(message)}")
        for (reason, message), those in labels.items()
    ]


def _unit(rows: Sequence[TimedRow]) -> str | None:
    """Return the unit of all rates, or None if there are several units."""
    units = {row.outcome.unit for row in rows if isinstance(row.outcome, Measured) and row.outcome.unit}
    return units.pop() if len(units) == 1 else None


def _has_rates(rows: Sequence[TimedRow]) -> bool:
    """False if no measured assignment checks speed, so that only times are known."""
    units = [row.outcome.unit for row in rows if isinstance(row.outcome, Measured)]
    return not units or any(units)


def _rate(row: TimedRow) -> float | None:
    """Return the rate for the kernel without transfers."""
    return row.outcome.rate(median(row.outcome.on_device)) if isinstance(row.outcome, Measured) else None


def _times_first(row: TimedRow, first: TimedRow) -> float | None:
    """Return the rate as a multiple of the first row's rate."""
    rate, of_first = _rate(row), _rate(first)
    return rate / of_first if rate and of_first and _unit((row, first)) else None


def _bar(rate: float | None, highest: float) -> Bar | str:
    return Bar(size=highest, begin=0, end=rate) if rate else ""


# --- words --------------------------------------------------------------------------------------


def _number(value: float | None) -> str:
    return NOTHING if value is None else three_digits(value)


def _ratio(value: float | None) -> str:
    """Format a ratio with two decimals, so that the decimal points of a column are aligned."""
    return NOTHING if value is None else f"{value:,.2f}"


UNCHECKED = Text("results not checked: --check compares them with the expected results", style="dim")


def _told(problem: Problem) -> Text:
    """Return the reason, the sentence, its evidence, and a map of the wrong elements."""
    text = Text.assemble((problem.reason, "bold red"), "  ", showable(problem.message))
    lines = showable(problem.detail).splitlines()[:DETAIL_LINES]
    for line in (*lines, *as_text(problem.error_map).splitlines()):
        text.append(f"\n{line}", style="dim")
    return text


def _footer(rows: Sequence[TimedRow]) -> Text:
    """Describe how the figures were measured."""
    first = next(row.outcome for row in rows if isinstance(row.outcome, Measured))
    runs = count(len(first.launches), "run")
    return Text(f"medians of {runs} after a warm-up run, on {showable(first.device.name)}", style="dim")
