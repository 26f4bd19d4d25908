"""Prints the output of `grader validate` on a terminal of 80 columns."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any

import yaml
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.authoring.extent import FULL, Extent
from grader.authoring.golden import corpus
from grader.authoring.rewards import rewards
from grader.authoring.selftest import Claim, open_points
from grader.authoring.show import describe
from grader.authoring.thresholds import Limit, Proposal, Speeds, misjudged
from grader.authoring.validation import (
    Examined,
    Judged,
    examine,
    is_complete,
    is_current,
    is_read,
    judge,
    limits,
    proposal,
    speeds,
)
from grader.cli.progress import progress_line
from grader.common.errors import InputError, SolutionError
from grader.common.phrases import capital, count, listed, sizes_in_words
from grader.course.catalogue import Course
from grader.course.speed_goals import device_class, speed_goal
from grader.course.suite import Coursework
from grader.grading.grading_environment import GradingEnvironment
from grader.reports.terminal import render
from grader.results.suite_results import joined
from grader.results.withholding import withheld

POINTS_OPEN = "does it earn too many or too few points, with or without those for speed?"

ONE_LINE, BROKEN_AT = 74, 48
"""Maximum width of a mapping on one line, and the width after which a longer mapping is broken at the next field."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Files, environment and extent of validations. `submissions` contains a folder for each assignment."""

    course: Course
    submissions: Path
    environment: GradingEnvironment
    extent: Extent = FULL


@dataclass
class Page:
    """Page about one assignment, section by section. `broken` counts the statements that are false, and `unchecked`
    lists the questions that stay open.
    """

    console: Console
    broken: int = 0
    unchecked: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Last line of the page."""
        found = f"{count(self.broken, 'statement')} BROKEN" if self.broken else "all of it holds"
        return f"{found}, but speed was not checked" if self.unchecked else found

    def head(self, title: str) -> None:
        """Begin a section."""
        self.console.print()
        self.console.print(Rule(Text(title, style="bold"), align="left", characters="-", style="dim"))

    def say(self, statements: Iterable[Claim], of: str = "") -> None:
        """Print a row for each statement. If `of` names a part, the row begins with it."""
        for each in statements:
            verdict = Text("holds", style="green") if each.holds else Text("BROKEN", style="bold red")
            words = f"{of}: {each.claim} ({each.seen})" if of else f"{each.claim} ({each.seen})"
            self.console.print(_row(verdict, words, width=6))
            self.broken += not each.holds


def print_validation(name: str, sources: Sources, page: Page) -> None:
    """Print each section as soon as its content is known."""
    page.head(f"{name}: the files")
    try:
        coursework = sources.course.load(name)
    except InputError as error:
        page.say([Claim(claim="assignment.yaml can be used", holds=False, seen=str(error))])
        return
    page.say([is_read(coursework), is_complete(coursework), *is_current(coursework)])
    page.head(f"{name}: the kernels and the oracle")
    seen = []
    for part in coursework.parts:
        with progress_line() as progress:
            seen.append(examine(part, sources.environment, progress, sources.extent))
        page.say(seen[-1].statements, part.part)
    page.head(f"{name}: what the points reward")
    for each in seen:
        page.say(_rewards(each, sources, page), each.assignment.part)
    page.head(f"{name}: golden submissions")
    judged: tuple[Judged, ...] = ()
    if all(each.own for each in seen):
        judged = _judged(coursework, sources, page)
    else:
        page.console.print(_note("unknown", "No submission was graded. First fix what is broken above."))
    page.head(f"{name}: what may be asked")
    for each in seen:
        page.console.print(Group(*thresholds(each, judged)))
    page.head(f"{name}: what students see")
    page.console.out(students_view(coursework, seen, page.console), highlight=False, end="")
    if any(part.performance is not None for part in coursework.parts):
        page.unchecked[:0] = sources.extent.unchecked
    if page.unchecked:
        page.head(f"{name}: what was not checked")
        page.console.print("Nothing was timed. These questions are open:\n")
        for question in page.unchecked:
            page.console.print(_row(Text("-"), question, width=1))
        page.console.print(f"\nTo answer them, run `grader validate {name}` without --quick.")


def _rewards(seen: Examined, sources: Sources, page: Page) -> Iterator[Claim]:
    """Yield claims about the points. Yields none if the model solution could not be graded."""
    if seen.own is None:
        return
    try:
        with progress_line() as progress:
            found = rewards(seen.assignment, sources.environment, progress, sources.extent)
    except (InputError, SolutionError) as error:
        yield Claim(claim="kernels that avoid the exercise can be graded", holds=False, seen=str(error))
        return
    yield from found.claims()
    page.unchecked += [f"{seen.assignment.part} {name}".strip() + f": {POINTS_OPEN}" for name in found.undecided]


def _judged(coursework: Coursework, sources: Sources, page: Page) -> tuple[Judged, ...]:
    """Grade the golden submissions and print how their results compare with the expected ones."""
    folder = sources.submissions / coursework.name
    try:
        found = [(golden, golden.subject(coursework)) for golden in corpus(folder)]
        with progress_line() as progress:
            judged = tuple(
                judge(golden, assignment, sources.environment, progress, sources.extent) for golden, assignment in found
            )
    except (InputError, SolutionError) as error:
        page.say([Claim(claim="they can be graded", holds=False, seen=str(error))])
        return ()
    if not judged:
        page.console.print(_note("remark", f"No submissions in {folder}: add right and wrong ones, each in a folder."))
    page.say(golden_statements(judged, str(folder)))
    return judged


def _note(word: str, words: str) -> Table:
    """Return a row for a note, which is not counted as broken."""
    return _row(Text(word, style="yellow"), words, width=9)


def _row(word: Text, words: str, width: int) -> Table:
    """Return a row with a word in a column of this width, and the wrapped text in the next column."""
    table = Table.grid(padding=(0, 2))
    table.add_column(width=width)
    table.add_column(overflow="fold")
    table.add_row(word, Text(words))
    return table


# --- the golden corpus ------------------------------------------------------------------------


def golden_statements(judged: Sequence[Judged], folder: str) -> Iterator[Claim]:
    """Yield one statement for all submissions with the expected results, and one for each difference in the others."""
    right = sum(not each.differences for each in judged)
    if right:
        claim = f"{right} of {count(len(judged), 'submission')} get the verdicts that they must"
        yield Claim(claim=claim, holds=True, seen=folder)
    for each in judged:
        for difference in each.differences:
            yield Claim(claim=f"{each.golden.name} gets the verdicts that it must", holds=False, seen=difference)


# --- thresholds -------------------------------------------------------------------------------


def thresholds(seen: Examined, judged: tuple[Judged, ...]) -> Iterator[RenderableType]:
    """Yield the measurements, the thresholds that they allow, and notes where assignment.yaml demands more."""
    if seen.assignment.part:
        yield Text(f"{seen.assignment.part}:", style="bold")
    measured = speeds(seen, judged)
    if measured is not None:
        yield from _speed(seen, measured, proposal(seen, measured))
    elif seen.assignment.performance is not None:
        yield _note("unknown", _why_untimed(seen))
    elif seen.assignment.memory is None:
        yield Text("No thresholds: only correctness is checked.", style="dim")
    counted = tuple(limits(seen, judged))
    if counted:
        yield from _memory(seen, counted)
    elif seen.assignment.memory is not None:
        yield _note(
            "unknown", "No accesses were counted, because the model solution is wrong or the simulator is missing."
        )


def _why_untimed(seen: Examined) -> str:
    """Return the reason why no speeds are known."""
    if seen.own is not None and open_points(seen.own.model):
        return "Nothing was timed, so no goals for speed are proposed."
    return "Nothing was timed: the model solution must pass everything else first."


def _speed(seen: Examined, measured: Speeds, proposed: Proposal) -> Iterator[RenderableType]:
    device = seen.device
    kind, goal = device_class(device), speed_goal(seen.assignment, device)
    yield Text(f"Speeds at {sizes_in_words(goal.sizes)}, as fractions of the model solution's,", style="dim")
    yield Text(f"on {device.name}:", style="dim")
    rows = {"the model solution, again": measured.model, "the baseline": measured.baseline, **measured.right}
    yield _figures([[name, _fraction(each)] for name, each in rows.items()])
    lines = ["performance:", "  classes:", f"    {kind}:", f"      baseline: {proposed.baseline}", "      bands:"]
    yield from _proposed(lines, [band.model_dump() for band in proposed.bands])
    yield from (_note("asks more", f"{words}.") for words in proposed.exceeded(goal))
    if goal.yardstick is None:
        yield Text(f"A student kit can decide about speed if you add `yardstick: {measured.yardstick:g}`.", style="dim")
    elif words := misjudged(goal, measured):
        yield _note("remark", f"{capital(words)}.")
    yield from (_note("remark", words) for words in proposed.remarks)
    others = [other for other in seen.assignment.goals if other != kind]
    if others:
        yield _note("remark", f"The goal for a {listed(others, 'or')} needs such a device: validate it there.")


def _memory(seen: Examined, counted: Sequence[Limit]) -> Iterator[RenderableType]:
    assert seen.assignment.memory is not None
    yield Text(f"\nCounted in the simulator at {sizes_in_words(seen.assignment.memory.sizes)}:", style="dim")
    rows = [["", "model", "baseline", "asked for", "proposed"]]
    for each in counted:
        baseline = "?" if each.baseline is None else _number(each.baseline)
        rows.append([each.check.name, _number(each.model), baseline, _number(each.asked), _number(each.proposed)])
    yield _figures(rows)
    checks = [{**each.check.model_dump(exclude_defaults=True), "at_most": each.proposed} for each in counted]
    yield from _proposed(["memory:", "  checks:"], checks)
    for each in counted:
        name = each.check.name
        if each.beyond is not None:
            yield _note("remark", f"{name}: {each.beyond} is right and needs {_number(each.most)}.")
        if each.is_strict:
            yield _note("asks more", f"{name}: at most {_number(each.asked)}. Keep it if no right kernel needs more.")
        if not each.tells_apart:
            yield _note(
                "remark", f"{name}: the baseline passes, so this check does not distinguish it from the model solution."
            )


def _figures(rows: Sequence[Sequence[str]]) -> Padding:
    """Return a table of names and numbers."""
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    for _ in rows[0][1:]:
        table.add_column(justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 0, 4), expand=False)


def _proposed(above: Sequence[str], items: Sequence[dict[str, Any]]) -> Iterator[RenderableType]:
    """Yield text to paste into assignment.yaml: the lines `above`, then a list of mappings."""
    yield Text("Proposed:\n", style="dim")
    indent = " " * (len(above[-1]) - len(above[-1].lstrip()) + 2)
    lines = list(above)
    for item in items:
        flow = _flow({name: _plain(value) for name, value in item.items()})
        lines.append(f"{indent}- " + f"\n{indent}  ".join(flow))
    yield Text("\n".join(lines) + "\n")


def _flow(item: dict[str, Any]) -> list[str]:
    """Return a mapping in braces, on as few lines as possible."""
    whole, broken = (
        yaml.safe_dump(item, default_flow_style=True, sort_keys=False, width=width).strip()
        for width in (sys.maxsize, BROKEN_AT)
    )
    return [whole] if len(whole) <= ONE_LINE else [line.strip() for line in broken.splitlines()]


def _plain(value: Any) -> Any:
    """Return a whole number without a decimal point. Other values are returned unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _fraction(value: float) -> str:
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def _number(value: float) -> str:
    return f"{value:,.6g}"


# --- the students' view -----------------------------------------------------------------------


def students_view(coursework: Coursework, seen: Sequence[Examined], console: Console) -> str:
    """Return the output of `grader show`, and the skeleton's report without hidden checks. The report is left out if a
    part could not be graded.
    """
    lines = describe(coursework).splitlines()
    said = "\n".join(fill(line, console.width, subsequent_indent=" " * _hanging(line)) for line in lines)
    results = [each.own.skeleton for each in seen if each.own is not None]
    if len(results) < len(seen):
        return said
    shown = withheld(joined(coursework, results), coursework)
    report = render(shown, width=console.width, color=console.is_terminal)
    return f"{said}\n\nThe report of the skeleton:\n\n{report}"


def _hanging(line: str) -> int:
    """Return the indentation for the continuation of a line, which is four columns deeper than the line."""
    return len(line) - len(line.lstrip()) + 4
