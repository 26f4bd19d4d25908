"""Draws the rates of a suite's kernels in one figure, like the other figures (figures/)."""

from typing import Any

from matplotlib.axes import Axes

from grader.common.phrases import three_digits
from grader.reports.figures import bar_axes, kernels_of, rate_of, svg
from grader.results.metrics import Performance


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
