"""Draws the table of `grader run` as a figure. Its bars show rates, or times if there are no rates, for the kernel only
and with transfers.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from grader.common.phrases import three_digits
from grader.grading.by_hand.run import Measured, TimedRow
from grader.protocol.text import showable
from grader.reports.figures import BLUE, GREY, bar_axes, drawn

BAR = 0.36
"""Height of a bar as a share of a row's height. Two bars fit in a row."""


def bars(title: str, what: str, rows: Sequence[TimedRow]) -> str:
    """Return an SVG file with two bars for each row, the first row at the top. A row has no bars if it was not
    measured, or if it has no rate while others do.

    `what` is the quantity in the labels of the rows, such as TILE.
    """
    measured = [(height, row.outcome) for height, row in enumerate(rows) if isinstance(row.outcome, Measured)]
    units = sorted({each.unit for _, each in measured if each.unit})
    found = [(height, each) for height, each in measured if each.unit or not units]
    kernels = [(height, _value(each, each.on_device)) for height, each in found]
    totals = [(height, _value(each, each.totals)) for height, each in found]

    def draw(axes: Axes) -> None:
        _bars(axes, kernels, offset=-BAR / 2, name="kernel only", color=BLUE)
        _bars(axes, totals, offset=BAR / 2, name="with transfers", color="none", edgecolor=GREY, hatch="////")
        for height in set(range(len(rows))) - {height for height, _ in found}:
            axes.text(0, height, " no rate" if isinstance(rows[height].outcome, Measured) else " failed", va="center")
        bar_axes(axes, [showable(row.label) for row in rows], " or ".join(units) or "ms")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, 1.2 * max((value for _, value in kernels + totals), default=1.0))
        axes.set_ylabel(what)
        axes.set_title(title, fontsize=9.5, loc="left")
        axes.figure.legend(loc="outside lower left", ncols=2, frameon=False)

    return drawn("runs", 1.2 + 0.5 * len(rows), draw, ground="white")


def _value(measured: Measured, seconds: Sequence[float]) -> float:
    """Return the rate, or milliseconds if the assignment does not check speed."""
    return (measured.rate(median(seconds)) or 0.0) if measured.unit else 1e3 * median(seconds)


def _bars(axes: Axes, bars_of: Sequence[tuple[int, float]], offset: float, name: str, **style: Any) -> None:
    heights, values = [height + offset for height, _ in bars_of], [value for _, value in bars_of]
    drawn_bars = axes.barh(heights, values, height=BAR, label=name, **style)
    axes.bar_label(drawn_bars, [three_digits(value) for value in values], padding=3)
