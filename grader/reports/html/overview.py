"""The instructor's page about a batch: the hand-ins, the results, and where to look first. The page needs no other
files.

It is made in the same way as the student's page (page.py). Templates escape all text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from statistics import mean
from typing import get_args
from urllib.parse import quote

from grader.common.phrases import capital, three_digits
from grader.course.rubric import CAUSES_FIRST, Kind
from grader.reports.html.histograms import HistogramChart, histogram_chart
from grader.reports.html.picking import FASTEST, SHOWN, SORTED_BY, flags_of, ranks_of, shares
from grader.reports.html.similarity import ALIKE, Group, HandInLabels, PairRow, identical, near_identical, side_by_side
from grader.reports.html.workspace import template_environment
from grader.reports.statistics import (
    FRACTION,
    POINTS,
    QUARTILES_FROM,
    SPEED_UP,
    CaseCount,
    Family,
    Quartiles,
    Scale,
    Sums,
    cases,
    families,
    grades,
    histogram,
    incomplete,
    per_cent,
    quartiles,
    sums_of,
)
from grader.reports.words import correction_in_words, deduction_in_words, incomplete_in_words
from grader.results.gradebook import Grade, Gradebook, LeftOut, Speed, StudentRow
from grader.results.verdicts import OUTSTANDING, Reason

FASTER_ON_GPU, FASTER = 1.1, 1.3
"""Multiples of the model solution's speed that are worth a look on a GPU and on other devices. On a GPU, noise does not
explain a tenth. On a CPU, a tenth is common and says little.
"""

TEXT_LIMIT = 300
"""Maximum number of characters of a message or fault on this page. The submission's report has the full text."""

EXAMPLES = 3
"""Number of submissions to which a line about a failure links."""

CAUSES, LISTED = 6, 15
"""Maximum number of lines about the causes of a check, and of lines in a list of fast kernels. Other lines are only
counted.
"""

PAIRS_SHOWN = 20
"""Maximum number of pairs of an assignment that the page shows side by side. Each takes about five kilobytes."""

Links = Mapping[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A quantity over the submissions of an assignment: its quartiles, its chart, and the known values, the least
    first.
    """

    scale: Scale
    quartiles: Quartiles
    chart: HistogramChart
    values: tuple[float, ...]

    @property
    def measured(self) -> int:
        """Number of known values."""
        return len(self.values)


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """The results of a kernel, which is one of a suite or the only one of an assignment (its `part` is then empty),
    with the mean of the points and the speeds of timed submissions.
    """

    part: str
    points: float
    max_points: float
    unit: str
    rate: Quartiles | None
    speed_up: Spread | None
    fraction: Spread | None


@dataclass(frozen=True, kw_only=True)
class Timed:
    """A kernel of a submission, with its speed if that was measured."""

    row: StudentRow
    part: str
    speed: Speed | None


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two nearly identical sources side by side, with their labels."""

    labels: tuple[str, str]
    rows: tuple[PairRow, ...]


@dataclass(frozen=True, kw_only=True)
class AssignmentSection:
    """The section of the page about an assignment.

    `identical` lists files that were handed in more than once, with the labels of each hand-in. `alike` lists groups of
    nearly identical sources.
    """

    name: str
    title: str
    sums: Sums
    points: Spread | None
    kernels: tuple[Kernel, ...]
    families: tuple[Family, ...]
    faster: tuple[Timed, ...]
    impossible: tuple[Timed, ...]
    identical: tuple[tuple[HandInLabels, ...], ...]
    alike: tuple[Group, ...]
    cases: tuple[CaseCount, ...]
    pairs: tuple[Pair, ...]


def render_overview(gradebook: Gradebook, links: Links) -> str:
    """Return the page.

    `links` contains the path of each report by label and assignment. Paths are relative to the page, use "/" as
    separator, and are not percent-encoded yet. Rows without a path are not linked.
    """
    return ENVIRONMENT.get_template("overview.html.jinja").render(
        SORTED_BY=SORTED_BY,
        SHOWN=SHOWN,
        flags_of=flags_of,
        ranks=ranks_of(gradebook.rows),
        book=gradebook,
        sections=[section_of(gradebook, name) for name in gradebook.assignments],
        sums=sums_of(gradebook.rows),
        incomplete=[incomplete_in_words(each) for each in incomplete(gradebook.rows)],
        earned=earned,
        of_model=of_model,
        short=short,
        amount=amount,
        whole=whole,
        FASTEST=FASTEST,
        is_timed=any(map(is_timed, gradebook.rows)),
        several=len(gradebook.assignments) > 1,
        links={key: address(path) for key, path in links.items()},
        decisions=[each for each in get_args(LeftOut) if any(row.status == each for row in gradebook.rows)],
        kinds=[kind for kind in CAUSES_FIRST if any(kind in kinds_of(row) for row in gradebook.rows)],
        capital=capital,
        correction_in_words=correction_in_words,
        deduction_in_words=deduction_in_words,
        CAUSES=CAUSES,
        EXAMPLES=EXAMPLES,
        LISTED=LISTED,
        ALIKE=ALIKE,
        FASTER_ON_GPU=FASTER_ON_GPU,
        FASTER=FASTER,
        QUARTILES_FROM=QUARTILES_FROM,
    )


def section_of(book: Gradebook, name: str) -> AssignmentSection:
    """Build the section of an assignment of the batch."""
    rows = book.of(name)
    found = grades(rows)
    return AssignmentSection(
        name=name,
        title=book.titles[name],
        sums=sums_of(rows),
        points=_spread(POINTS, [per_cent(grade) for grade in found]),
        kernels=tuple(_kernel(part, found) for part in book.parts[name]),
        families=families(rows),
        faster=faster(rows),
        impossible=impossible(rows),
        identical=identical(rows),
        alike=(alike := near_identical(rows, book.skeletons[name])),
        cases=cases(rows),
        pairs=tuple(_pairs(rows, alike, book.skeletons[name])),
    )


def _pairs(rows: tuple[StudentRow, ...], groups: tuple[Group, ...], skeleton: str) -> Iterator[Pair]:
    """Yield the first pairs that are worth a look. Pairs of large groups come last, because these are solutions that
    many students find.
    """
    sources = {row.student.label: row.grade.source for row in rows if row.grade is not None}
    found = [pair for group in sorted(groups, key=lambda group: len(group.labels)) for pair in group.pairs]
    for one, other in found[:PAIRS_SHOWN]:
        yield Pair(labels=(one, other), rows=side_by_side(sources[one], sources[other], skeleton))


def _kernel(part: str, found: tuple[Grade, ...]) -> Kernel:
    speeds = [grade.speeds[part] for grade in found if part in grade.speeds]
    points = [grade.points_of_part(part) for grade in found]
    return Kernel(
        part=part,
        points=mean([earned for earned, _ in points] or [0.0]),
        max_points=max((most for _, most in points), default=0.0),
        unit=speeds[0].unit if speeds else "",
        rate=quartiles([speed.rate for speed in speeds]),
        speed_up=_spread(SPEED_UP, [speed.speed_up_over_baseline for speed in speeds]),
        fraction=_spread(FRACTION, [100 * share for share in shares(speeds)]),
    )


def faster(rows: tuple[StudentRow, ...]) -> tuple[Timed, ...]:
    """Return the kernels that beat the model solution by more than noise, the fastest first."""
    speeds = [(row, part, speed) for row in rows if row.grade for part, speed in row.grade.speeds.items()]
    shares = (
        (speed.fraction_of_reference or 0.0, Timed(row=row, part=part, speed=speed))
        for row, part, speed in speeds
        if (speed.fraction_of_reference or 0.0) > (FASTER_ON_GPU if speed.on_gpu else FASTER)
    )
    return tuple(timed for _, timed in sorted(shares, key=lambda each: -each[0]))


def impossible(rows: tuple[StudentRow, ...]) -> tuple[Timed, ...]:
    """Return the kernels that grading found implausible, for example because they were faster than the bytes can be
    moved.
    """
    return tuple(
        Timed(row=row, part=mark.part, speed=row.grade.speeds.get(mark.part))
        for row in rows
        if row.grade is not None
        for mark in row.grade.checks
        if mark.reason is Reason.IMPLAUSIBLE
    )


def of_model(row: StudentRow) -> str:
    """Return the percentage of the model solution's speed. For a suite, return the range from the lowest to the
    highest.
    """
    found = shares(row.grade.speeds.values()) if row.grade else []
    ends = dict.fromkeys(three_digits(100 * share) for share in (min(found), max(found))) if found else ()
    return f"{' to '.join(ends)} %" if ends else ""


def kinds_of(row: StudentRow) -> set[Kind]:
    """Return the kinds of checks that are worth points in a row."""
    return {mark.kind for mark in row.grade.checks if mark.max_points} if row.grade else set()


def is_timed(row: StudentRow) -> bool:
    """True if an assignment checks speed, as far as a row shows."""
    return row.grade is not None and any(mark.kind is Kind.PERFORMANCE for mark in row.grade.checks)


def earned(row: StudentRow, kind: Kind) -> str:
    """Return the points and the maximum for the checks of a kind, such as "5/20", or "" if no check of this kind is
    worth points.
    """
    if row.grade is None or kind not in kinds_of(row):
        return ""
    points, most = row.grade.points_of(kind)
    unmade = all(mark.reason in OUTSTANDING for mark in row.grade.checks if mark.kind is kind)
    return f"{'?' if unmade else amount(points)}/{amount(most)}"


def amount(points: float) -> str:
    """Return points with as many decimals as they need, but at most two."""
    return f"{points:,.2f}".rstrip("0").rstrip(".")


def whole(share: float) -> str:
    """Return a share as a percentage that is rounded down, so that nearly identical sources do not appear as 100."""
    return f"{int(100 * share + 1e-4)}"


def short(text: str) -> str:
    """Return the text, cut off after TEXT_LIMIT characters."""
    return text if len(text) <= TEXT_LIMIT else f"{text[:TEXT_LIMIT]}…"


def address(path: str) -> str:
    """Return a relative path as a link that cannot lead anywhere else, for any name."""
    return f"./{quote(path, safe='/', errors='surrogateescape')}"


def _spread(scale: Scale, values: list[float]) -> Spread | None:
    found = quartiles(values)
    if found is None:
        return None
    chart = histogram_chart(histogram(values, scale))
    return Spread(scale=scale, quartiles=found, chart=chart, values=tuple(sorted(filter(isfinite, values))))


ENVIRONMENT = template_environment()
