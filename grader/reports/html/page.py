"""The HTML report: one page that needs no other file. It has no script, font or picture from elsewhere, and needs no
change for printing.

Templates escape every text. Output of a submission or a machine (source, messages, logs, names, paths) appears as plain
text only. The only markup besides the templates is from figures/, which draws grader's own words.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.common.optional import Fault, attempt
from grader.common.phrases import capital, count
from grader.course.rubric import Kind
from grader.protocol.text import showable
from grader.reports import figures
from grader.reports.figures.ladder import ladder
from grader.reports.side_by_side import HEADINGS, PartStanding, standings_of
from grader.reports.words import (
    access_in_words,
    branch_in_words,
    bytes_in_words,
    closing,
    correction_in_words,
    deduction_in_words,
    faults_in_words,
    hidden_in_words,
    new_message,
    score_in_words,
    seconds_in_words,
    speed_in_words,
    spills_in_words,
    three_digits,
    unreached_in_words,
    usage_in_words,
)
from grader.results.check import OUTSTANDING, Check, ErrorMap, Reason, Verdict
from grader.results.metrics import Access, Performance, Profile
from grader.results.result import Result, Ungraded

WORDS = {
    Verdict.PASSED: "passed",
    Verdict.PARTIAL: "partly",
    Verdict.FAILED: "failed",
    Verdict.SKIPPED: "skipped",
    Verdict.HIDDEN: "hidden",
}
SIGNS = {
    Verdict.PASSED: "✓",
    Verdict.PARTIAL: "◐",
    Verdict.FAILED: "✗",
    Verdict.SKIPPED: "-",
    Verdict.HIDDEN: "?",
}

COSTLY = 2.0
"""Multiple of the fewest sectors or turns that marks an access as costly. An access across a boundary may need a little
more, and is not a fault."""

NOTES = 3
"""Notes of a kind at a line; further ones only repeat them for other work-items."""

CELLS = {"#": "all wrong", "+": "some wrong", "o": "never written", ".": "right"}

MAP_WIDTH, CELL_WIDTHS = 420, (9, 30)
"""Pixels: the width of a map, and the smallest and the largest width of a cell."""


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """A line of the source, with the checks' observations there: findings, then counts, of which some are costly."""

    number: int
    text: str
    findings: tuple[str, ...]
    costly: tuple[str, ...]
    counts: tuple[str, ...]

    @property
    def mark(self) -> str:
        """Mark of a line that deserves a look: "wrong", "costly", or empty."""
        return "wrong" if self.findings else "costly" if self.costly else ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """The part of the report about one kernel: its checks with their positions in the result, the checks that a failed
    build prevents, and its profile.

    `name` is empty if there is only one kernel; `id` distinguishes the headings of several.
    """

    name: str
    id: str
    checks: tuple[tuple[int, Check], ...]
    unreached: tuple[Check, ...]
    profile: Profile | None


@dataclass(frozen=True, kw_only=True)
class Layer:
    """The cells of one kind in an error map: the sign, its meaning, the number of cells, and an SVG path of them."""

    sign: str
    words: str
    cells: int
    path: str


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An error map as layers of cells. A cell is one unit; `cell` is its size in pixels if there is room."""

    rows: int
    columns: int
    cell: int
    layers: tuple[Layer, ...]

    @property
    def label(self) -> str:
        """The counts, for readers who cannot see the picture."""
        return ", ".join(f"{count(layer.cells, 'block')} {layer.words}" for layer in self.layers if layer.cells)


def render(outcome: Result | Ungraded) -> str:
    """Return the page."""
    match outcome:
        case Result():
            return ENVIRONMENT.get_template("report.html.jinja").render(
                result=outcome,
                parts=parts_of(outcome),
                standings=standings_of(outcome),
                lines=lines_of(outcome),
                verdicts=_verdicts(outcome),
                practice=[check for check in outcome.checks if check.kind is Kind.PRACTICE],
            )
        case Ungraded():
            return ENVIRONMENT.get_template("ungraded.html.jinja").render(ungraded=outcome)


def _verdicts(result: Result) -> Counter[Verdict]:
    """Count the checks by verdict, without practice cases."""
    return Counter(check.shown_verdict for check in result.checks if check.kind is not Kind.PRACTICE)


def parts_of(result: Result) -> tuple[Part, ...]:
    """Return the kernels of a suite, or a single part for an assignment of one kernel."""
    names = [check.part for check in result.checks]
    unreached = result.unreached
    return tuple(
        Part(
            name=name,
            id=f"part-{number}-" if name else "",
            checks=tuple(
                (place, check)
                for place, check in enumerate(result.checks, start=1)
                if check.part == name and check not in unreached
            ),
            unreached=tuple(check for check in unreached if check.part == name),
            profile=result.profiles.get(name),
        )
        for number, name in enumerate(dict.fromkeys(names), start=1)
    )


def lines_of(result: Result) -> tuple[SourceLine, ...]:
    """Return the source, line by line."""
    texts = result.source.removesuffix("\n").split("\n")
    found, costly, counts = map(_by_line, (_wrong(result), _costly(result), _other(result)))
    return tuple(
        SourceLine(
            number=number,
            text=text,
            findings=_first(tuple(dict.fromkeys(found.get(number, ())))),
            costly=costly.get(number, ()),
            counts=counts.get(number, ()),
        )
        for number, text in enumerate(texts, start=1)
    )


Sighting = tuple[int, str, str]
"""A line, a part, and the observation there."""


def _by_line(sightings: Iterable[Sighting]) -> dict[int, tuple[str, ...]]:
    """Return the observations at each line. If a line serves several kernels of a suite, each observation names its
    kernel.
    """
    seen: dict[int, list[tuple[str, str]]] = {}
    for number, part, words in sightings:
        seen.setdefault(number, []).append((part, words))
    return {number: tuple(_each_with_its_part(notes)) for number, notes in seen.items()}


def _each_with_its_part(notes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the notes; each names its part if there are several parts."""
    several = len({part for part, _ in notes}) > 1
    return (f"{part}: {words}" if several else words for part, words in notes)


def _wrong(result: Result) -> Iterator[Sighting]:
    """Yield the observed errors."""
    for check in result.checks:
        number = said_line(check)
        if number is not None:
            yield number, check.part, f"{check.reason}: {check.message}"
        for finding in check.findings:
            for place in finding.places:
                yield place.line, check.part, f"{finding.reason}: {place.words}"


def _costly(result: Result) -> Iterator[Sighting]:
    for part, profile in result.profiles.items():
        yield from ((each.line, part, access_in_words(each)) for each in profile.accesses if is_costly(each))


def _other(result: Result) -> Iterator[Sighting]:
    for part, profile in result.profiles.items():
        yield from ((each.line, part, access_in_words(each)) for each in profile.accesses if not is_costly(each))
        yield from ((each.line, part, branch_in_words(each)) for each in profile.branches)


def said_line(check: Check) -> int | None:
    """Return the line that the check's sentence is about, if no finding describes it better."""
    first = next(iter(check.lines), None)
    if check.verdict is Verdict.PASSED:
        return None
    return first if check.message.startswith(f"line {first}") and not check.findings else None


def _first(notes: tuple[str, ...]) -> tuple[str, ...]:
    more = len(notes) - NOTES
    return (*notes[:NOTES], f"and {more} more of them") if more > 0 else notes


def is_costly(access: Access) -> bool:
    """True if the access takes far more of the memory than it must."""
    return access.sectors >= COSTLY * max(1, access.fewest)


def picture_of(error_map: ErrorMap) -> Picture:
    """Return the map as a grid to draw."""
    rows, columns = len(error_map.cells), max((len(row) for row in error_map.cells), default=0)
    paths: dict[str, list[str]] = {sign: [] for sign in CELLS}
    for y, row in enumerate(error_map.cells):
        for x, sign in enumerate(row):
            paths.get(sign, paths["."]).append(f"M{x} {y}h1v1h-1z")
    least, most = CELL_WIDTHS
    return Picture(
        rows=rows,
        columns=columns,
        cell=min(most, max(least, MAP_WIDTH // max(1, columns))),
        layers=tuple(
            Layer(sign=sign, words=words, cells=len(paths[sign]), path="".join(paths[sign]))
            for sign, words in CELLS.items()
        ),
    )


def figures_of(performance: Performance, profile: Profile | None, part: str) -> Iterator[Markup]:
    """Yield the figures that can be drawn: the roofline if possible, else bars; then the timings."""
    yield from figure_of(lambda: figures.roofline(performance, profile, part) or figures.rates(performance, part))
    yield from figure_of(lambda: figures.timings(performance, part))


def ladder_of(standings: tuple[PartStanding, ...]) -> Iterator[Markup]:
    """Yield the rates of a suite's kernels as bars, if their units are equal."""
    yield from figure_of(lambda: ladder({each.part: each.performance for each in standings if each.performance}))


def figure_of(draw: Callable[[], str | None]) -> Iterator[Markup]:
    """Yield a figure if there is one; a sentence in its place if it could not be drawn."""
    figure = attempt("a figure", draw)
    if isinstance(figure, Fault):
        yield Markup('<p class="quiet">{}</p>').format(figure.sentence)
    elif figure is not None:
        yield Markup(figure)  # noqa: S704 - drawn by grader, from its own words and numbers


def _shown(value: Any) -> Any:
    """Make a text showable on its way into the page, before it is escaped; finished markup is unchanged."""
    return showable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("grader.reports.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "plural": count,
        "capital": capital,
        "number": lambda value: f"{value:g}",
        "digits": three_digits,
        "thousands": lambda value: f"{value:,}",
        "size": bytes_in_words,
        "time": seconds_in_words,
        "usage": usage_in_words,
        "sign": SIGNS.__getitem__,
        "word": WORDS.__getitem__,
        "picture": picture_of,
    }
    environment.globals |= {
        "HEADINGS": HEADINGS,
        "OUTSTANDING": OUTSTANDING,
        "Kind": Kind,
        "Reason": Reason,
        "Verdict": Verdict,
        "closing": closing,
        "figures_of": figures_of,
        "ladder_of": ladder_of,
        "new_message": new_message,
        "said_line": said_line,
        "correction_in_words": correction_in_words,
        "deduction_in_words": deduction_in_words,
        "faults_in_words": faults_in_words,
        "hidden_in_words": hidden_in_words,
        "score_in_words": score_in_words,
        "speed_in_words": speed_in_words,
        "spills_in_words": spills_in_words,
        "unreached_in_words": unreached_in_words,
    }
    return environment


ENVIRONMENT = _environment()
