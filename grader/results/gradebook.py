"""Short records of the outcome of a batch, from which tables, gradebooks and the overview are made.

A result with its samples and findings takes about 50 KB. A row here takes 1 or 2 KB, so that a whole course fits in
memory. Every number in a row is also in the result from which the row was made.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal

from grader.course.rubric import Kind
from grader.course.submissions.handin import Remark, Student
from grader.protocol.messages import DeviceFacts
from grader.results.check import CheckLabels, CheckSummary
from grader.results.metrics import Performance
from grader.results.result import Correction, Deduction, Result
from grader.results.verdicts import Reason, Verdict


@dataclass(frozen=True, kw_only=True)
class Mark(CheckLabels):
    """Short form of a check. A course has many checks, and this form needs an eighth of their memory."""

    name: str
    part: str = ""
    kind: Kind
    verdict: Verdict
    points: float
    max_points: float
    reason: Reason | None
    message: str
    cause: str


@dataclass(frozen=True, kw_only=True)
class Speed:
    """Medians of a submission's measurements. `fraction_of_reference` is the fraction of the model solution's speed, if
    that is known, and `fraction_of_copy` the fraction of the copy bandwidth. `rate` is in `unit`. `on_gpu`
    is false in records of earlier versions.
    """

    unit: str
    rate: float
    fraction_of_reference: float | None
    speed_up_over_baseline: float
    fraction_of_copy: float
    on_gpu: bool = False


@dataclass(frozen=True, kw_only=True)
class Grade(CheckSummary[Mark]):
    """Short form of a result. `speeds` are listed by part, like the profiles of a result."""

    points: float
    max_points: float
    checks: tuple[Mark, ...]
    speeds: dict[str, Speed]
    sha256: str
    source: str
    seconds: float
    deduction: Deduction | None = None
    correction: Correction | None = None

    @property
    def is_by_hand(self) -> bool:
        """True if no file was graded, so that an instructor gave all points."""
        return not self.sha256

    @property
    def hidden_points(self) -> float:
        """Points that are decided after release. 0 if the instructor has set the points."""
        return 0.0 if self.correction is not None and self.correction.final else super().hidden_points

    def points_of(self, kind: Kind) -> tuple[float, float]:
        """Return the points of all checks of a kind, and their full points."""
        return _points(mark for mark in self.checks if mark.kind is kind)

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the kernels of a suite. Empty if there is only one kernel."""
        named = tuple(dict.fromkeys(mark.part for mark in self.checks))
        return () if "" in named else named

    def points_of_part(self, part: str) -> tuple[float, float]:
        """Return the points of all checks of a kernel of the suite, and their full points."""
        return _points(mark for mark in self.checks if mark.part == part)


def _points(marks: Iterable[Mark]) -> tuple[float, float]:
    """Return the sum of the earned points and the sum of the full points."""
    found = tuple(marks)
    return sum(mark.points for mark in found), sum(mark.max_points for mark in found)


LeftOut = Literal["excused", "excluded"]
"""An instructor's decision that gives a student no grade: the student is excused, or every attempt is excluded."""

Status = Literal["graded", "ungraded", "excused", "excluded", "absent"]


@dataclass(frozen=True, kw_only=True)
class StudentRow:
    """A student and an assignment with a grade, with the fault or refusal that prevented a grade, or with neither. If
    an instructor has left the student out, `left_out` states how, and `fault` gives the reason in words.

    `shown` is the part of the grade that the student sees, which is smaller if checks are hidden. `same_as` lists the
    labels of students in other teams who handed in the same bytes, which were graded once for all of them.
    """

    student: Student
    assignment: str
    where: str = ""
    late: bool = False
    grade: Grade | None = None
    shown: Grade | None = None
    fault: str = ""
    left_out: LeftOut | None = None
    same_as: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """Status of the row: graded, or the reason why there is no grade."""
        if self.grade is not None:
            return "graded"
        if self.left_out is not None:
            return self.left_out
        return "ungraded" if self.fault else "absent"

    @property
    def hidden_points(self) -> float:
        """Points of the checks whose outcome the student does not see.

        In old stored results of the service, these points are not part of the total. For these, the difference between
        the two totals is returned.
        """
        if self.grade is None or self.shown is None:
            return 0.0
        return self.shown.hidden_points or self.grade.max_points - self.shown.max_points


@dataclass(frozen=True, kw_only=True)
class Gradebook:
    """A batch, with a row for every student and assignment, sorted by label, and remarks about files that could not be
    placed.

    `assignments` lists names in the requested order. `titles`, `maxima` (points), `skeletons` (the source with which
    students start) and `parts` (the kernels of suites) are mappings by name. `shape` is the kind of download or folder
    that contained the submissions. `deadlines` states the dates by which lateness is decided, if the course has any.
    """

    shape: str
    assignments: tuple[str, ...]
    titles: dict[str, str]
    maxima: dict[str, float]
    skeletons: dict[str, str]
    parts: dict[str, tuple[str, ...]]
    rows: tuple[StudentRow, ...]
    unplaced: tuple[Remark, ...] = ()
    deadlines: tuple[str, ...] = ()

    def of(self, assignment: str) -> tuple[StudentRow, ...]:
        """Return the rows of one assignment."""
        return tuple(row for row in self.rows if row.assignment == assignment)


def for_students(book: Gradebook) -> Gradebook:
    """Return the gradebook with the shown part of each grade, relative to the full points.

    Hidden checks have not earned anything yet, regardless of their outcome.
    """
    return replace(book, rows=tuple(map(_for_student, book.rows)))


def _for_student(row: StudentRow) -> StudentRow:
    if row.grade is None or row.shown is None:
        return row
    return replace(row, grade=replace(row.shown, max_points=row.grade.max_points))


def totals(book: Gradebook) -> tuple[StudentRow, ...]:
    """Return a row for every student with the sum of all assignments, for platforms that know only one assignment.

    An assignment without a hand-in, or with only excluded attempts, counts as zero points. An assignment from which a
    student is excused does not count. A student with a file that has not been graded yet has no grade yet.
    """
    by_student: dict[str, list[StudentRow]] = {}
    for row in book.rows:
        by_student.setdefault(row.student.label, []).append(row)
    return tuple(_total(rows, book.maxima) for rows in by_student.values())


def _total(rows: list[StudentRow], maxima: dict[str, float]) -> StudentRow:
    first = rows[0]
    grades = {row.assignment: row.grade for row in rows if row.grade is not None}
    if not grades or any(row.status == "ungraded" for row in rows):
        fault = " ".join(row.fault for row in rows if row.fault)
        left_out = first.left_out if len({row.status for row in rows}) == 1 else None
        return replace(first, grade=None, shown=None, fault=fault, left_out=left_out)
    missed = sum(maxima[row.assignment] for row in rows if row.status in {"absent", "excluded"})
    shown = {row.assignment: row.shown for row in rows if row.shown is not None}
    late = any(row.late for row in rows)
    whole, seen = _sum(grades, missed), _sum(shown, missed) if shown else None
    return replace(first, grade=whole, shown=seen, late=late, fault="", left_out=None)


def _sum(grades: dict[str, Grade], missed: float) -> Grade:
    """Combine the grades of several assignments into one. `missed` is the full points of the assignments that count as
    zero.
    """
    return Grade(
        points=sum(grade.points for grade in grades.values()),
        max_points=sum(grade.max_points for grade in grades.values()) + missed,
        checks=tuple(
            replace(mark, name=f"{name}: {mark.name}", message=f"{name}: {mark.message}" if mark.message else "")
            for name, grade in grades.items()
            for mark in grade.checks
        ),
        speeds={},
        sha256="",
        source="",
        seconds=sum(grade.seconds for grade in grades.values()),
        deduction=_deductions(grades),
        correction=_corrections({name: grade.correction for name, grade in grades.items() if grade.correction}),
    )


def _deductions(grades: dict[str, Grade]) -> Deduction | None:
    """Combine the deductions of several assignments into one."""
    found = {name: grade.deduction for name, grade in grades.items() if grade.deduction is not None}
    if not found:
        return None
    lost = sum(each.points for each in found.values())
    corrected = sum(grade.correction.points for grade in grades.values() if grade.correction is not None)
    return Deduction(
        before=sum(grade.points for grade in grades.values()) - corrected - lost,
        points=lost,
        why="; ".join(f"{name} {each.points:+g}: {each.why}" for name, each in found.items()),
    )


def _corrections(corrections: dict[str, Correction]) -> Correction | None:
    """Combine the corrections of several assignments into one."""
    if not corrections:
        return None
    comments = (f"{name} {each.points:+g}: {each.comment}".removesuffix(": ") for name, each in corrections.items())
    return Correction(points=sum(each.points for each in corrections.values()), comment="; ".join(comments))


def grade_of(result: Result) -> Grade:
    """Return the short form of a result."""
    kept = [field.name for field in fields(Mark)]
    marks = tuple(Mark(**{name: getattr(check, name) for name in kept}) for check in result.checks)
    return Grade(
        points=result.points,
        max_points=result.max_points,
        checks=marks,
        speeds={
            check.part: _speed(check.performance, result.provenance.device)
            for check in result.checks
            if check.performance is not None
        },
        sha256=result.provenance.submission_sha256,
        source=result.source,
        seconds=result.seconds,
        deduction=result.deduction,
        correction=result.correction,
    )


def _speed(timed: Performance, device: DeviceFacts) -> Speed:
    return Speed(
        unit=timed.unit,
        rate=timed.rate.median,
        fraction_of_reference=None if timed.fraction_of_reference is None else timed.fraction_of_reference.median,
        speed_up_over_baseline=timed.speed_up_over_baseline.median,
        fraction_of_copy=timed.fraction_of_copy,
        on_gpu=device.type == "gpu",
    )
