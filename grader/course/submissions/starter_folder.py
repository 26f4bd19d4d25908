"""The folder that `grader init` makes. A file in it contains the name of the assignment, so commands there need no
option.
"""

from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.loading import checked, read_fields

STARTER_FILE = "submission.yaml"
COMMENT = "# The assignment of this folder, for commands such as `grader grade` without a name."


class Starter(Record):
    """Contents of submission.yaml."""

    assignment: str
    """Name of the assignment that the folder is for."""


def starter_text(assignment: str) -> str:
    """Return the contents of submission.yaml for an assignment."""
    return f"{COMMENT}\nassignment: {assignment}\n"


def assignment_of(submission: Path, remedy: str) -> str:
    """Return the name of the assignment that a submission's folder belongs to. `submission` is a kernels.cl or its
    folder. Raises InputError if no file contains the name; `remedy` states how to give the name to the command.
    """
    folder = submission if submission.is_dir() else submission.parent
    path = folder / STARTER_FILE
    if not path.is_file():
        if not submission.exists():
            raise InputError(f"there is no file {submission}; check the path.")
        here = "this folder" if folder == Path() else folder
        raise InputError(
            f"{here} has no {STARTER_FILE} with the name of the assignment: {remedy} (`grader list` shows the names), "
            "or work in a folder that `grader init NAME` has made."
        )
    return checked(str(path), Starter, read_fields(path, "`assignment:`")).assignment
