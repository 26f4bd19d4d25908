"""Docstrings, comments and documents do not contain phrases that readers must read twice."""

import ast
import io
import re
import tokenize

import pytest
from project import ROOT

OPENINGS = {
    "The same": "repeat the noun",
    "Those of": "repeat the noun",
    "That of": "repeat the noun",
    "What": "name the thing",
    "Whether": 'write "True if"',
    "Nothing": "say what happens",
    "So many": "name the number",
    "Of": "begin with the noun",
}
"""First words that leave a docstring without a subject, each with advice."""

PHRASES = {
    "anew": "again",
    "mend": "fix",
    "mends": "fixes",
    "mended": "fixed",
    "whoever": "name the person",
    "whatever": "name the thing",
    "in vain": "without effect",
    "astray": "wrong",
    "is told": "reads, gets",
    "are told": "read, get",
    "of ours": "name the owner",
    "of theirs": "name the owner",
    "where there is": "if",
    "goes on": "continues",
}
"""Phrases that students and engineers stumble over, each with a replacement."""

ANY = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)
"""Matches any of these phrases. Most texts have none, and one search is faster than one search per phrase."""

QUOTED = re.compile(rf"""["'](?:{"|".join(OPENINGS)})\b""")
"""Matches a string that begins with one of the openings."""

FILES = [path for folder in ("grader", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests" / "README.md"})


def docstrings(source):
    """Yield the line and text of each docstring, including those of constants and fields."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def comments(source):
    """Yield the line and text of each comment."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def phrases(line, text):
    """Yield each forbidden phrase in a text that starts on this line."""
    for phrase, better in PHRASES.items() if ANY.search(text) else ():
        if found := re.search(rf"\b{phrase}\b", text, re.IGNORECASE):
            yield f"{line + text[: found.start()].count(chr(10))}: {phrase!r}; better: {better}"


def openings(line, text):
    """Yield the opening of a docstring if it leaves the docstring without a subject."""
    for opening, better in OPENINGS.items():
        if re.match(rf"{opening}\b", text):
            yield f"{line}: opens with {opening!r}; better: {better}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The same by name.", 1),
        ("Whether it is whatever.", 2),
        ("Return the fixed row.", 0),
        ("The row is\nmended.", 1),
    ],
)
def test_the_check_finds_openings_and_phrases(text, found):
    """The checks report each opening and each phrase once."""
    assert len([*openings(1, text), *phrases(1, text)]) == found


def test_docstrings_and_comments_read_at_once():
    """Docstrings do not have a forbidden opening, and neither docstrings nor comments contain a forbidden phrase."""
    found = []
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        if not (ANY.search(source) or QUOTED.search(source)):  # most files have none, and parsing takes long
            continue
        texts = [] if path.name == "test_plain_english.py" else [*docstrings(source)]
        found += [f"{path.relative_to(ROOT)}:{each}" for text in texts for each in openings(*text)]
        found += [f"{path.relative_to(ROOT)}:{each}" for text in (*texts, *comments(source)) for each in phrases(*text)]
    assert found == []


def test_documents_read_at_once():
    """Documents do not contain forbidden phrases, except in quoted code and output."""
    found = []
    for path in DOCUMENTS:
        text = re.sub(
            r"```.*?```|`[^`\n]*`|^ {4}.*$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
        )
        found += [f"{path.relative_to(ROOT)}:{each}" for each in phrases(1, text)]
    assert found == []
