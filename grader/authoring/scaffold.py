"""`grader init`: writes the folder in which a student starts.

Students often read the handout there as text, so its paragraphs and lists are wrapped for a terminal.
"""

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import write_new
from grader.course.submissions.starter_folder import STARTER_FILE, starter_text
from grader.course.suite import Coursework

PLACEHOLDER = "@ASSIGNMENT@"

KIT_PLACEHOLDER = "@KIT_URL@"
"""Placeholder for the address of the course's kit. The template inside a kit contains the address; otherwise students
fill it in.
"""

TEMPLATE_FILES = ("README.md", ".gitlab-ci.yml", ".github/workflows/grade.yml")


def start(assignment: Coursework, template: Path, guide: Path, target: Path) -> list[Path]:
    """Write the starter files of an assignment into `target` and return their paths. Existing files are never
    overwritten.

    `guide` is the page that explains reports. Handouts in a course link to it in `docs/`; here it lies next to them.
    """
    files = {
        "kernels.cl": _read(assignment.folder / "kernels.cl"),
        STARTER_FILE: starter_text(assignment.name),
        "HANDOUT.md": narrowed(_read(assignment.folder / "README.md").replace(f"../../docs/{guide.name}", guide.name)),
        guide.name: _read(guide),
    }
    for name in TEMPLATE_FILES:
        files[name] = _read(template / name).replace(PLACEHOLDER, assignment.name).replace(KIT_PLACEHOLDER, "")
    return write_new(files, target)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. The course's files are not complete.") from error


WIDTH = 80
"""Width of a terminal in columns."""

NARROWEST = 60
"""Width below which a paragraph is no longer wrapped to avoid a line with another meaning."""

FENCE = re.compile(r"\s*(```|~~~)")

UNWRAPPED = re.compile(r"\s*([|#<>]|$)|\s{4}")
"""Matches lines that are not paragraphs: tables, headings, HTML, quotations, empty lines and code."""

ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")
"""Matches the beginning of an item of a list."""

MARK = re.compile(r"\s*([-*+>|#=]|\d+[.)])(\s|$)|\s*(---|===|```)")
"""Matches the beginning of a line that does not continue a paragraph."""


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
