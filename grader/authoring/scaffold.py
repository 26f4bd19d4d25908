"""`grader init`: writes the folder in which a student starts."""

from pathlib import Path

from grader.authoring.markdown import narrowed
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
