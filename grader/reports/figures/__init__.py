"""The figures of a speed check, drawn as SVG inside a page.

Text stays text in the font of the page. Colours refer to the page's own colours by name, so that a figure fits a light
and a dark background; shapes and hatches distinguish the kernels without colour. Text from a submission is never drawn.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from statistics import median, quantiles
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from grader.common.phrases import three_digits
from grader.reports.words import seconds_in_words
from grader.results.metrics import Performance

INK, BLUE, GREEN, ORANGE, GREY = "#010203", "#0072b2", "#009e73", "#e69f00", "#767676"
COLOURS = {
    INK: "currentColor",
    BLUE: "var(--submission)",
    GREEN: "var(--reference)",
    ORANGE: "var(--baseline)",
    GREY: "var(--quiet)",
}
"""Names that the page has for a figure's colours."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9.5,
    "axes.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 1.2,
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
}

WIDTH = 4.4
"""Width in inches of 72 units. At this width, text is legible on a phone and not too large on a wide page."""

SUBMISSION = "o"
"""Marker that only the submission has."""

GRID: dict[str, Any] = {"color": INK, "alpha": 0.12, "linewidth": 0.8}


@dataclass(frozen=True, kw_only=True)
class KernelStyle:
    """A kernel in the figures, with its name, and the shape and colour that it always has."""

    name: str
    seconds: tuple[float, ...]
    marker: str
    colour: str
    hatch: str = ""
    filled: bool = True

    @property
    def face(self) -> str:
        """Fill colour of its marker."""
        return self.colour if self.filled else "none"


def timings(performance: Performance, part: str = "") -> str | None:
    """Draw every timed launch: a strip for each kernel, with its median as a bar and half of its launches in a box.

    Returns None if no launch has a measured time.
    """
    rows = [each for each in _series(performance) if each.seconds]
    if not rows:
        return None

    def draw(axes: Axes) -> None:
        for height, row in enumerate(reversed(rows)):
            _strip(axes, height, row)
        every = [seconds for row in rows for seconds in row.seconds]
        axes.set_xscale("log")
        axes.set_xlim(min(every) / 1.6, max(every) * 1.6)
        _few_ticks(axes)
        axes.set_yticks(
            range(len(rows)), [f"{row.name}\n{seconds_in_words(median(row.seconds))}" for row in reversed(rows)]
        )
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("time of a launch")

    medians = ", ".join(f"{row.name} {seconds_in_words(median(row.seconds))}" for row in rows)
    return svg(f"timings {part}", f"Times of all launches; the medians: {medians}.", 0.55 + 0.52 * len(rows), draw)


def rates(performance: Performance, part: str = "") -> str | None:
    """Draw bars for the rates of the naive kernel, the submission and the model solution. If the rates are in GB/s, the
    rate of a copy is drawn as the limit. Returns None if no launch has a measured time.
    """
    rows = [each for each in kernels_of(performance) if each.seconds]
    if not rows:
        return None
    values = [rate_of(performance, row) for row in rows]
    roof = performance.copy_bandwidth if performance.unit == "GB/s" and isfinite(performance.copy_bandwidth) else None

    def draw(axes: Axes) -> None:
        for height, (row, value) in enumerate(zip(rows, values, strict=True)):
            axes.barh(height, value, height=0.5, color="none", edgecolor=row.colour, hatch=row.hatch, linewidth=1.4)
            if not row.hatch:
                axes.barh(height, value, height=0.5, color=row.colour)
        names = [
            f"{row.name}\n{three_digits(value)} {performance.unit}" for row, value in zip(rows, values, strict=True)
        ]
        bar_axes(axes, names, performance.unit)
        axes.set_ylim(-0.5, len(rows) - 0.3)
        axes.set_xlim(0, 1.08 * max(*values, roof or 0))
        if roof is not None:
            axes.axvline(roof, color=INK, linestyle=(0, (4, 2)), linewidth=1.4)
            axes.set_title(f"the dashed line: a copy, {three_digits(roof)} GB/s", fontsize=9.5, loc="right")

    words = ", ".join(f"{row.name} {three_digits(value)}" for row, value in zip(rows, values, strict=True))
    of_roof = "" if roof is None else f"; a copy reaches {three_digits(roof)}"
    return svg(f"rates {part}", f"Rates in {performance.unit}: {words}{of_roof}.", 0.75 + 0.55 * len(rows), draw)


def bar_axes(axes: Axes, names: Sequence[str], unit: str) -> None:
    """Set up the axes for horizontal bars, with the names of the bars and a grid for their lengths."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x", **GRID)
    axes.set_axisbelow(True)
    axes.set_xlabel(unit)


def _series(performance: Performance) -> tuple[KernelStyle, ...]:
    """Return everything that was timed, in the order of the strips."""
    samples = performance.samples
    return (
        KernelStyle(name="your kernel", seconds=_seen(samples.submission), marker=SUBMISSION, colour=BLUE),
        KernelStyle(name="model solution", seconds=_seen(samples.reference), marker="D", colour=GREEN, hatch="////"),
        KernelStyle(name="model, again", seconds=_seen(samples.control), marker="D", colour=GREEN, filled=False),
        KernelStyle(name="naive kernel", seconds=_seen(samples.baseline), marker="s", colour=ORANGE, hatch="\\\\\\\\"),
        KernelStyle(name="a copy", seconds=_seen(samples.device_copy), marker="^", colour=GREY),
    )


def kernels_of(performance: Performance) -> tuple[KernelStyle, KernelStyle, KernelStyle]:
    """Return the kernels with comparable rates, the best one last."""
    submission, reference, _, baseline, _ = _series(performance)
    return baseline, submission, reference


def _seen(seconds: tuple[float, ...]) -> tuple[float, ...]:
    """Drop the launches without a measured time. A coarse clock may miss a short launch, and a logarithmic axis has no
    zero.
    """
    return tuple(each for each in seconds if isfinite(each) and each > 0)


def rate_of(performance: Performance, row: KernelStyle) -> float:
    """Return the rate in the unit of the submission's rate."""
    if row.marker == SUBMISSION:
        return performance.rate.median
    return performance.rate.median * performance.seconds.median / median(row.seconds)


def marks(row: KernelStyle, size: float) -> dict[str, Any]:
    """Return the options of matplotlib for the marks of a kernel."""
    return {
        "linestyle": "none",
        "marker": row.marker,
        "markersize": size,
        "markerfacecolor": row.face,
        "markeredgecolor": row.colour,
        "markeredgewidth": 1.4,
    }


def _strip(axes: Axes, height: int, row: KernelStyle) -> None:
    """Draw a row of points, spread a little up and down so that equal points are visible, with half of them in a box
    and the median as a bar.
    """
    spread = [height + 0.07 * (i % 5 - 2) for i in range(len(row.seconds))]
    axes.plot(row.seconds, spread, alpha=0.55, **marks(row, 4))
    if len(row.seconds) > 1:
        low, middle, high = quantiles(row.seconds, method="inclusive")
        axes.fill([low, high, high, low], [height - 0.3, height - 0.3, height + 0.3, height + 0.3], fill=False, ec=INK)
    else:
        middle = row.seconds[0]
    axes.plot([middle, middle], [height - 0.3, height + 0.3], color=INK, linewidth=2.4)


def _few_ticks(axes: Axes) -> None:
    """Set ticks at decades and, if there are less than two decades, also at 2 and 5."""
    low, high = axes.get_xlim()
    subs = (1.0,) if high / low > 100 else (1.0, 2.0, 5.0)
    axes.xaxis.set_major_locator(LogLocator(subs=subs))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda seconds, _: seconds_in_words(seconds))
    axes.grid(visible=True, axis="x", **GRID)


def drawn(name: str, height: float, draw: Callable[[Axes], None], ground: str = "none") -> str:
    """Return the figure that `draw` draws in grader's style, as the text of a separate file.

    Equal figures have equal text: it contains no date and no random names, and does not depend on the user's settings.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**STYLE, "svg.hashsalt": name, "savefig.facecolor": ground})
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.subplots())
        text = StringIO()
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return text.getvalue()


def svg(name: str, label: str, height: float, draw: Callable[[Axes], None]) -> str:
    """Return the figure that `draw` draws, as an element of a page, with a label for readers who cannot see it."""
    root = ElementTree.fromstring(drawn(name, height, draw))  # noqa: S314 - drawn above
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if element.tag == "g":
            element.attrib.pop("id", None)
        for key in list(element.attrib):
            element.set(key.rpartition("}")[2], _in_page_colours(element.attrib.pop(key)))
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    for unused in root.findall("metadata"):
        root.remove(unused)
    root.attrib |= {"role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")


def _in_page_colours(value: str) -> str:
    return re.sub("|".join(COLOURS), lambda found: COLOURS[found[0]], value)


def ladder(kernels: dict[str, Performance]) -> str | None:
    """Draw bars for the rates of a suite's kernels by name, the first at the top, each with its model solution's rate
    below it.

    Returns None if the rates have different units, if a kernel has no measured time, or in a student kit, which has no
    model solution.
    """
    rows = {name: kernels_of(each)[1:] for name, each in kernels.items()}
    units = {each.unit for each in kernels.values()}
    if len(units) != 1 or not all(each.seconds for row in rows.values() for each in row):
        return None
    (unit,) = units
    values = {name: tuple(rate_of(kernels[name], each) for each in row) for name, row in rows.items()}

    def draw(axes: Axes) -> None:
        for height, name in enumerate(reversed(values)):
            (submission, reference), (own, model) = rows[name], values[name]
            axes.barh(height + 0.17, own, height=0.3, color=submission.colour)
            bar: dict[str, Any] = {"color": "none", "edgecolor": reference.colour, "hatch": reference.hatch}
            axes.barh(height - 0.17, model, height=0.3, linewidth=1.2, **bar)
        bar_axes(axes, [f"{name}\n{three_digits(values[name][0])} {unit}" for name in reversed(values)], unit)
        axes.set_ylim(-0.5, len(values) - 0.3)
        axes.set_xlim(0, 1.08 * max(rate for pair in values.values() for rate in pair))
        axes.set_title("filled: yours; hatched: the model solution's", fontsize=9.5, loc="right")

    words = ", ".join(f"{name} {three_digits(own)} (model {three_digits(of)})" for name, (own, of) in values.items())
    return svg("ladder", f"Rates in {unit}: {words}.", 0.75 + 0.55 * len(values), draw)
