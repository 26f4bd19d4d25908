"""bars.py: the table of `grader run` as an SVG file."""

from xml.etree import ElementTree

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from run_measurements import FAILED, measured, row
from untimed import untimed_course

from grader.reports.figures.bars import bars


@pytest.fixture(scope="module")
def addition(tmp_path_factory):
    """An assignment whose rate is in GB/s."""
    return course_of(tmp_path_factory.mktemp("one"), ADDITION, KERNEL, ORACLE).load("small")


def texts(svg):
    """Return the texts in the figure, in order."""
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [element.text.strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_every_row_has_its_label_and_the_values_of_both_bars(addition):
    """The figure contains its labels and the unit. Each row shows the values of both bars, or that it failed."""
    rows = [row("8", measured(addition, 4.0)), row("16", measured(addition, 2.0)), row("32", FAILED)]
    found = texts(bars("Adding", "GROUP", rows))
    for word in ("Adding", "GROUP", "8", "16", "32", "GB/s", "kernel only", "with transfers", "0.3", "0.15", "failed"):
        assert word in found


def test_the_file_stands_alone(addition):
    """The file has a white background and plain colours, so that it can be used outside of a page. Equal rows give
    equal bytes.
    """
    rows = [row("8", measured(addition, 4.0))]
    svg = bars("Adding", "GROUP", rows)
    assert "var(" not in svg
    assert "fill: #ffffff" in svg
    assert svg == bars("Adding", "GROUP", rows)


def test_rows_that_all_failed_are_a_figure_without_bars():
    """If all rows failed, the figure has no bars."""
    assert texts(bars("Adding", "GROUP", [row("8", FAILED)])).count("failed") == 1


def test_without_rates_bars_are_milliseconds(tmp_path):
    """If no row has a rate, the bars show milliseconds. If only some rows have rates, the others are marked."""
    untimed = untimed_course(tmp_path / "untimed").load("small")
    addition = course_of(tmp_path / "timed").load("small")
    found = texts(bars("Adding", "GROUP", [row("8", measured(untimed, 4.0))]))
    assert {"ms", "4", "16"} <= set(found)
    found = texts(bars("Adding", "kernel", [row("add", measured(addition, 4.0)), row("plus", measured(untimed, 4.0))]))
    assert {"GB/s", "0.3", "no rate"} <= set(found)
    assert "ms" not in found
