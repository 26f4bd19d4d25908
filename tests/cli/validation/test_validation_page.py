"""page.py: a page fits a terminal, and its last line counts the false statements."""

from io import StringIO

import pytest
from rich.console import Console
from validations import WIDTH, joined_lines, timed

from grader.authoring.extent import NOISY, QUICK
from grader.authoring.selftest import Claim
from grader.cli.exit_codes import FAILED, PASSED, UNGRADED
from grader.cli.validation.page import Page, exit_code


def test_the_last_line_says_if_speed_was_not_checked():
    """The last line counts the false statements, and says if speed was not checked."""
    console = Console(file=StringIO())
    assert Page(console=console).verdict == "all statements are true"
    assert Page(console=console, unchecked=["?"]).verdict == "all statements are true, but speed was not checked"
    half = Page(console=console, failed=2, unchecked=["?"])
    assert half.verdict == "2 statements are FALSE, but speed was not checked"


@pytest.mark.parametrize(
    ("failed", "extent", "code"),
    [(0, QUICK, PASSED), (0, NOISY, UNGRADED), (1, QUICK, FAILED), (1, NOISY, FAILED)],
)
def test_a_noisy_machine_leaves_a_validation_incomplete(failed, extent, code):
    """A false statement decides the exit code. If no statement is false, a machine that was too noisy gives the exit
    code for incomplete gradings. A quick validation is complete.
    """
    page = Page(console=Console(file=StringIO()), failed=failed)
    page.leave_open(["?"], extent)
    assert exit_code([Page(console=page.console), page]) == code


def test_an_observation_is_described_once():
    """If one observation makes several statements false, as in a suite whose file does not build, only the first
    statement describes it. Each of them counts.
    """
    page = Page(console=Console(file=StringIO(), width=WIDTH))
    wrong = Claim(claim="the model solution passes every check", holds=False, seen="build: line 6")
    page.say([wrong], "first")
    page.say([wrong], "second")
    assert page.console.file.getvalue().count("build: line 6") == 1
    assert "second: the model solution passes every check (as above)" in joined_lines(page.console.file.getvalue())
    assert page.failed == 2


@pytest.mark.whole
def test_no_line_is_wider_than_a_terminal_of_80_columns(printed):
    """No line is wider than a terminal with 80 columns."""
    text, _ = printed(timed(1.0))
    assert [line for line in text.splitlines() if len(line.rstrip()) > WIDTH] == []
