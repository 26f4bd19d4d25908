"""`grader init`: the folder a student starts from."""

import os
from pathlib import Path

from grader.errors import InputError
from grader.suite import Coursework

PLACEHOLDER = "@ASSIGNMENT@"
TEMPLATE_FILES = ("README.md", ".gitlab-ci.yml", ".github/workflows/grade.yml")


def start(assignment: Coursework, template: Path, target: Path) -> list[Path]:
    """Write the starter files of an assignment into `target`; the files written. Never overwrites one."""
    files = {
        "kernels.cl": _read(assignment.folder / "kernels.cl"),
        "HANDOUT.md": _read(assignment.folder / "README.md"),
        **{name: _read(template / name).replace(PLACEHOLDER, assignment.name) for name in TEMPLATE_FILES},
    }
    present = [name for name in files if os.path.lexists(target / name)]
    if present:
        raise InputError(f"{target} already holds {', '.join(present)}; choose an empty folder.")
    try:
        for name, text in files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {target}: {error.strerror}.") from error
    return [target / name for name in files]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. The course's files are not complete.") from error
