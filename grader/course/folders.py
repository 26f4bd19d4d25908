"""The two folders of an assignment: assignments/NAME/ for all to see, reference/NAME/ for the grader.

assignments/NAME/  assignment.yaml   kernels.cl (skeleton)        README.md (the handout)
reference/NAME/    kernels.cl (model solution)   baseline.cl (naive)   oracle.py (NumPy)

In a student kit there is no model solution, and kit.yaml beside the two says so. course.yaml, there too, has what holds
for all assignments.
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


class Kit(Record):
    """What kit.yaml says: that this course is a student kit, and what is not in it beside the model solutions."""

    grader: str
    """The version of grader that made it."""

    hidden: dict[str, dict[str, float]] = Field(default={})
    """Points of the hidden checks that were left out, by kind, for each assignment that has any; a part of a suite is
    called NAME/KERNEL.
    """


class Folders(Policies):
    """What an assignment of one kernel and a suite of several have in common; policies are those of a whole file."""

    name: str
    folder: Path
    reference: Path

    kit: Kit | None = None
    """The student kit that it is in; None in the course itself."""

    due_in: str = RULES_FILE
    """The file in which its due date stands, if it has one."""

    title: str
    """A line about it."""

    @cached_property
    def sha256(self) -> str:
        """Hash of every file of both folders, so that a result says what it was graded against."""
        digest = hashlib.sha256()
        for folder in (self.folder, self.reference):
            for path in sorted(path for path in folder.iterdir() if path.is_file()):
                digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
        return digest.hexdigest()

    @property
    def skeleton(self) -> str:
        """The kernels.cl that students start from."""
        return read_text(self.folder / MODEL_FILE)

    def source(self, file_name: str) -> str:
        """Text of a file of the reference folder."""
        return read_text(self.reference / file_name)


def read_text(path: Path) -> str:
    """The text of a file of a course; raises InputError that names the file and the reason."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}.") from error
