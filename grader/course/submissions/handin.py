"""What students have handed in, as records: who, for which assignment, and which bytes."""

import hashlib
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Student:
    """Somebody who is to get a grade.

    `label` is unique in a batch and can be the name of a folder; reports are filed under it. `name` is what the
    platform shows. `key` is the platform's own for this person, by which grades find back: Moodle's participant number,
    Canvas's user id, Gradescope's student id; None where there is no platform.
    """

    label: str
    name: str
    key: str | None = None


@dataclass(frozen=True, kw_only=True)
class HandIn:
    """A file that counts: the latest attempt of a student for an assignment.

    `where` tells people which file it was: its path below what was named, e.g. "moodle.zip/Ada_7_.../kernels.cl".
    `team` is the same for those who hand in together, and empty for who does so alone. `submitted` is when, None where
    nothing tells; without an offset, it is in the course's time zone. `late` is what the platform says.
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
        """Unique in a batch: label and assignment."""
        return self.student.label, self.assignment

    @property
    def sha256(self) -> str:
        """Hash of the bytes: two of the same are the same submission."""
        return hashlib.sha256(self.data).hexdigest()


def strangers(handin: HandIn, same: tuple[HandIn, ...]) -> tuple[str, ...]:
    """The labels of those who have handed in the same and are not in the same team."""
    others = {each.student.label for each in same if not each.team or each.team != handin.team}
    return tuple(sorted(others - {handin.student.label}))


@dataclass(frozen=True, kw_only=True)
class Absence:
    """A student of whom nothing can be graded for an assignment: listed, not failed.

    `refused` says why what was handed in cannot be graded, `left_out` by which decision of an instructor there is no
    grade; they are empty where there is nothing.
    """

    student: Student
    assignment: str
    refused: str = ""
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A line about something that was found and is not graded, or not as it was: where it is, and why."""

    where: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Intake:
    """Everything that was found in the path that an instructor named.

    `shape` says how it was read, e.g. "a download from Moodle". `unplaced` is what may have been meant to be
    graded and is not; `remarks` are about what is graded all the same (an older attempt left aside).
    """

    shape: str
    handins: tuple[HandIn, ...]
    absences: tuple[Absence, ...] = ()
    unplaced: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
