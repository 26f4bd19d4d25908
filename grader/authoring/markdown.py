"""Wraps the paragraphs and lists of a Markdown page for a terminal. Students often read a page there as text."""

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby

WIDTH = 80
"""Width of a terminal in columns."""

NARROWEST = 60
"""Width below which a paragraph is no longer wrapped to avoid a line with another meaning."""

FENCE = re.compile(r"\s*(```|~~~)")

UNWRAPPED = re.compile(r"\s*([|#<>]|$)|\s{4}")
"""Matches lines that are no paragraphs: tables, headings, HTML, quotations, empty lines and code."""

ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")
"""Matches the beginning of an item of a list."""

MARK = re.compile(r"\s*([-*+>|#=]|\d+[.)])(\s|$)|\s*(---|===|```)")
"""Matches the beginning of a line that is no continuation of a paragraph."""


def narrowed(text: str) -> str:
    """Return the page with its paragraphs and lists wrapped. Its meaning and all other lines are unchanged."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    for is_prose, block in groupby(_kinds(lines), key=lambda each: each[0]):
        told = [line for _, line in block]
        yield from _paragraphs(told) if is_prose else told


def _kinds(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield each line, and whether it belongs to a paragraph or a list."""
    is_code, is_item = False, False
    for line in lines:
        is_fence = FENCE.match(line) is not None
        is_code = is_code is not is_fence
        is_item = ITEM.match(line) is not None or (is_item and bool(line.strip()))
        yield not (is_code or is_fence) and (is_item or UNWRAPPED.match(line) is None), line


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Yield the lines of adjacent paragraphs and items, wrapped."""
    told: list[str] = []
    for line in lines:
        if told and ITEM.match(line):
            yield from _wrapped(told)
            told = []
        told.append(line)
    yield from _wrapped(told)


def _wrapped(lines: list[str]) -> list[str]:
    """Return the lines of a paragraph or an item, or the same lines if they fit or cannot be wrapped."""
    if all(len(line) <= WIDTH for line in lines):
        return lines
    item = ITEM.match(lines[0])
    indent = " " * (len(item[0]) if item else len(lines[0]) - len(lines[0].lstrip()))
    joined = lines[0] + "".join(f" {line.strip()}" for line in lines[1:])
    for width in range(WIDTH, NARROWEST, -1):
        wrapped = textwrap.wrap(joined, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        if not any(map(MARK.match, wrapped[1:])):
            return wrapped
    return lines
