"""The roofline: the rates of kernels below the roofs of the device (Williams, Waterman and Patterson, 2009)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from matplotlib.axes import Axes

from grader.common.phrases import three_digits
from grader.reports.figures import GRID, INK, SUBMISSION, KernelStyle, kernels_of, marks, rate_of, svg
from grader.results.metrics import Performance, Profile


def roofline(performance: Performance, profile: Profile | None, part: str = "") -> str | None:
    """Draw GFLOPS against operations for each byte that must move, below the roofs of the device. Below the slope,
    memory is the limit; below the flat part, it is arithmetic.

    The roofs come from the device's profile, which also has a roof for local memory, or else from the session. Returns
    None if there is no peak, no arithmetic, or no measured time.
    """
    drawing = _drawing(performance, profile)
    return None if drawing is None else svg(f"roofline {part}", drawing.label, 4.4, drawing.draw)


@dataclass(frozen=True, kw_only=True)
class _Roofline:
    """The timed kernels with their GFLOPS by name, and the roofs of the device. `intensity` is the number of operations
    for each byte that must move, and `own` the numbers for each byte that the submission asks for, by kind of byte.
    """

    rows: Sequence[KernelStyle]
    values: Mapping[str, float]
    intensity: float
    own: Mapping[str, float]
    bandwidth: float
    peak: float
    local: float | None

    @property
    def label(self) -> str:
        """Words for readers who cannot see the figure."""
        words = ", ".join(f"{name} {three_digits(value)}" for name, value in self.values.items())
        roofs_in_words = f"{three_digits(self.bandwidth)} GB/s and {three_digits(self.peak)} GFLOPS"
        return f"Roofline at {three_digits(self.intensity)} FLOP/byte, the roofs {roofs_in_words}. GFLOPS: {words}."

    def draw(self, axes: Axes) -> None:
        """Draw the roofs, and the kernels below them."""
        reach = [self.intensity, self.peak / self.bandwidth, *self.own.values()]
        left, right = min(reach) / 5, max(reach) * 5
        self._draw_roofs(axes, left, right)
        self._draw_kernels(axes)
        axes.set_xlim(left, right)
        axes.set_ylim(min(*self.values.values(), self.bandwidth * left) / 2, 2 * max(self.peak, *self.values.values()))
        axes.grid(visible=True, **GRID)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter("")
        axes.set_xlabel("FLOP for each byte that must move")
        axes.set_ylabel("GFLOPS")
        axes.figure.legend(loc="outside lower left", frameon=False)

    def _draw_roofs(self, axes: Axes, left: float, right: float) -> None:
        bandwidth, peak, local = self.bandwidth, self.peak, self.local
        ridge = peak / bandwidth
        roof: dict[str, Any] = {"color": INK, "linewidth": 1.6}
        memory, arithmetic = f"a copy, {three_digits(bandwidth)} GB/s", f"{three_digits(peak)} GFLOPS"
        axes.loglog([left, ridge], [bandwidth * left, peak], label=f"memory's roof: {memory}", **roof)
        roof["linestyle"] = (0, (4, 2))
        axes.loglog([ridge, right], [peak, peak], label=f"arithmetic's roof: {arithmetic}", **roof)
        if local is not None:
            roof["linestyle"], ends = ":", (left, max(left, peak / local))
            label = f"local memory's roof: {three_digits(local)} GB/s"
            axes.loglog(ends, [local * end for end in ends], label=label, **roof)

    def _draw_kernels(self, axes: Axes) -> None:
        for row in self.rows:
            label = f"{row.name}: {three_digits(self.values[row.name])} GFLOPS"
            axes.plot([self.intensity], [self.values[row.name]], label=label, zorder=3, **marks(row, 9))
        submission = next((row for row in self.rows if row.marker == SUBMISSION), self.rows[0])
        for what, fill in zip(self.own, ("none", "bottom"), strict=False):
            hollow = {**marks(submission, 9), "markerfacecoloralt": "none", "fillstyle": fill}
            label = f"your kernel, by the {what} that it asks for"
            axes.plot([self.own[what]], [self.values[submission.name]], label=label, zorder=3, **hollow)


def _drawing(performance: Performance, profile: Profile | None) -> _Roofline | None:
    rows, known = [each for each in kernels_of(performance) if each.seconds], performance.roofs
    bandwidth = known.copy_bandwidth.median if known else performance.copy_bandwidth
    peak = known.fp32_rate.median if known else performance.peak or 0.0
    if (
        not rows
        or performance.unit != "GFLOPS"
        or performance.flop is None
        or not all(isfinite(roof) and roof > 0 for roof in (bandwidth, peak))
    ):
        return None
    local = known.local_bandwidth.median if known and profile and profile.local_intensity > 0 else None
    own = {} if profile is None else {"bytes": profile.intensity}
    if local is not None and profile is not None:
        own["local bytes"] = profile.local_intensity
    return _Roofline(
        rows=rows,
        values={row.name: rate_of(performance, row) for row in rows},
        intensity=performance.flop / performance.bytes,
        own={what: each for what, each in own.items() if each > 0},
        bandwidth=bandwidth,
        peak=peak,
        local=local,
    )
