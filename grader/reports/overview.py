"""The instructor's page of a batch: what came in, how it went, where to look. One page that needs nothing else.

It is made like the student's page (html.py): templates escape every text, and only what we have drawn is markup.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from grader.gradebook import Gradebook, Row
from grader.phrases import capital
from grader.reports.histograms import drawn
from grader.reports.html import ENVIRONMENT
from grader.reports.tallies import (
    FRACTION,
    POINTS,
    SPEED_UP,
    Family,
    Quartiles,
    Scale,
    Sums,
    families,
    grades,
    histogram,
    per_cent,
    quartiles,
    sums_of,
)
from grader.result import CAUSES_FIRST, Kind, Reason
from grader.similarity import ALIKE, Group, near_identical

FASTER = 1.1
"""Times the model solution's speed: beyond what a measurement's noise makes of an equal."""

TEXT_LIMIT = 300
"""Characters of a message or a fault here; the whole of it stands in the submission's report."""

CAUSES, LISTED = 6, 15
"""Lines of a check's causes, and of a list of fast ones: the rest is counted."""

Links = Mapping[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A quantity over the submissions of an assignment: its quartiles, its picture, and of how many it is known."""

    scale: Scale
    quartiles: Quartiles
    figure: Markup
    measured: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """What the page says of an assignment.

    `identical` are labels of those who handed in the same bytes, `alike` groups of nearly the same sources.
    """

    name: str
    title: str
    sums: Sums
    points: Spread | None
    speed_up: Spread | None
    fraction: Spread | None
    families: tuple[Family, ...]
    faster: tuple[Row, ...]
    impossible: tuple[Row, ...]
    identical: tuple[tuple[str, ...], ...]
    alike: tuple[Group, ...]


def render_overview(gradebook: Gradebook, links: Links) -> str:
    """A page.

    `links` has the path of each report by label and assignment, relative to the page, "/" between its parts and not yet
    percent-encoded; rows without one are no links.
    """
    return ENVIRONMENT.get_template("overview.html.jinja").render(
        book=gradebook,
        sections=[section_of(gradebook, name) for name in gradebook.assignments],
        sums=sums_of(gradebook.rows),
        earned=earned,
        short=short,
        amount=amount,
        whole=whole,
        several=len(gradebook.assignments) > 1,
        links={key: address(path) for key, path in links.items()},
        kinds=[kind for kind in CAUSES_FIRST if any(kind in kinds_of(row) for row in gradebook.rows)],
        capital=capital,
        CAUSES=CAUSES,
        LISTED=LISTED,
        ALIKE=ALIKE,
        FASTER=FASTER,
    )


def section_of(book: Gradebook, name: str) -> Section:
    """An assignment of the batch."""
    rows = book.of(name)
    found = grades(rows)
    speeds = [grade.speed for grade in found if grade.speed is not None]
    return Section(
        name=name,
        title=book.titles[name],
        sums=sums_of(rows),
        points=_spread(name, POINTS, [per_cent(grade) for grade in found]),
        speed_up=_spread(name, SPEED_UP, [speed.speed_up_over_baseline for speed in speeds]),
        fraction=_spread(name, FRACTION, [100 * speed.fraction_of_reference for speed in speeds]),
        families=families(rows),
        faster=tuple(sorted(filter(is_faster, rows), key=lambda row: -_fraction(row))),
        impossible=tuple(filter(is_impossible, rows)),
        identical=identical(rows),
        alike=near_identical(rows, book.skeletons[name]),
    )


def is_faster(row: Row) -> bool:
    """Whether it beats the model solution by more than noise."""
    return _fraction(row) > FASTER


def is_impossible(row: Row) -> bool:
    """Whether it was found implausible when it was graded, such as faster than bytes can move."""
    return row.grade is not None and any(mark.reason is Reason.IMPLAUSIBLE for mark in row.grade.marks)


def identical(rows: tuple[Row, ...]) -> tuple[tuple[str, ...], ...]:
    """Labels of those who handed in the very same bytes, largest group first."""
    groups = {tuple(sorted({row.student.label, *row.same_as})) for row in rows if row.same_as}
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def kinds_of(row: Row) -> set[Kind]:
    """Kinds of checks that are worth points in a row."""
    return {mark.kind for mark in row.grade.marks if mark.max_points} if row.grade else set()


def earned(row: Row, kind: Kind) -> tuple[float, float] | None:
    """Points and the most there were, for the checks of a kind; None if it had none worth points."""
    return row.grade.points_of(kind) if row.grade is not None and kind in kinds_of(row) else None


def amount(points: float) -> str:
    """Points with as many decimals as they need, two at most."""
    return f"{points:,.2f}".rstrip("0").rstrip(".")


def whole(share: float) -> str:
    """Per cent, rounded down: what is not quite the same does not read as 100."""
    return f"{int(100 * share + 1e-4)}"


def short(text: str) -> str:
    """A text that may be long, cut."""
    return text if len(text) <= TEXT_LIMIT else f"{text[:TEXT_LIMIT]}…"


def address(path: str) -> str:
    """A relative path as a link that leads nowhere else, whatever its name looks like."""
    return f"./{quote(path, safe='/', errors='surrogateescape')}"


def _fraction(row: Row) -> float:
    return row.grade.speed.fraction_of_reference if row.grade and row.grade.speed else 0.0


def _spread(assignment: str, scale: Scale, values: list[float]) -> Spread | None:
    found = quartiles(values)
    if found is None:
        return None
    bins = histogram(values, scale)
    figure = Markup(drawn(f"{assignment}: {scale.label}", bins))  # noqa: S704 - drawn by us, of our own words and numbers
    return Spread(scale=scale, quartiles=found, figure=figure, measured=sum(bins.counts))
