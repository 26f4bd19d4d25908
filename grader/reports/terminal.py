"""The report on the terminal: the causes of lost points, followed by a row for each group of checks.

For a right submission, the output of `render` fits on one screen. `render_in_full` adds every message, value and log.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.common.phrases import NO_BREAK, capital, count, first_sentence, listed, unbroken
from grader.course.rubric import CAUSES_FIRST, Kind
from grader.grading.explain.error_map import PARTLY, RIGHT, UNWRITTEN, WRONG, informative, legend
from grader.protocol.text import one_line, showable
from grader.reports.excerpt import excerpt_of
from grader.reports.groups import OPEN, CheckGroup, earned, groups_of, state_of, worth
from grader.reports.issues import ERROR, ISSUES_IN_FULL, Issue, issues_of, lines_of, numbers_of
from grader.reports.rows import cropped, drawn_as_text, hanging, labelled, source_rows
from grader.reports.side_by_side import HEADINGS, PartStanding, standings_of
from grader.reports.words import (
    closing,
    faults_in_words,
    hidden_in_words,
    new_message,
    score_in_words,
    speed_in_words,
    spills_in_words,
    unchecked_in_words,
)
from grader.results.check import Check
from grader.results.findings import ErrorMap, Finding
from grader.results.result import Result, Ungraded
from grader.results.verdicts import NOT_MADE, Reason

LOG_LINES = 12
"""Maximum number of lines of a build log in the brief report. The first error usually causes the others."""

SHORT_LOG = 3
"""Maximum number of lines of a log with only one error: the error, its line, and a caret below it."""

STYLES = {
    "passed": "green",
    "partly": "yellow",
    "failed": "bold red",
    "skipped": "dim",
    "hidden": "dim",
    OPEN: "yellow",
}
CELLS = {RIGHT: "not dim green", PARTLY: "not dim yellow", WRONG: "not dim bold red", UNWRITTEN: "not dim magenta"}

INDENT = 8
"""Width of the verdict in a row, in columns. The text below a row begins after these columns."""


def render(result: Result, *, width: int, color: bool) -> str:
    """Return the report for a terminal of this width. Without colour, it is plain text."""
    return drawn_as_text(_page(result, width), width=width, color=color)


def render_in_full(result: Result, *, width: int, color: bool) -> str:
    """Return the report with everything that is known about each check."""
    return drawn_as_text((*_page(result, width), *_details(result)), width=width, color=color)


def summary(name: str, outcome: Result | Ungraded) -> str:
    """Return one line for a list of gradings, with the name, the points, and the reasons for lost points."""
    name = one_line(name)
    if isinstance(outcome, Ungraded):
        return f"{name:<24} not graded  {one_line(outcome.fault)}"
    counting = [check for check in outcome.checks if check.kind in CAUSES_FIRST]
    untold = {None, Reason.NOT_RUN, *NOT_MADE}
    reasons = dict.fromkeys(str(check.reason) for check in counting if check.reason not in untold)
    points = f"{outcome.points:g} / {outcome.max_points:g}"
    left = unchecked_in_words(outcome.unchecked), hidden_in_words(outcome.hidden_points)
    why = filter(None, (", ".join(reasons), *left))
    return f"{name:<24} {points:>10}  {'; '.join(why) or 'passed'}"


def _page(result: Result, width: int) -> Iterator[RenderableType]:
    issues, lines = issues_of(result), lines_of(result)
    file = one_line(Path(result.submission).name)
    yield Text.assemble((showable(result.title), "bold"), f"  {result.assignment}")
    yield Text(showable(result.submission), style="dim")
    for issue in issues[:ISSUES_IN_FULL]:
        yield ""
        yield from _issue(issue, file, lines, width)
    if len(issues) > ISSUES_IN_FULL:
        yield ""
    for issue in issues[ISSUES_IN_FULL:]:
        yield _headline(issue)
    numbers = numbers_of(issues)
    parts = list(dict.fromkeys(check.part for check in result.checks))
    for part in parts:
        yield ""
        yield from _part(part, [check for check in result.checks if check.part == part], result.unreached, numbers)
    if any(parts):
        yield from _side_by_side(standings_of(result))
    yield ""
    yield _row(Text(""), Text("total", style="bold"), result.points, result.max_points)
    if result.unchecked or result.hidden_points:
        score = score_in_words(result.points, result.max_points, result.unchecked, result.hidden_points)
        yield _under(Text(score, style="yellow" if result.unchecked else "bold"))
    if result.faults:
        yield from (_under(Text(words, style="yellow")) for words in faults_in_words(result.faults))
    yield Text(_footer(result), style="dim")


# --- issues -------------------------------------------------------------------------------------


def _issue(issue: Issue, file: str, lines: Sequence[str], width: int) -> Iterator[RenderableType]:
    """Yield the mistake, its lines, the next step, the counted accesses, and the points that the mistake costs."""
    cause = first_sentence(issue.message) if issue.kind is Kind.MEMORY else issue.message
    yield _headline(replace(issue, message=cause))
    if issue.line is not None:
        yield cropped(f"{'':4}--> {file}:{issue.line}", "dim")
    if issue.kind is Kind.BUILD and issue.evidence and not _is_repeated(issue):
        yield from _log(issue.evidence)
    else:
        yield from (row for line in excerpt_of(issue, lines) for row in source_rows(line, width))
    if issue.help:
        yield labelled("help", capital(issue.help), "bold cyan")
    if figures := issue.message.removeprefix(cause).strip():
        yield labelled("count", figures, "dim")
    if issue.lost:
        points = f"{issue.lost:g} {'point' if issue.lost == 1 else 'points'}"
        yield labelled("cost", f"{points} ({showable(issue.seen_in)})", "dim")


def _headline(issue: Issue) -> Table:
    style = "bold red" if issue.level == ERROR else "bold yellow"
    about = f"{showable(issue.part)}: " if issue.part else ""
    words = Text.assemble((f"{issue.level}[{issue.reason}]: ", style), (about + issue.message, "bold"))
    return hanging(f"{issue.number:>2}. ", words)


def _is_repeated(issue: Issue) -> bool:
    """True if the build log contains only the error and the line that the issue already shows."""
    lines = [line for log in issue.evidence for line in showable(log).splitlines()]
    says = issue.message.removeprefix(f"line {issue.line}: ").removesuffix(".")
    return len(lines) <= SHORT_LOG and issue.line is not None and lines[0].endswith(f": error: {says}")


def _log(evidence: Sequence[str]) -> Iterator[Padding]:
    """Yield the first lines of a build log, and the number of further lines."""
    lines = [line for log in evidence for line in showable(log).splitlines()]
    more = [f"({count(len(lines) - LOG_LINES, 'more line')} with --verbose)"] if len(lines) > LOG_LINES else []
    yield Padding(Text("\n".join(lines[:LOG_LINES] + more)), (0, 0, 0, 4))


# --- rows of checks -----------------------------------------------------------------------------


def _part(
    part: str, checks: Sequence[Check], unreached: Sequence[Check], numbers: Mapping[str, tuple[int, ...]]
) -> Iterator[RenderableType]:
    """Yield the rows of one kernel. In a suite, they are below its name."""
    if part:
        yield _row(Text(""), Text(showable(part), style="bold"), sum(check.points for check in checks), worth(checks))
    for group in groups_of(checks, unreached, numbers):
        yield from _group(group)


def _group(group: CheckGroup) -> Iterator[RenderableType]:
    """Yield a row, and below it the reason if the checks were not made. The reason for open checks is shown in full,
    because it states what to do or what was measured.
    """
    label = f"{group.label}: see {listed(group.causes, 'and')}" if group.causes else group.label
    yield _line(group.state, label, group.points, group.max_points)
    if group.state == OPEN:
        yield _under(Text(showable(group.why), style="yellow"))
    elif group.why:
        yield _under(Text(showable(first_sentence(group.why)), style="dim"))


def _line(state: str, label: str, points: float | None, max_points: float) -> Table:
    """Return one row with state, checks and points."""
    return _row(Text(state, style=STYLES[state]), label, points, max_points)


def _row(verdict: Text, label: str | Text, points: float | None, max_points: float) -> Table:
    table = Table.grid(expand=True, padding=(0, 1))
    table.add_column(width=INDENT - 1)
    table.add_column(ratio=1)
    table.add_column(justify="right")
    text = label if isinstance(label, Text) else Folded(text=showable(label))
    earned = "?" if points is None else f"{points:g}"
    table.add_row(verdict, Padding(text, (0, 1, 0, 0)), Text(f"{earned} / {max_points:g}" if max_points else ""))
    return table


@dataclass(frozen=True, kw_only=True)
class Folded:
    """Text that is folded to its column. A number and its unit stay on one line."""

    text: str

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        rows = textwrap.wrap(unbroken(self.text), options.max_width, break_on_hyphens=False)
        yield Text("\n".join(rows).replace(NO_BREAK, " "))


def _side_by_side(standings: Sequence[PartStanding]) -> Iterator[Padding]:
    """Yield the rates of a suite's kernels, if any were measured."""
    if all(standing.performance is None for standing in standings):
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("kernel", vertical="bottom", no_wrap=True)  # a name has no place for a line break
    for heading in HEADINGS:
        table.add_column(heading, justify="right", vertical="bottom")
    for standing in standings:
        table.add_row(showable(standing.part), *standing.cells)
    yield Padding(table, (1, 0, 0, INDENT))


def _under(text: Text, indent: int = 0) -> Padding:
    """Return text below a row, aligned with the row's label or indented by `indent` columns."""
    return Padding(text, (0, 0, 0, INDENT + indent))


def _footer(result: Result) -> str:
    provenance = result.provenance
    return f"seed {provenance.seed}, {result.seconds:.1f} s, {provenance.device.name}"


# --- details ------------------------------------------------------------------------------------


def _details(result: Result) -> Iterator[RenderableType]:
    """Yield everything that is known about each check."""
    yield ""
    for check in result.checks:
        if check not in result.unreached:
            yield _line(state_of(check), check.name, earned([check]), check.max_points)
            yield from _detail(check)


def _detail(check: Check) -> Iterator[RenderableType]:
    if check.message:
        reason = (f"{check.reason}  ", STYLES[state_of(check)]) if check.reason else ""
        yield _under(Text.assemble(reason, showable(check.sentences)))
    if check.performance is not None:
        yield _under(Text("\n".join(speed_in_words(check.performance)), style="dim"))
    yield from map(_under, map(Text, map(showable, spills_in_words(check.usage))))
    for finding in check.findings:
        yield from _finding(check, finding)
    if check.detail:
        yield _under(Text(showable(check.detail), style="dim"))
    if error_map := informative(check.error_map):
        yield _under(_drawing(error_map))


def _finding(check: Check, finding: Finding) -> Iterator[Padding]:
    """Yield the problem, each place with its source line, and the help."""
    if message := new_message(check, finding):
        yield _under(Text(showable(message)))
    for place in finding.places:
        yield _under(Text(f"{place.line:>4} | {one_line(place.text)}", no_wrap=True, overflow="ellipsis"))
        yield _under(Text(showable(place.words), style="dim"), indent=7)
    if words := closing(check, finding):
        yield _under(Text(showable(words)))


def _drawing(error_map: ErrorMap) -> Text:
    """Return the map with its legend above it."""
    drawing = Text(legend(error_map), style="dim")
    for row in error_map.cells:
        drawing.append("\n")
        for cell in row:
            drawing.append(cell, style=CELLS[cell])
    return drawing
