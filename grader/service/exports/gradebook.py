"""The course as the batch's gradebook: of each student the attempt that counts."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import select

from grader.batch.lateness import due_in_words
from grader.common.record import replace
from grader.course.catalogue import Course
from grader.course.suite import Coursework
from grader.reports import page
from grader.results.gradebook import Grade, Gradebook, StudentRow
from grader.results.result import Result
from grader.service.course.assignments import AssignmentCache
from grader.service.course.saved_assignments import memory_in
from grader.service.db.models import AttemptRow, GradingRow, PoolRow
from grader.service.db.session import Database
from grader.service.errors import RefusalError
from grader.service.exports.similarity import PoolKind
from grader.service.grades.course_rows import rows_of
from grader.service.grades.views import course_table

SHAPE = "the submission service"

UNREADABLE = "An assignment cannot be read, and points may depend on it, so no file was made. Fix it first:"

COMPARED = 64 * 1024
"""Bytes of a file that are compared with others: ten times a file of all five kernels."""


@dataclass(frozen=True, kw_only=True)
class Counting:
    """A row of the gradebook, and the numbers of the attempt and the grading that count."""

    row: StudentRow
    public: str
    attempt: int
    grading: int


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Stored data of a grading: the file, the whole result, the page for students, the whole page if it shows more, and
    the result that students may see; None if that was not stored.
    """

    data: bytes
    result: Result
    shown: Result | None
    page: bytes
    full_page: bytes | None


class Desk:
    """What a clerk works from: one assignment of the course, or all if it is empty. Raises RefusalError while any of
    the course's cannot be read: late days are counted over all, so points might be wrong without it.
    """

    def __init__(self, database: Database, course: Course, assignment: str) -> None:
        self._database = database
        self._cache = AssignmentCache(course, Path(), recall=memory_in(database))
        for problem in self._cache.problems():
            raise RefusalError(f"{UNREADABLE} {problem}")
        names = [assignment] if assignment else course.names()
        self.coursework: dict[str, Coursework] = {name: course.load(name) for name in names}

    @cached_property
    def counting(self) -> tuple[Counting, ...]:
        """What counts and is graded, by label and assignment."""
        return tuple(sorted(self._both[1], key=lambda each: (each.row.student.label, each.row.assignment)))

    @cached_property
    def rows(self) -> tuple[StudentRow, ...]:
        """Everybody at every assignment, without sources."""
        return tuple(sorted(self._both[0], key=lambda row: (row.student.label, row.assignment)))

    @cached_property
    def _both(self) -> tuple[list[StudentRow], list[Counting]]:
        rows: list[StudentRow] = []
        counting: list[Counting] = []
        with self._database.reading() as session:
            table = course_table(session, self._cache.all())
            for name in self.coursework:
                found = rows_of(session, table, name)
                rows += _with_strangers(found.rows, found.attempts)
                counting += _counting(found.rows, found.attempts)
        return rows, counting

    def gradebook(self) -> Gradebook:
        """Without sources."""
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
        """With the beginnings of all sources, as far as they are compared."""
        numbers = {(each.row.student.label, each.row.assignment): each.attempt for each in self.counting}
        return replace(book, rows=tuple(self._with_source(row, numbers) for row in book.rows))

    def _with_source(self, row: StudentRow, numbers: dict[tuple[str, str], int]) -> StudentRow:
        if row.grade is None or not row.grade.sha256:
            return row
        data = self._file(numbers[row.student.label, row.assignment])[:COMPARED]
        return replace(row, grade=replace(row.grade, source=data.decode("utf-8-sig", "replace")))

    def _file(self, attempt: int) -> bytes:
        with self._database.reading() as session:
            return session.scalars(select(AttemptRow.data).where(AttemptRow.id == attempt)).one()

    def pool(self, assignment: str, kind: PoolKind) -> list[tuple[str, str]]:
        """Names and texts of the sources of a kind that hand-ins are compared with."""
        wanted = select(PoolRow.name, PoolRow.data).where(PoolRow.assignment == assignment, PoolRow.kind == kind)
        with self._database.reading() as session:
            rows = session.execute(wanted.order_by(PoolRow.id)).all()
        return [(row.name, row.data.decode("utf-8-sig", "replace")) for row in rows]

    def stored(self) -> Iterator[tuple[Counting, Stored]]:
        """What is stored of everything that counts, one after the other."""
        for each in self.counting:
            yield each, self._stored(each)

    def _stored(self, each: Counting) -> Stored:
        pages = GradingRow.published_page, GradingRow.full_page
        columns = GradingRow.result, GradingRow.early_result, GradingRow.released, *pages
        with self._database.reading() as session:
            row = session.execute(select(*columns).where(GradingRow.id == each.grading)).one()
        result = Result.model_validate_json(row.result or "")
        early = None if row.early_result is None else zlib.decompress(row.early_result)
        if row.released:
            shown: Result | None = result
        else:
            shown = None if early is None else Result.model_validate_json(early)
        told = _counted(result, each.row.grade)
        seen = None if shown is None else _counted(shown, each.row.shown)
        return Stored(
            data=self._file(each.attempt),
            result=told,
            shown=seen,
            page=_page(row.published_page or b"", seen),
            full_page=None if row.full_page is None else _page(row.full_page, told),
        )


def _page(drawn: bytes, result: Result | None) -> bytes:
    """A page as its station has drawn it; with the points that count where they are others, if they can be told."""
    if result is None or (result.deduction is None and result.correction is None):
        return zlib.decompress(drawn)
    return page(result).text.encode()


def _counted(result: Result, grade: Grade | None) -> Result:
    """A result with the points that count: less what lateness costs, and as corrected. Points that are set are out of
    all points: results of earlier versions left those of hidden checks out.
    """
    if grade is None:
        return result
    is_set = grade.correction is not None and grade.correction.final
    return replace(
        result,
        points=grade.points,
        max_points=grade.max_points if is_set else result.max_points,
        deduction=grade.deduction,
        correction=grade.correction,
    )


def _counting(rows: tuple[StudentRow, ...], attempts: dict[str, AttemptRow]) -> Iterator[Counting]:
    for row in rows:
        attempt = attempts.get(row.student.label)
        if row.grade is not None and attempt is not None and attempt.counted_id is not None:
            yield Counting(row=row, public=attempt.public, attempt=attempt.id, grading=attempt.counted_id)


def _with_strangers(rows: tuple[StudentRow, ...], attempts: dict[str, AttemptRow]) -> Iterator[StudentRow]:
    """With those who have handed in the same bytes by an attempt of their own: who shares one is a group."""
    same: dict[str, list[str]] = {}
    for row in rows:
        if row.grade is not None and row.grade.sha256:
            same.setdefault(row.grade.sha256, []).append(row.student.label)
    for row in rows:
        label = row.student.label
        labels = [] if row.grade is None else same.get(row.grade.sha256, [])
        others = (each for each in labels if attempts[each].id != attempts[label].id)
        yield replace(row, same_as=tuple(sorted(others)))
