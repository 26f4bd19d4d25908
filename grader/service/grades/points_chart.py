"""Layout of the small chart that shows the points of a student's attempts."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.service.db.tables.submissions import AttemptRow

WIDTH, HEIGHT = 640, 130
"""Size of the chart in SVG units."""

LEFT, RIGHT, TOP, BOTTOM = 44, 16, 14, 26
"""Margins of the chart, with room for the axis labels."""


@dataclass(frozen=True, kw_only=True)
class ChartPoint:
    """An attempt with a result, and its position in the chart."""

    number: int
    points: float
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class PointsChart:
    """The chart. `top` and `bottom` are the vertical positions of all points and of 0 points."""

    points: tuple[ChartPoint, ...]
    most: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM

    @property
    def line(self) -> str:
        """The line through all points, as the attribute `points` of an SVG polyline."""
        return " ".join(f"{each.x:g},{each.y:g}" for each in self.points)


def points_chart(attempts: Sequence[AttemptRow]) -> PointsChart | None:
    """The chart of the attempts with a result that the student may see; None if there are fewer than two, or if the
    assignment is worth 0 points.
    """
    known = [
        (each.number, each.counted.shown_points, each.counted.max_points)
        for each in sorted(attempts, key=lambda one: one.number)
        if each.counted is not None and each.counted.shown_points is not None and each.counted.max_points is not None
    ]
    most = max((each[2] for each in known), default=0.0)
    if len(known) < 2 or most <= 0:
        return None
    step = (WIDTH - LEFT - RIGHT) / (len(known) - 1)
    height = HEIGHT - TOP - BOTTOM
    return PointsChart(
        points=tuple(
            ChartPoint(
                number=number,
                points=points,
                x=round(LEFT + step * place, 1),
                y=round(TOP + height * (1 - min(1.0, max(0.0, points / most))), 1),
            )
            for place, (number, points, _) in enumerate(known)
        ),
        most=most,
    )
