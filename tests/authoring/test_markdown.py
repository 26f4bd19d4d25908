"""markdown.py: the pages that students get fit a terminal."""

import re

import pytest
from project import ROOT

from grader.authoring.markdown import WIDTH, narrowed

WORDS = "word " * 30
TABLE = f"| {WORDS}| 1 |"
CODE = f"```\n{WORDS}\n- {WORDS}\n```"


def test_paragraphs_and_items_are_wrapped():
    """Paragraphs and items of lists are wrapped, and items keep their indentation."""
    page = narrowed(f"{WORDS}\n{WORDS}\n\n- {WORDS}\n  {WORDS}\n10. {WORDS}\n")
    assert max(map(len, page.splitlines())) <= WIDTH
    assert page.split() == f"{WORDS} {WORDS} - {WORDS} {WORDS} 10. {WORDS}".split()
    assert "\n  word" in page.partition("- ")[2]
    assert "\n    word" in page.partition("10. ")[2]


@pytest.mark.parametrize("text", [TABLE, CODE, f"# {WORDS}", f"    {WORDS}", f"<!-- {WORDS}", f"> {WORDS}"])
def test_all_other_lines_stay(text):
    """Tables, code, headings, HTML and quotations are not wrapped, because they would change or break."""
    assert narrowed(f"Short.\n\n{text}\n\nShort.\n") == f"Short.\n\n{text}\n\nShort.\n"


@pytest.mark.parametrize("mark", ["+", "-", "#", "1.", "="])
def test_no_line_gets_another_meaning(mark):
    """No line of a wrapped paragraph begins like a list or a heading, wherever the character is in the text."""
    for before in range(60, 90):
        page = narrowed(f"{'x' * 40} {'y' * (before - 41)} {mark} {WORDS}")
        assert not any(line.startswith(f"{mark} ") for line in page.splitlines())


@pytest.mark.parametrize("path", sorted(ROOT.glob("assignments/*/README.md")), ids=lambda path: path.parent.name)
def test_the_words_of_each_handout_stay(path):
    """A handout has the same words after it is wrapped, and only tables and code are wider than a terminal."""
    text = path.read_text()
    page = narrowed(text)
    assert page.split() == text.split()
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    wide = [line for line in prose.splitlines() if len(line) > WIDTH]
    assert [line for line in wide if not line.startswith(("|", "#", "    "))] == []
