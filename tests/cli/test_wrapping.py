"""wrapping.py: wrapping lines without breaking words."""

import io

import pytest

from grader.cli.wrapping import fitted, wrapped

LONG = "see https://grader.example.org/a/very-long/address/that-no-narrow/terminal-could-ever/show-on-a-line first-rate"


@pytest.mark.parametrize("width", [20, 60, 80])
def test_no_word_is_broken(width):
    """Words are never broken, even if they contain hyphens or are wider than the terminal."""
    assert wrapped(LONG, width, "  ").split() == LONG.split()


def test_an_error_fits_a_terminal_and_is_one_line_for_a_program(monkeypatch):
    """On a terminal, a message is wrapped to its width. Otherwise, it is one line. Neither has control characters."""
    monkeypatch.setenv("COLUMNS", "20")
    stream = io.StringIO()
    assert fitted("one two three four five six\x1b", stream).startswith("one two three four five six")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    text = fitted("one two three four five six\x1b", stream)
    assert max(map(len, text.splitlines())) <= 20
    assert "\x1b" not in text
