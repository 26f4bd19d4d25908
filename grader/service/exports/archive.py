"""The zip archive of all results that count, with the sources. It has the layout of a results folder of `grader batch`.

index.html  grades.csv  grades.xlsx  batch.xml
sources/LABEL/ASSIGNMENT.cl
students/LABEL/ASSIGNMENT.html (and the other formats of a batch)       the report as students see it
instructor/LABEL/ASSIGNMENT.html                                        the whole report, if students see less
"""

import io
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from grader.batch.publishing import BESIDE
from grader.lms.exports.grades import grades_csv
from grader.reports import overview_page
from grader.service.exports.gradebook import GradebookReader, GradedRow, StoredResult
from grader.service.exports.xlsx import write_workbook


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
