"""Records of hand-ins. A hand-in connects a student, an assignment and the bytes of a file."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from grader.common.people import SortKey, sort_key


@dataclass(frozen=True, kw_only=True)
class Student:
    """A student who is to get a grade.

    `label` is unique in a batch and can be the name of a folder, under which reports are filed. `name` is the name that
    the platform shows. `key` is the platform's identifier of the student, with which grades are returned: Moodle's
    participant number, Canvas's user ID, or Gradescope's student ID. It is None without a platform.
    """

    label: str
    name: str
    key: str | None = None

    @property
    def order(self) -> SortKey:
        """Key by which students are sorted."""
        return sort_key(self.label)


@dataclass(frozen=True, kw_only=True)
class HandIn:
    """A file that counts, because it is the latest attempt of a student at an assignment.

    `where` shows people which file it was: its path below the path that the instructor gave, such as
    "moodle.zip/Ada_7_.../kernels.cl". Students who hand in together have the same `team`; it is empty for a student who
    works alone. `submitted` is the time, or None if it is unknown; without an offset, it is in the course's time zone.
    `late` is the platform's late mark.
    """

    student: Student
    assignment: str
    where: str
    data: bytes
    late: bool = False
    team: str = ""
    submitted: datetime | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Label and assignment, which together are unique in a batch."""
        return self.student.label, self.assignment

    @property
    def sha256(self) -> str:
        """Hash of the bytes. Equal hashes mean equal submissions."""
        return hashlib.sha256(self.data).hexdigest()


def strangers(handin: HandIn, same: tuple[HandIn, ...]) -> tuple[str, ...]:
    """Return the labels of students outside the team who have handed in the same file."""
    others = {each.student.label for each in same if not each.team or each.team != handin.team}
    return tuple(sorted(others - {handin.student.label}, key=sort_key))


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A student without a gradable hand-in for an assignment. This student is listed, but does not fail.

    `refused` is the reason why a hand-in cannot be graded. `left_out` is an instructor's decision to leave out the
    grade. Each is empty if it does not apply.
    """

    student: Student
    assignment: str
    refused: str = ""
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A remark about a file that is not graded, or not graded exactly as found. It consists of the place and the
    reason.
    """

    where: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Intake:
    """Everything that was found in the paths that an instructor gave.

    `shape` describes what they were, such as "a download from Moodle". `unplaced` lists files that may have been meant
    for grading but are not graded. `remarks` concern graded work, such as an older attempt that was ignored.
    """

    shape: str
    handins: tuple[HandIn, ...]
    absences: tuple[Absence, ...] = ()
    unplaced: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
