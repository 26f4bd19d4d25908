"""Functions that write each export file. They use the functions of a batch.

The zip archive of all results that count has the layout of a results folder of `grader batch`:

index.html  grades.csv  grades.xlsx  batch.xml
sources/LABEL/ASSIGNMENT.cl
students/LABEL/ASSIGNMENT.html (and the other formats of a batch)       the report as students see it
instructor/LABEL/ASSIGNMENT.html                                        the whole report, if students see less
"""

import io
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from grader.batch.publishing import BESIDE
from grader.common.people import person_key, person_name
from grader.common.phrases import listed
from grader.course.submissions.handin import Absence, Remark, Student
from grader.lms.exports.grades import grades_csv
from grader.lms.exports.sheet import read_sheet
from grader.lms.intake.owners import Owner
from grader.lms.platforms import LearningPlatform, Upload
from grader.reports import overview_page
from grader.reports.junit import render_batch
from grader.results.gradebook import Gradebook, StudentRow, for_students
from grader.results.result import Result, Ungraded
from grader.service.errors import RefusedError
from grader.service.exports.gradebook import GradebookReader, GradedRow, StoredResult
from grader.service.exports.jobs import FILLED, ExportKind
from grader.service.exports.similarity_search import similar
from grader.service.exports.xlsx import write_workbook

ExportWriter = Callable[[GradebookReader, bytes, IO[bytes]], object]
"""Function that writes a file from the gradebook and the bytes that an instructor uploaded."""

HELD_BACK = "left out because its results are held back. Publish them, and make this file again."
NOTHING_PUBLISHED = "All results are held back, so students see no points. Publish them first."

NOT_RELEASED = "its grades do not include hidden checks, which count as zero until you release them."


def write_archive(reader: GradebookReader, junit: str, out: IO[bytes]) -> None:
    """Write the archive. Results are read one at a time to limit memory."""
    book = reader.gradebook()
    links: dict[tuple[str, str], str] = {}
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("grades.csv", grades_csv(book))
        archive.writestr("batch.xml", junit)
        workbook = io.BytesIO()
        write_workbook(book, workbook)
        archive.writestr("grades.xlsx", workbook.getvalue())
        for each, stored in reader.results():
            links[each.row.student.label, each.row.assignment] = _write_one(archive, each, stored)
        archive.writestr("index.html", overview_page(reader.with_sources(book), links).text)


def _write_one(archive: ZipFile, each: GradedRow, stored: StoredResult) -> str:
    """Write the files of one attempt, and return the path of its most complete page."""
    place = f"{each.row.student.label}/{each.row.assignment}"
    archive.writestr(f"sources/{place}.cl", stored.data)
    archive.writestr(f"students/{place}.html", stored.page)
    for ending, render in BESIDE.items():
        archive.writestr(f"students/{place}.{ending}", render(stored.shown))
    if stored.full_page is None:
        return f"students/{place}.html"
    archive.writestr(f"instructor/{place}.html", stored.full_page)
    return f"instructor/{place}.html"


def _overview(reader: GradebookReader, _given: bytes, out: IO[bytes]) -> None:
    links = {(each.row.student.label, each.row.assignment): f"../attempts/{each.public}" for each in reader.graded}
    out.write(overview_page(reader.with_sources(reader.gradebook()), links).text.encode())


def suites(reader: GradebookReader) -> Iterator[tuple[str, Result | Ungraded | Absence]]:
    """Pairs of label and outcome for all students. Results come first, and are read one at a time."""
    for each, stored in reader.results():
        yield each.row.student.label, stored.result
    for row in reader.rows:
        if row.grade is None:
            yield row.student.label, _without_grade(row)


def _without_grade(row: StudentRow) -> Ungraded | Absence:
    if row.status == "ungraded":
        return Ungraded(assignment=row.assignment, submission=row.where, fault=row.fault)
    return Absence(student=row.student, assignment=row.assignment, left_out=row.fault)


def _filled(platform: LearningPlatform, reader: GradebookReader, given: bytes, out: IO[bytes]) -> None:
    """Write a zip archive with the filled copy, remarks and, if the platform can import them, the pages as feedback."""
    assert platform.grades is not None
    upload = platform.grades.export().from_page(read_sheet(f"the {platform.grades.kind}", given))
    owners = upload.roster()
    students = _platform_students(reader, owners)
    remarks = (*_left_out(reader), *_by_name(reader, students, owners))
    book = _published(reader)
    book = replace(book, rows=tuple(replace(row, student=students[row.student.label]) for row in book.rows))
    with tempfile.TemporaryDirectory() as folder, ZipFile(out, "w", ZIP_DEFLATED) as archive:
        if platform.feedback is None:
            _write_upload(archive, upload, book, remarks)
            return
        path = Path(folder) / platform.feedback.name
        remarks = (*remarks, *platform.feedback.write(path, _pages(reader, students)))
        _write_upload(archive, upload, book, remarks)
        archive.write(path, path.name)


def _published(reader: GradebookReader) -> Gradebook:
    """The gradebook without assignments whose results are held back. Raises RefusedError if none is left."""
    book = reader.gradebook()
    names = tuple(name for name in book.assignments if name not in reader.held_back)
    if not names:
        raise RefusedError(NOTHING_PUBLISHED)
    return replace(book, assignments=names, rows=tuple(row for row in book.rows if row.assignment in names))


def _left_out(reader: GradebookReader) -> Iterator[Remark]:
    return (Remark(where=name, why=HELD_BACK) for name in sorted(reader.held_back))


def _pages(reader: GradebookReader, students: Mapping[str, Student]) -> Iterator[tuple[Student, str, bytes]]:
    for each, stored in reader.results():
        if each.row.assignment in reader.held_back:
            continue
        yield students[each.row.student.label], f"{each.row.assignment}.html", stored.page


def _write_upload(archive: ZipFile, upload: Upload, book: Gradebook, remarks: tuple[Remark, ...]) -> None:
    """Write the file to upload, and remarks to read first. The file does not reveal hidden checks because students see
    it.
    """
    filled = upload.fill(for_students(book))
    hidden = [f"{upload.name}: {NOT_RELEASED}"] if any(row.hidden_points for row in book.rows) else []
    lines = [f"{filled.grades} grades are in {upload.name}.", *hidden]
    lines += [f"{each.where}: {each.why}" for each in (*filled.remarks, *remarks)]
    archive.writestr(upload.name, filled.data)
    archive.writestr("remarks.txt", "\n".join(lines) + "\n")


def _platform_students(reader: GradebookReader, owners: tuple[Owner, ...]) -> dict[str, Student]:
    """All students by label, each with the key that they have on the platform. A student is matched by the first of
    these rules that applies: by key and name; by key, if it is a mail address in exactly one row of the platform; by a
    name that is unique on both sides; by key, if no other student has the name that the platform shows for this key. A
    student without a match, or whose key another student would share, gets no key, so that no student gets the grade of
    another. A mail address in several rows stays the key, which the upload then refuses.
    """
    students = {row.student.label: row.student for row in reader.rows}
    named = {person_key(owner.key): person_name(owner.name) for owner in owners if owner.key is not None}
    theirs = _once([(person_name(each.name), each.key) for each in owners])
    ours = _once([(person_name(each.name), each.label) for each in students.values()])
    mails = _by_mail(owners)

    def key_of(student: Student) -> str | None:
        there, name = named.get(person_key(student.key or "")), person_name(student.name)
        if there == name:
            return student.key
        if found := mails.get(person_key(student.key or "")):
            return found[0] if len(found) == 1 else student.key
        if name in ours and theirs.get(name) is not None:
            return theirs[name]
        return student.key if there is not None and there not in ours else None

    keys = {label: key_of(each) for label, each in students.items()}
    shared = Counter(person_key(key) for key in keys.values() if key is not None)
    return {
        label: replace(each, key=key if key is not None and shared[person_key(key)] == 1 else None)
        for (label, each), key in zip(students.items(), keys.values(), strict=True)
    }


def _by_mail(owners: tuple[Owner, ...]) -> dict[str, list[str]]:
    """The platform's keys of people with a mail address, by address."""
    found: dict[str, list[str]] = {}
    for each in owners:
        if each.mail and each.key is not None:
            found.setdefault(person_key(each.mail), []).append(each.key)
    return found


def _by_name(reader: GradebookReader, students: Mapping[str, Student], owners: tuple[Owner, ...]) -> Iterator[Remark]:
    """A remark that lists students who were matched only by name, because people may change their names on
    a platform.
    """
    kept = {row.student.label: person_key(row.student.key or "") for row in reader.rows}
    mails = _by_mail(owners)
    found = [
        label
        for label, each in students.items()
        if each.key is not None and person_key(each.key) != kept[label] and kept[label] not in mails
    ]
    if found:
        yield Remark(where="matched by name alone because the keys differ", why=f"{listed(found, 'and')}.")


def _once(pairs: list[tuple[str, str | None]]) -> dict[str, str | None]:
    """Values of the names that occur exactly once."""
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) == 1}


def _similar(reader: GradebookReader, _given: bytes, out: IO[bytes]) -> None:
    (assignment,) = reader.coursework
    out.write(similar(reader, assignment).model_dump_json().encode())


WRITERS: Mapping[str, ExportWriter] = {
    ExportKind.OVERVIEW: _overview,
    ExportKind.SIMILAR: _similar,
    ExportKind.GRADES: lambda reader, _, out: out.write(grades_csv(reader.gradebook()).encode()),
    ExportKind.WORKBOOK: lambda reader, _, out: write_workbook(reader.gradebook(), out),
    ExportKind.JUNIT: lambda reader, _, out: out.write(render_batch(suites(reader)).encode()),
    ExportKind.ARCHIVE: lambda reader, _, out: write_archive(reader, render_batch(suites(reader)), out),
    **{kind: partial(_filled, platform) for kind, platform in FILLED.items()},
}
