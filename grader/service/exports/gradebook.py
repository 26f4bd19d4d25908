"""Reads the course as a gradebook in the form that a batch uses, with the attempt that counts for each student."""

import dataclasses
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.batch.lateness import due_in_words
from grader.common.people import sort_key
from grader.common.record import replace
from grader.course.catalogue import Course
from grader.course.suite import Coursework
from grader.reports import page
from grader.results.gradebook import Grade, Gradebook, StudentRow
from grader.results.result import Result
from grader.service.course.assignment_view import memory_in
from grader.service.course.assignments import AssignmentCache
from grader.service.db.session import Database
from grader.service.db.tables.assignments import PoolRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.errors import RefusedError
from grader.service.exports.course_rows import AssignmentRows, rows_of
from grader.service.exports.similarity import PoolKind
from grader.service.grades.overview import course_table
from grader.service.grades.publication import held_assignments

SHAPE = "the submission service"

UNREADABLE = "An assignment cannot be read, and points may depend on it, so no file was made. Fix it first:"

COMPARED_BYTES = 64 * 1024
"""Number of bytes of a file that are compared with other files. This is ten times the size of a file with all five
kernels.
"""


@dataclass(frozen=True, kw_only=True)
class GradedRow:
    """A row of the gradebook, with the numbers of the attempt and the grading that count."""

    row: StudentRow
    public: str
    attempt: int
    grading: int


@dataclass(frozen=True, kw_only=True)
class StoredResult:
    """Everything that is stored for one grading. `data` is the submitted file. Students may see `shown`, which is their
    part of `result`, and `page`. `full_page` is set only if it shows more than `page`.
    """

    data: bytes
    result: Result
    shown: Result
    page: bytes
    full_page: bytes | None


class GradebookReader:
    """Reads the gradebook and stored results of one assignment, or of all assignments if `assignment` is empty. Raises
    RefusedError if any assignment of the course cannot be read, because late days are counted over all assignments and
    the points might be wrong without it.
    """

    def __init__(self, database: Database, course: Course, assignment: str) -> None:
        self._database = database
        self._cache = AssignmentCache(course, Path(), recall=memory_in(database))
        for problem in self._cache.problems():
            raise RefusedError(f"{UNREADABLE} {problem}")
        names = [assignment] if assignment else course.names()
        self.coursework: dict[str, Coursework] = {name: course.load(name) for name in names}

    @cached_property
    def graded(self) -> tuple[GradedRow, ...]:
        """Rows with a grade, sorted by label and assignment."""
        return tuple(sorted(self._rows_and_graded[1], key=lambda each: (each.row.student.order, each.row.assignment)))

    @cached_property
    def rows(self) -> tuple[StudentRow, ...]:
        """Rows of all students and assignments, without sources, sorted by label and assignment."""
        return tuple(sorted(self._rows_and_graded[0], key=lambda row: (row.student.order, row.assignment)))

    @cached_property
    def held_back(self) -> frozenset[str]:
        """Names of the assignments whose results are held back from students."""
        with self._database.reading() as session:
            return held_assignments(session) & frozenset(self.coursework)

    @cached_property
    def _rows_and_graded(self) -> tuple[list[StudentRow], list[GradedRow]]:
        rows: list[StudentRow] = []
        graded: list[GradedRow] = []
        with self._database.reading() as session:
            table = course_table(session, self._cache.all())
            for name in self.coursework:
                found = rows_of(session, table, name)
                rows += _with_duplicates(found)
                graded += _graded_rows(found.rows, found.attempts)
        return rows, graded

    def gradebook(self) -> Gradebook:
        """The gradebook without sources."""
        return Gradebook(
            shape=SHAPE,
            assignments=tuple(self.coursework),
            titles={name: each.title for name, each in self.coursework.items()},
            maxima={name: each.points for name, each in self.coursework.items()},
            skeletons={name: each.skeleton for name, each in self.coursework.items()},
            parts={name: tuple(part.part for part in each.parts) for name, each in self.coursework.items()},
            rows=self.rows,
            deadlines=tuple(f"{name}: {due}." for name, each in self.coursework.items() if (due := due_in_words(each))),
        )

    def with_sources(self, book: Gradebook) -> Gradebook:
        """The gradebook with the first COMPARED_BYTES of each source."""
        numbers = {(each.row.student.label, each.row.assignment): each.attempt for each in self.graded}
        with self._database.reading() as session:
            return dataclasses.replace(book, rows=tuple(_with_source(session, row, numbers) for row in book.rows))

    def pool(self, assignment: str, kind: PoolKind) -> list[tuple[str, str]]:
        """Names and texts of the pool's sources of this kind, with which hand-ins are compared."""
        wanted = select(PoolRow.name, PoolRow.data).where(PoolRow.assignment == assignment, PoolRow.kind == kind)
        with self._database.reading() as session:
            rows = session.execute(wanted.order_by(PoolRow.id)).all()
        return [(row.name, row.data.decode("utf-8-sig", "replace")) for row in rows]

    def results(self) -> Iterator[tuple[GradedRow, StoredResult]]:
        """Rows with a grade and their stored results, which are read one at a time."""
        for each in self.graded:
            yield each, self._stored(each)

    def _stored(self, each: GradedRow) -> StoredResult:
        pages = GradingRow.published_page, GradingRow.full_page
        columns = GradingRow.result, GradingRow.early_result, GradingRow.released, *pages
        with self._database.reading() as session:
            row = session.execute(select(*columns).where(GradingRow.id == each.grading)).one()
            data = _file(session, each.attempt)
        result = Result.model_validate_json(row.result)
        early = result if row.released else Result.model_validate_json(zlib.decompress(row.early_result))
        whole, shown = _with_final_points(result, each.row.grade), _with_final_points(early, each.row.shown)
        return StoredResult(
            data=data,
            result=whole,
            shown=shown,
            page=_page(row.published_page, shown),
            full_page=None if row.full_page is None else _page(row.full_page, whole),
        )


def _with_source(session: Session, row: StudentRow, attempts: dict[tuple[str, str], int]) -> StudentRow:
    if row.grade is None or not row.grade.sha256:
        return row
    data = _file(session, attempts[row.student.label, row.assignment])[:COMPARED_BYTES]
    return dataclasses.replace(row, grade=dataclasses.replace(row.grade, source=data.decode("utf-8-sig", "replace")))


def _file(session: Session, attempt: int) -> bytes:
    return session.scalars(select(AttemptRow.data).where(AttemptRow.id == attempt)).one()


def _page(drawn: bytes, result: Result) -> bytes:
    """The page that the station rendered. It is rendered again if a deduction or a correction changes the points."""
    if result.deduction is None and result.correction is None:
        return zlib.decompress(drawn)
    return page(result).text.encode()


def _with_final_points(result: Result, grade: Grade | None) -> Result:
    """A result with the points that count, after the deduction for lateness and corrections."""
    if grade is None:
        return result
    return replace(result, points=grade.points, deduction=grade.deduction, correction=grade.correction)


def _graded_rows(rows: tuple[StudentRow, ...], attempts: dict[str, AttemptRow]) -> Iterator[GradedRow]:
    for row in rows:
        attempt = attempts.get(row.student.label)
        if row.grade is not None and attempt is not None and attempt.counted_id is not None:
            yield GradedRow(row=row, public=attempt.public, attempt=attempt.id, grading=attempt.counted_id)


def _with_duplicates(found: AssignmentRows) -> Iterator[StudentRow]:
    """Rows with the labels of other students who handed in the same bytes. Members of the same group, who share an
    attempt or hand in together, are not listed.
    """
    same: dict[str, list[str]] = {}
    for row in found.rows:
        if row.grade is not None and row.grade.sha256:
            same.setdefault(row.grade.sha256, []).append(row.student.label)
    for labels in same.values():
        labels.sort(key=sort_key)
    for row in found.rows:
        labels = [] if row.grade is None else same.get(row.grade.sha256, [])
        others = (each for each in labels if not _is_one_group(found, row.student.label, each))
        yield dataclasses.replace(row, same_as=tuple(others))


def _is_one_group(found: AssignmentRows, one: str, other: str) -> bool:
    team = found.teams.get(one)
    return found.attempts[one].id == found.attempts[other].id or (team is not None and found.teams.get(other) == team)
