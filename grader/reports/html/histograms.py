"""Layout of the histograms of a batch. The template writes them as SVG with the counts as text.

Matplotlib needs a tenth of a second for such a figure, which is too long for a course with many assignments.
"""

from dataclasses import dataclass
from math import inf

from grader.common.phrases import capital, count
from grader.reports.statistics import Histogram

WIDTH, HEIGHT = 317, 140
"""Size of a histogram in SVG units."""

SIDE, TOP, BOTTOM = 12, 18, 38
"""Margins in SVG units, with room for the words at the ends, above the bars and below them."""

BAR_SHARE = 0.86
"""Share of a bin's width that its bar takes."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A bar, and the count above it in the middle."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Tick:
    """An edge of a bin."""

    x: float
    text: str


@dataclass(frozen=True, kw_only=True)
class HistogramChart:
    """A histogram with a bar for each bin that is not empty. `label` describes the figure to readers who cannot see
    it.
    """

    label: str
    axis: str
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = SIDE
    right: int = WIDTH - SIDE
    bottom: int = HEIGHT - BOTTOM


def histogram_chart(histogram: Histogram) -> HistogramChart:
    """Return the chart of a histogram."""
    scale, counts = histogram.scale, histogram.counts
    step = (WIDTH - 2 * SIDE) / len(counts)
    texts = [scale.end if edge == inf else f"{edge:g}" for edge in scale.edges]
    words = ", ".join(f"{histogram.name(i)}: {each:,}" for i, each in enumerate(counts) if each)
    return HistogramChart(
        label=f"{capital(scale.label)}, of {count(sum(counts), 'submission')}: {words or 'none'}.",
        axis=scale.label,
        bars=tuple(_bar(i, each, step, each / max(counts)) for i, each in enumerate(counts) if each),
        ticks=tuple(Tick(x=round(SIDE + i * step, 1), text=text) for i, text in enumerate(texts)),
    )


def _bar(place: int, number: int, step: float, share: float) -> Bar:
    """Return the bar of a bin. `share` is its height relative to the highest bar."""
    height = share * (HEIGHT - TOP - BOTTOM)
    middle = SIDE + (place + 0.5) * step
    return Bar(
        x=round(middle - BAR_SHARE * step / 2, 1),
        y=round(HEIGHT - BOTTOM - height, 1),
        width=round(BAR_SHARE * step, 1),
        height=round(height, 1),
        middle=round(middle, 1),
        count=number,
    )
