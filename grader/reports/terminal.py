"""The report in the terminal: a table of checks with points, and the reason under each failure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.common.phrases import count
from grader.course.rubric import CAUSES_FIRST, Kind
from grader.grading.explain.error_map import PARTLY, RIGHT, UNWRITTEN, WRONG
from grader.protocol.text import showable
from grader.reports.drawing import legend, tells_something
from grader.reports.plain import drawn_as_text
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
    unreached_in_words,
)
from grader.results.check import NOT_MADE, OUTSTANDING, Check, ErrorMap, Finding, Reason, Verdict
from grader.results.metrics import Performance
from grader.results.result import Result, Ungraded

EXPLAINED = 2
"""Failures of one kind and reason that are explained in full; the others, mostly of the same cause, are named."""

FINDINGS = 3
"""Findings shown under a failure; they nearly always have one cause."""

DETAIL_LINES = 12
"""Lines of detail (a build log) shown under a failure."""

STYLES = {
    Verdict.PASSED: "green",
    Verdict.PARTIAL: "yellow",
    Verdict.FAILED: "bold red",
    Verdict.SKIPPED: "dim",
    Verdict.HIDDEN: "dim",
}
CELLS = {RIGHT: "not dim green", PARTLY: "not dim yellow", WRONG: "not dim bold red", UNWRITTEN: "not dim magenta"}
WORDS = {
    Verdict.PASSED: "passed",
    Verdict.PARTIAL: "partly",
    Verdict.FAILED: "FAILED",
    Verdict.SKIPPED: "skip",
    Verdict.HIDDEN: "hidden",
}


def render(result: Result, *, width: int, color: bool) -> str:
    """Return the report for a terminal of this width; without colour it is plain text."""
    return drawn_as_text(_page(result), width=width, color=color)


def _page(result: Result) -> Iterator[RenderableType]:
    yield Text.assemble((showable(result.title), "bold"), f"  {result.assignment}")
    yield Text(showable(result.submission), style="dim")
    for part in dict.fromkeys(check.part for check in result.checks):
        yield ""
        yield from _part(part, [check for check in result.checks if check.part == part], result.unreached)
    yield from _side_by_side(standings_of(result))
    yield ""
    yield _row(Text(""), "total", result.points, result.max_points)
    if result.unchecked or result.hidden_points:
        score = score_in_words(result.points, result.max_points, result.unchecked, result.hidden_points)
        yield _under(Text(score, style="yellow" if result.unchecked else "bold"))
    yield from (_under(Text(words, style="yellow")) for words in faults_in_words(result.faults))
    yield from _start(result)
    yield Text(_footer(result), style="dim")


def summary(name: str, outcome: Result | Ungraded) -> str:
    """Return one line for a list of gradings: the name, the points, and the reasons for lost points."""
    name = _one_line(name)
    if isinstance(outcome, Ungraded):
        return f"{name:<24} not graded  {_one_line(outcome.fault)}"
    counting = [check for check in outcome.checks if check.kind in CAUSES_FIRST]
    untold = {None, Reason.NOT_RUN, *NOT_MADE}
    reasons = dict.fromkeys(str(check.reason) for check in counting if check.reason not in untold)
    points = f"{outcome.points:g} / {outcome.max_points:g}"
    left = unchecked_in_words(outcome.unchecked), hidden_in_words(outcome.hidden_points)
    why = filter(None, (", ".join(reasons), *left))
    return f"{name:<24} {points:>10}  {'; '.join(why) or 'passed'}"


def _one_line(text: str) -> str:
    """Return the text on one line, since a file name may contain anything, even line breaks."""
    return " ".join(showable(text).split())


def _start(result: Result) -> Iterator[Padding]:
    """Yield the cause to look at first, if it is not the first failure above."""
    failed = [check for check in result.checks if check.shown_verdict in {Verdict.FAILED, Verdict.PARTIAL}]
    first = result.first_cause
    if first is not None and (first.part, first.kind) != (failed[0].part, failed[0].kind):
        about = f"{first.part}: " if first.part else ""
        yield _under(Text.assemble(("start here: ", "bold"), showable(about + first.sentences)))


def _part(part: str, checks: Sequence[Check], unreached: Sequence[Check]) -> Iterator[Table | Padding]:
    """Yield the rows of one kernel, in a suite under its name. Checks that failed only because of a failed build are
    one line.
    """
    if part:
        yield _row(Text(""), Text(showable(part), style="bold"), sum(check.points for check in checks), _worth(checks))
    yield from _rows([check for check in checks if check not in unreached])
    unrun = [check for check in checks if check in unreached]
    if unrun:
        yield _line(Verdict.SKIPPED, unreached_in_words(unrun), 0, _worth(unrun))
        yield _reason(unrun[0], unrun[0].message)


def _side_by_side(standings: Sequence[PartStanding]) -> Iterator[Padding]:
    """Yield the rates of a suite's kernels, if there are any."""
    if all(standing.performance is None for standing in standings):
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("kernel", overflow="fold")
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for standing in standings:
        table.add_row(showable(standing.part), *standing.cells)
    yield Padding(table, (1, 0, 0, 7))


def _rows(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    for kind in Kind:
        of_kind = [check for check in checks if check.kind is kind]
        passed = [check for check in of_kind if check.verdict is Verdict.PASSED]
        skipped = [check for check in of_kind if check.verdict is Verdict.SKIPPED]
        unrun = [check for check in of_kind if check.reason is Reason.NOT_RUN]
        failed = [check for check in of_kind if check.shown_verdict in {Verdict.PARTIAL, Verdict.FAILED}]
        for message in dict.fromkeys(check.message for check in skipped):
            yield from _skipped([check for check in skipped if check.message == message])
        if len(passed) > 1:
            things = "cases" if kind in {Kind.CORRECTNESS, Kind.PRACTICE} else "checks"
            some = "all" if len(passed) == len(of_kind) else f"{len(passed)} of"
            label = f"{kind}: {some} {len(of_kind)} {things}"
            yield _line(Verdict.PASSED, label, sum(c.points for c in passed), sum(c.max_points for c in passed))
            told = (f"{check.label}: {check.message}" for check in passed if check.message)
            yield from (_under(Text(showable(words), style="dim")) for words in told)
        else:
            for check in passed:
                yield from _passed(check)
        for reason in dict.fromkeys(check.reason for check in failed):
            yield from _failures([check for check in failed if check.reason is reason])
        for message in dict.fromkeys(check.message for check in unrun):
            yield from _unrun([check for check in unrun if check.message == message])


def _skipped(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    """Yield a line for checks of one kind that were skipped or hidden for one reason; it is marked if they are still
    open.
    """
    names = ", ".join(check.label or check.kind for check in checks)
    verdict = checks[0].shown_verdict
    style = "yellow" if checks[0].reason in OUTSTANDING else STYLES[verdict]
    label = checks[0].own_name if len(checks) == 1 else f"{checks[0].kind}: {names}"
    yield _row(Text(WORDS[verdict], style=style), label, _earned(checks), _worth(checks))
    yield _under(Text(showable(checks[0].message), style=style))
    yield from (_speed(check.performance) for check in checks if check.performance is not None)


def _unrun(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    """Yield one line for checks of one kind that were not run, or do not count, because others failed; and their
    figures.
    """
    several = f"{checks[0].kind}: {count(len(checks), 'check')}"
    yield _line(Verdict.SKIPPED, several if len(checks) > 1 else checks[0].own_name, 0, _worth(checks))
    yield _reason(checks[0], checks[0].message)
    for check in checks:
        yield from _figures(check)


def _failures(checks: Sequence[Check]) -> Iterator[Table | Padding]:
    """Yield the checks of one kind that failed for one reason: the first few in full, the others by name."""
    shown = _telling(checks)
    drawn = next((check for check in shown if check.error_map and tells_something(check.error_map)), None)
    for check in shown:
        yield from _failed(check)
        if check is drawn and check.error_map is not None:
            yield _under(_drawing(check.error_map))
    others = [check for check in checks if check not in shown]
    if others:
        yield _line(Verdict.FAILED, f"{others[0].kind}: {len(others)} more", 0, _worth(others))
        yield _reason(others[0], ", ".join(check.label or check.kind for check in others))


def _telling(checks: Sequence[Check]) -> list[Check]:
    """Return the checks to explain in full: one for each of the commonest causes, or the first few if no cause is
    known.
    """
    causes = Counter(check.cause for check in checks if check.cause)
    first = [next(check for check in checks if check.cause == cause) for cause, _ in causes.most_common(EXPLAINED)]
    return first or list(checks[:EXPLAINED])


def _drawing(error_map: ErrorMap) -> Text:
    """Return the map, with its legend above."""
    drawing = Text(legend(error_map), style="dim")
    for row in error_map.cells:
        drawing.append("\n")
        for cell in row:
            drawing.append(cell, style=CELLS[cell])
    return drawing


def _earned(checks: Sequence[Check]) -> float | None:
    """Return the points of these checks; None if they are hidden."""
    return None if all(check.reason is Reason.HIDDEN for check in checks) else sum(check.points for check in checks)


def _worth(checks: Sequence[Check]) -> float:
    return sum(check.max_points for check in checks)


def _reason(check: Check, words: str) -> Padding:
    return _under(Text.assemble((f"{check.reason}", STYLES[check.shown_verdict]), "  ", showable(words)))


def _line(verdict: Verdict, label: str, points: float, max_points: float) -> Table:
    """Return one row: verdict, check, points."""
    return _row(Text(WORDS[verdict], style=STYLES[verdict]), label, points, max_points)


def _row(verdict: Text, label: str | Text, points: float | None, max_points: float) -> Table:
    table = Table.grid(expand=True, padding=(0, 1))
    table.add_column(width=6)
    table.add_column(ratio=1)
    table.add_column(justify="right")
    text = label if isinstance(label, Text) else Text(showable(label))
    earned = "?" if points is None else f"{points:g}"
    table.add_row(verdict, text, Text(f"{earned} / {max_points:g}" if max_points else ""))
    return table


def _passed(check: Check) -> Iterator[Table | Padding]:
    yield _line(check.verdict, check.own_name, check.points, check.max_points)
    if check.message:
        yield _under(Text(showable(check.message), style="dim"))
    yield from _figures(check)


def _figures(check: Check) -> Iterator[Padding]:
    """Yield the check's speed, and the private variables that its kernels do not keep in registers."""
    if check.performance is not None:
        yield _speed(check.performance)
    yield from map(_under, map(Text, map(showable, spills_in_words(check.usage))))


def _failed(check: Check) -> Iterator[Table | Padding]:
    yield _line(check.verdict, check.own_name, check.points, check.max_points)
    yield _reason(check, check.sentences)
    yield from _figures(check)
    for finding in check.findings[:FINDINGS]:
        yield from _finding(check, finding)
    if len(check.findings) > FINDINGS:
        yield _under(Text(f"({len(check.findings) - FINDINGS} more in the other reports)", style="dim"))
    if check.detail:
        lines = showable(check.detail).splitlines()
        more = [f"({len(lines) - DETAIL_LINES} more lines in the JSON report)"] if len(lines) > DETAIL_LINES else []
        yield _under(Text("\n".join(lines[:DETAIL_LINES] + more), style="dim"))


def _speed(performance: Performance) -> Padding:
    return _under(Text("\n".join(speed_in_words(performance)), style="dim"))


def _finding(check: Check, finding: Finding) -> Iterator[Padding]:
    """Yield the problem, each place with its source line, and the usual cause."""
    if message := new_message(check, finding):
        yield _under(Text(showable(message)))
    for place in finding.places:
        yield _under(Text(f"{place.line:>4} | {_one_line(place.text)}", no_wrap=True, overflow="ellipsis"))
        yield _under(Text(showable(place.words), style="dim"), indent=7)
    if words := closing(check, finding):
        yield _under(Text(showable(words)))


def _under(text: Text, indent: int = 0) -> Padding:
    """Return text below a row, in line with its label or `indent` columns further in."""
    return Padding(text, (0, 0, 0, 7 + indent))


def _footer(result: Result) -> str:
    provenance = result.provenance
    return f"seed {provenance.seed}, {result.seconds:.1f} s, {provenance.device.name}"
