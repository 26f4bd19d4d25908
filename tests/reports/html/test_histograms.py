"""histograms.py: where the bars and words of a batch's histograms are."""

from grader.reports.html.histograms import HEIGHT, WIDTH, histogram_chart
from grader.reports.statistics import POINTS, SPEED_UP, histogram


def test_bars_are_as_high_as_their_counts():
    """The highest bin has the highest bar, a bin with half as many values a bar of half the height, and an empty bin
    none.
    """
    chart = histogram_chart(histogram([5.0, 15.0, 15.0], POINTS))
    one, two = chart.bars
    assert (one.count, two.count) == (1, 2)
    assert two.height == 2 * one.height
    assert {round(bar.y + bar.height, 1) for bar in chart.bars} == {float(chart.bottom)}
    assert chart.label == "Per cent of the points, of 3 submissions: 0 to 10 %: 1, 10 to 20 %: 2."


def test_bars_and_ticks_are_inside_the_chart():
    """Each edge of a bin has a tick, and no bar leaves the chart."""
    chart = histogram_chart(histogram([0.0, 99.0], SPEED_UP))
    assert [tick.text for tick in chart.ticks][-2:] == ["32", "more"]
    assert (chart.ticks[0].x, chart.ticks[-1].x) == (chart.left, chart.right)
    assert all(bar.x > 0 and bar.x + bar.width < WIDTH and 0 < bar.y < HEIGHT for bar in chart.bars)
