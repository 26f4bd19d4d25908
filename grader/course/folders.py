"""The two folders of an assignment: assignments/NAME/ is for everyone, and reference/NAME/ is for grader.

assignments/NAME/  assignment.yaml   kernels.cl (skeleton)        README.md (the handout)
reference/NAME/    kernels.cl (model solution)   baseline.cl (naive)   oracle.py (NumPy)

A student kit has no model solutions, and is marked by a kit.yaml next to the two folders. course.yaml, in the same
place, contains the rules for all assignments.
"""

import hashlib
from functools import cached_property
from pathlib import Path

from pydantic import Field

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.policies.rules import Policies

ASSIGNMENT_FILE = "assignment.yaml"
MODEL_FILE, BASELINE_FILE, ORACLE_FILE = "kernels.cl", "baseline.cl", "oracle.py"
KIT_FILE, RULES_FILE = "kit.yaml", "course.yaml"

NOT_IN_THE_FILE = frozenset({"name", "folder", "reference", "part", "kit", "due_in"})
"""Fields of an assignment that record where it is and do not occur in the file."""


class Kit(Record):
    """Contents of kit.yaml, which marks a student kit and lists what it lacks besides the model solutions."""

    grader: str
    """Version of grader that made the kit."""

    hidden: dict[str, dict[str, float]] = Field(default={})
    """Points of the hidden checks that were left out, by kind of check, for each assignment that has any. A part of a
    suite is named NAME/KERNEL.
    """


class Folders(Policies):
    """Fields that assignments of one kernel and suites of several kernels have in common. Policies apply to a whole
    file.
    """

    name: str
    folder: Path
    reference: Path

    kit: Kit | None = None
    """The student kit that contains the assignment, or None in the course itself."""

    due_in: str = RULES_FILE
    """The file with the due date, if there is one."""

    title: str
    """Title in one line."""

    order: int | None = Field(default=None, ge=1)
    """Place in the order of the course, in which assignments are listed. Assignments without a place come last."""

    @cached_property
    def sha256(self) -> str:
        """Hash of all files in both folders. Results record it, so that readers know which version was graded."""
        digest = hashlib.sha256()
        for folder in (self.folder, self.reference):
            for path in sorted(path for path in folder.iterdir() if path.is_file()):
                digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
        return digest.hexdigest()

    @property
    def skeleton(self) -> str:
        """Text of the kernels.cl with which students start."""
        return read_text(self.folder / MODEL_FILE)

    def source(self, file_name: str) -> str:
        """Return the text of a file in the reference folder."""
        return read_text(self.reference / file_name)


def read_text(path: Path) -> str:
    """Return the text of a file of a course. Raises InputError with the file and the reason if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
