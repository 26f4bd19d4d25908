"""Histograms of a batch, drawn like the other figures (figures/) in the colours of the page, with the counts as
text.
"""

from math import inf

from matplotlib.axes import Axes

from grader.common.phrases import capital, count
from grader.reports.figures import BLUE, INK, svg
from grader.reports.statistics import Histogram

HEIGHT = 2.3
"""Height in inches, at the width that all figures have."""


def drawn(name: str, histogram: Histogram) -> str:
    """Draw bars of equal width, with a tick at every edge of a bin, and the count above each bar.

    `name` distinguishes the figures of a page.
    """
    bins, scale = range(len(histogram.counts)), histogram.scale

    def draw(axes: Axes) -> None:
        axes.bar([i + 0.5 for i in bins], histogram.counts, width=0.86, color=BLUE)
        for i in bins:
            if histogram.counts[i]:
                axes.annotate(
                    f"{histogram.counts[i]:,}",
                    (i + 0.5, histogram.counts[i]),
                    (0, 2),
                    textcoords="offset points",
                    ha="center",
                )
        axes.set_xticks(range(len(scale.edges)), [scale.end if edge == inf else f"{edge:g}" for edge in scale.edges])
        axes.set_xlim(0, len(histogram.counts))
        axes.set_ylim(0, 1.12 * max(1, *histogram.counts))
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.spines["bottom"].set_color(INK)
        axes.set_xlabel(scale.label)

    words = ", ".join(f"{histogram.name(i)}: {histogram.counts[i]:,}" for i in bins if histogram.counts[i])
    return svg(
        name,
        f"{capital(scale.label)}, of {count(sum(histogram.counts), 'submission')}: {words or 'none'}.",
        HEIGHT,
        draw,
    )
