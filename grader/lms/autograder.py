"""`grader export`: everything that another system needs to grade an assignment by itself.

    setup.sh  constraints.txt  grader-VERSION.whl     what installs grader in an image
    course/assignments/NAME/  course/reference/NAME/  the assignment, with its secrets

Gradescope's zip has run_autograder beside these; GitLab's folder, a Dockerfile and two pipelines.
"""

from enum import StrEnum
from pathlib import Path

from grader.common.files import read_bytes
from grader.course.suite import Coursework
from grader.lms.bundle import pack
from grader.lms.wheel import own_wheel, zipped

PLACEHOLDER = "@ASSIGNMENT@"
TEMPLATES = Path(__file__).parent / "templates"
SETUP = "setup.sh"
RUN = "run_autograder"
CONSTRAINTS = "constraints.txt"


class Platform(StrEnum):
    """The systems for which there is an autograder."""

    GRADESCOPE = "gradescope"
    GITLAB = "gitlab"


def autograder(platform: Platform, assignment: Coursework, constraints: Path) -> dict[str, bytes]:
    """The files of an autograder by their names; `constraints` names the versions of packages to install."""
    wheel, content = own_wheel()
    return {
        SETUP: read_bytes(TEMPLATES / SETUP),
        CONSTRAINTS: read_bytes(constraints),
        wheel: content,
        **{f"course/{path}": data for path, data in pack(assignment).files},
        **{
            name: data.replace(PLACEHOLDER.encode(), assignment.name.encode())
            for name, data in _folder(TEMPLATES / platform).items()
        },
    }


def gradescope_zip(files: dict[str, bytes]) -> bytes:
    """The zip file to upload; the same files make the same zip."""
    return zipped(files, executable=frozenset({SETUP, RUN}))


def _folder(folder: Path) -> dict[str, bytes]:
    """The files in a folder and those below it, by their names there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): read_bytes(path) for path in paths}
