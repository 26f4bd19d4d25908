"""Records of hand-ins: the student, the assignment and the bytes."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from grader.common.people import SortKey, sort_key


@dataclass(frozen=True, kw_only=True)
class Student:
    """A student who is to get a grade.

    `label` is unique in a batch and can be the name of a folder; reports are filed under it. `name` is the name that
    the platform shows. `key` is the platform's identifier of the student, so that grades find their way back: Moodle's
    participant number, Canvas's user id, Gradescope's student id. It is None without a platform.
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
    """A file that counts: the latest attempt of a student for an assignment.

    `where` tells people which file it was: its path below the path that the instructor named, e.g.
    "moodle.zip/Ada_7_.../kernels.cl". Students who hand in together have the same `team`; it is empty for a student
    alone. `submitted` is the time, None if it is unknown; without an offset it is in the course's time zone. `late` is
    the platform's statement.
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
        """Hash of the bytes. Equal hashes mean the same submission."""
        return hashlib.sha256(self.data).hexdigest()


def strangers(handin: HandIn, same: tuple[HandIn, ...]) -> tuple[str, ...]:
    """Return the labels of students outside the team who have handed in the same file."""
    others = {each.student.label for each in same if not each.team or each.team != handin.team}
    return tuple(sorted(others - {handin.student.label}, key=sort_key))


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A student without a gradable hand-in for an assignment; listed, not failed.

    `refused` is the reason why a hand-in cannot be graded. `left_out` is the instructor's decision that leaves out the
    grade. Each is empty if it does not apply.
    """

    student: Student
    assignment: str
    refused: str = ""
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A line about a file that is not graded, or not graded exactly as found: its place and the reason."""

    where: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Intake:
    """Everything that was found in the path that an instructor named.

    `shape` is the way in which it was read, e.g. "a download from Moodle". `unplaced` lists files that may have been
    meant for grading and are not graded. `remarks` are about graded work, e.g. an older attempt that was left aside.
    """

    shape: str
    handins: tuple[HandIn, ...]
    absences: tuple[Absence, ...] = ()
    unplaced: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
