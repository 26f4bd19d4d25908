"""`grader new`: writes a small, complete assignment into the folders of a course, for authors to start from.

COURSE/assignments/NAME/   COURSE/reference/NAME/     described in course/folders.py
COURSE/tests/submissions/NAME/CASE/                   golden submissions, described in golden.py
COURSE/assignments/assignment.schema.json             used by editors to check assignment.yaml and help with it
"""

import json
import os
import re
from pathlib import Path

from grader.authoring.schema import assignment_schema
from grader.common.errors import InputError
from grader.common.files import write_new, write_whole
from grader.common.phrases import listed
from grader.grading.installation import PACKAGE

PLACEHOLDER = "@ASSIGNMENT@"
TEMPLATES = Path(__file__).parent / "template"

PLACES = {
    "assignments": Path("assignments"),
    "reference": Path("reference"),
    "submissions": Path("tests", "submissions"),
}
"""Folders of a course that receive a template's folders, each under the assignment's name."""

FIRST = "saxpy"
"""Template of an assignment whose author names none."""

SCHEMA_FILE = Path("assignments", "assignment.schema.json")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Valid names of an assignment and of its kernel."""


def templates() -> list[str]:
    """Return the names of the templates, sorted."""
    return sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir())


def draft(name: str, course: Path, template: str = FIRST) -> list[Path]:
    """Write the folders of a new assignment into a course, which may be empty, and return the paths of the files.

    Existing files are never overwritten, except the schema, which belongs to grader.
    """
    if template not in templates():
        raise InputError(f"there is no template {template!r}; choose {listed(templates(), 'or')}.")
    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot be the name of a kernel; use letters, digits and _, and no digit first.")
    if course.resolve().is_relative_to(PACKAGE):
        raise InputError("the course that comes with grader cannot be changed; name your own folder with --course DIR.")
    present = [str(place / name) for place in PLACES.values() if os.path.lexists(course / place / name)]
    if present:
        raise InputError(f"{course} already contains {', '.join(present)}; choose another name, or remove that.")
    written = write_new({str(path): text.replace(PLACEHOLDER, name) for path, text in _files(template, name)}, course)
    if _is_current(course / SCHEMA_FILE):
        return written
    write_whole(course / SCHEMA_FILE, schema_file())
    return [*written, course / SCHEMA_FILE]


def schema_file() -> str:
    """Return the content of SCHEMA_FILE."""
    return json.dumps(assignment_schema(), indent=2) + "\n"


def _files(template: str, name: str) -> list[tuple[Path, str]]:
    """Return the files of a template, each with its place in a course."""
    return [
        (place / name / path.relative_to(TEMPLATES / template / folder), path.read_text(encoding="utf-8"))
        for folder, place in PLACES.items()
        for path in sorted((TEMPLATES / template / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def _is_current(path: Path) -> bool:
    """True if the course already has the schema of this version of grader."""
    try:
        return path.read_text(encoding="utf-8") == schema_file()
    except (OSError, UnicodeDecodeError):
        return False
