"""Each file that a clerk makes, from the batch's own functions."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from grader.batch.lms_files import FEEDBACK, CanvasGradebook, MoodleWorksheet, Upload
from grader.common.people import person_key, person_name
from grader.common.phrases import listed
from grader.common.record import replace
from grader.course.submissions.handin import Absence, Remark, Student
from grader.lms.exports.feedback_zip import feedback_zip
from grader.lms.exports.grades import grades_csv
from grader.lms.exports.moodle import Remedies
from grader.lms.exports.sheet import read_sheet
from grader.lms.intake.owners import Owner
from grader.reports import overview_page
from grader.reports.junit import render_batch
from grader.results.gradebook import Gradebook, StudentRow, for_students
from grader.results.result import Result, Ungraded
from grader.service.exports.archive import write_archive
from grader.service.exports.gradebook import Desk
from grader.service.exports.jobs import Paper
from grader.service.exports.similarity_search import similar
from grader.service.exports.xlsx import write_workbook

Write = Callable[[Desk, bytes, IO[bytes]], None]
"""Makes a file from the desk and what an instructor has sent."""

IN_ENGLISH = "Set Moodle to English, and download the worksheet again."
"""For a worksheet whose headings are in a language that is not known: a page has no field to name columns in."""

RENAMED = "give the right one this name in Canvas, and export the gradebook again"
"""For a gradebook in which no column has the assignment's name."""

NOT_RELEASED = "its grades leave out hidden checks, which count as zero until you release them."


def _overview(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    links = {(each.row.student.label, each.row.assignment): f"../attempts/{each.public}" for each in desk.counting}
    out.write(overview_page(desk.with_sources(desk.gradebook()), links).text.encode())


def _grades(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    out.write(grades_csv(desk.gradebook()).encode())


def _workbook(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    write_workbook(desk.gradebook(), out)


def _junit(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    out.write(render_batch(suites(desk)).encode())


def suites(desk: Desk) -> Iterator[tuple[str, Result | Ungraded | Absence]]:
    """The outcome of everybody: results first, one after the other."""
    for each, stored in desk.stored():
        yield each.row.student.label, stored.result
    for row in desk.rows:
        if row.grade is None:
            yield row.student.label, _without_grade(row)


def _without_grade(row: StudentRow) -> Ungraded | Absence:
    if row.fault:
        return Ungraded(assignment=row.assignment, submission=row.where, fault=row.fault)
    return Absence(student=row.student, assignment=row.assignment)


def _archive(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    write_archive(desk, render_batch(suites(desk)), out)


def _moodle(desk: Desk, given: bytes, out: IO[bytes]) -> None:
    worksheet = MoodleWorksheet(
        sheet=read_sheet("the worksheet", given), remedies=Remedies(grade=IN_ENGLISH, feedback=IN_ENGLISH)
    )
    students = _platform_students(desk, worksheet.roster())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FEEDBACK
        remarks = feedback_zip(path, _pages(desk, students))
        remarks = (*_by_name(desk, students), *remarks)
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            _write_upload(archive, worksheet, _as_platform(desk.gradebook(), students), remarks)
            archive.write(path, FEEDBACK)


def _pages(desk: Desk, students: Mapping[str, Student]) -> Iterator[tuple[Student, str, bytes]]:
    for each, stored in desk.stored():
        yield students[each.row.student.label], f"{each.row.assignment}.html", stored.page


def _canvas(desk: Desk, given: bytes, out: IO[bytes]) -> None:
    gradebook = CanvasGradebook(sheet=read_sheet("the gradebook", given), remedy=RENAMED)
    students = _platform_students(desk, gradebook.roster())
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        remarks = tuple(_by_name(desk, students))
        _write_upload(archive, gradebook, _as_platform(desk.gradebook(), students), remarks)


def _write_upload(archive: ZipFile, upload: Upload, book: Gradebook, remarks: tuple[Remark, ...]) -> None:
    """The file to upload, and what to know before. Students see it: it tells nothing of hidden checks."""
    filled = upload.fill(for_students(book))
    hidden = [f"{upload.name}: {NOT_RELEASED}"] if any(row.hidden_points for row in book.rows) else []
    lines = [f"{filled.grades} grades are in {upload.name}.", *hidden]
    lines += [f"{each.where}: {each.why}" for each in (*filled.remarks, *remarks)]
    archive.writestr(upload.name, filled.data)
    archive.writestr("remarks.txt", "\n".join(lines) + "\n")


def _platform_students(desk: Desk, owners: tuple[Owner, ...]) -> dict[str, Student]:
    """Everybody by label, with the platform's key: that of the same key and name, else of the only one of that name on
    both sides, else of the same key where nobody else here has that name. Whoever is not found, or would share a key,
    has none, so that nobody gets another's grade.
    """
    students = {row.student.label: row.student for row in desk.rows}
    named = {person_key(owner.key): person_name(owner.name) for owner in owners if owner.key is not None}
    theirs = _once([(person_name(each.name), each.key) for each in owners])
    ours = _once([(person_name(each.name), each.label) for each in students.values()])

    def key_of(student: Student) -> str | None:
        there, name = named.get(person_key(student.key or "")), person_name(student.name)
        if there == name:
            return student.key
        if name in ours and theirs.get(name) is not None:
            return theirs[name]
        return student.key if there is not None and there not in ours else None

    keys = {label: key_of(each) for label, each in students.items()}
    shared = Counter(person_key(key) for key in keys.values() if key is not None)
    return {
        label: replace(each, key=key if key is not None and shared[person_key(key)] == 1 else None)
        for (label, each), key in zip(students.items(), keys.values(), strict=True)
    }


def _by_name(desk: Desk, students: Mapping[str, Student]) -> Iterator[Remark]:
    """Who was found by their names alone: people may be able to change these on a platform."""
    kept = {row.student.label: row.student.key for row in desk.rows}
    found = [
        label
        for label, each in students.items()
        if each.key is not None and person_key(each.key) != person_key(kept[label] or "")
    ]
    if found:
        yield Remark(where="found by name alone, since the keys differ", why=f"{listed(found, 'and')}.")


def _once(pairs: list[tuple[str, str | None]]) -> dict[str, str | None]:
    """Values by names that stand there once."""
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) == 1}


def _as_platform(book: Gradebook, students: Mapping[str, Student]) -> Gradebook:
    return replace(book, rows=tuple(replace(row, student=students[row.student.label]) for row in book.rows))


def _similar(desk: Desk, _given: bytes, out: IO[bytes]) -> None:
    (assignment,) = desk.coursework
    out.write(similar(desk, assignment).model_dump_json().encode())


PAPERS: Mapping[Paper, Write] = {
    Paper.OVERVIEW: _overview,
    Paper.SIMILAR: _similar,
    Paper.GRADES: _grades,
    Paper.WORKBOOK: _workbook,
    Paper.JUNIT: _junit,
    Paper.ARCHIVE: _archive,
    Paper.MOODLE: _moodle,
    Paper.CANVAS: _canvas,
}
