"""`grader export`: packs everything that another system needs to grade an assignment on its own.

    setup.sh  constraints.txt  grader-VERSION.whl     to install grader in an image
    course/assignments/NAME/  course/reference/NAME/  the assignment, with its secrets

Gradescope's zip also contains run_autograder; GitLab's folder also contains a Dockerfile and two pipelines.
"""

from enum import StrEnum
from pathlib import Path

from grader.common.files import read_bytes
from grader.course.suite import Coursework
from grader.lms.bundle import own_wheel, pack, zipped

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
    """Return the files of an autograder by name. `constraints` is the file with the versions of packages to install."""
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
    """Return the zip file to upload. Equal files give an equal zip."""
    return zipped(files, executable=frozenset({SETUP, RUN}))


def _folder(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, by their relative paths."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): read_bytes(path) for path in paths}
