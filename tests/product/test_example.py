"""The reports in README.md and docs/reading-your-report.md match the output of grader."""

import re

import pytest
from gradings import grade
from picture import PICTURE, SUBMISSION, digest, drawn_from, example
from project import ROOT

from grader.course.rubric import Kind
from grader.reports.terminal import render

SHOWN = ("README.md", "docs/reading-your-report.md")
WIDTH = 80
"""Width of the terminal in the documents, in columns."""

LARGEST = 150_000
"""Largest size of the picture in bytes, so that it loads quickly."""

INDENT = "    "
LEFT_OUT = "..."


def report_in(name):
    """Return the lines of the report in a document, which is the indented block that starts with the first cause."""
    text = (ROOT / name).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^{INDENT} 1\. error.*\n(?:{INDENT}.*\n|\n)*", text, re.MULTILINE)
    return [line.removeprefix(INDENT) for line in block.rstrip().splitlines()]


@pytest.mark.parametrize("name", SHOWN)
def test_the_report_in_a_document_is_the_terminals(name):
    """Every line of the report in a document is a line of the terminal's report, in order. Three dots replace omitted
    lines.
    """
    written = iter(render(example(), width=WIDTH, color=False).splitlines())
    shown = report_in(name)
    assert [line for line in shown if line.strip() != LEFT_OUT and line not in written] == []
    assert len(shown) >= 10


def test_the_picture_shows_the_page_as_it_is():
    """The picture is up to date and small. `python tests/helpers/picture.py` draws it again after a change."""
    assert drawn_from() == digest()
    assert PICTURE.stat().st_size <= LARGEST


def test_the_example_is_what_the_grader_says_today(course, environment, simulator):  # noqa: ARG001 - it is installed
    """The stored example has the findings that the simulator reports today. Other checks are not compared, because a
    race makes their values vary.
    """
    now = grade(course.load("reduction"), SUBMISSION, environment, example().provenance.seed)
    shown, said = ([check for check in each.checks if check.kind is Kind.SANITIZER] for each in (example(), now))
    assert [(check.name, check.reason, check.message, check.findings) for check in shown] == [
        (check.name, check.reason, check.message, check.findings) for check in said
    ]
