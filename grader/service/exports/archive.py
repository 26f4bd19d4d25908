"""The zip of everything that counts, laid out as `grader batch` lays out a folder of results, with the sources.

index.html  grades.csv  grades.xlsx  batch.xml
sources/LABEL/ASSIGNMENT.cl
students/LABEL/ASSIGNMENT.html (and .xml, .gradescope.json, .json)      as students see it
instructor/LABEL/ASSIGNMENT.html                                        the whole page, where students are shown less
left-out.txt                     files for students that could not be made, since the student's view is not stored
"""

import io
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from grader.lms.exports.grades import grades_csv
from grader.lms.exports.gradescope import gradescope_results
from grader.reports import REPORTS, Report, overview_page
from grader.service.exports.gradebook import Counting, Desk, Stored
from grader.service.exports.xlsx import write_workbook

WRITTEN: dict[str, Report] = {
    "xml": REPORTS["junit"],
    "gradescope.json": gradescope_results,
    "json": REPORTS["json"],
}
"""What is made of each result beside its page, by endings."""


def write_archive(desk: Desk, junit: str, out: IO[bytes]) -> None:
    """Write it; results are read one after the other."""
    book, left_out = desk.gradebook(), list[str]()
    links: dict[tuple[str, str], str] = {}
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("grades.csv", grades_csv(book))
        archive.writestr("batch.xml", junit)
        workbook = io.BytesIO()
        write_workbook(book, workbook)
        archive.writestr("grades.xlsx", workbook.getvalue())
        for each, stored in desk.stored():
            links[each.row.student.label, each.row.assignment] = _write_one(archive, each, stored)
            if stored.shown is None:
                left_out.append(f"{each.row.student.label}/{each.row.assignment}: {', '.join(WRITTEN)}\n")
        archive.writestr("index.html", overview_page(desk.with_sources(book), links).text)
        if left_out:
            archive.writestr("left-out.txt", "".join(left_out))


def _write_one(archive: ZipFile, each: Counting, stored: Stored) -> str:
    """The files of one attempt; the path of the page that tells most."""
    place = f"{each.row.student.label}/{each.row.assignment}"
    archive.writestr(f"sources/{place}.cl", stored.data)
    archive.writestr(f"students/{place}.html", stored.page)
    if stored.shown is not None:
        for ending, render in WRITTEN.items():
            archive.writestr(f"students/{place}.{ending}", render(stored.shown))
    if stored.full_page is None:
        return f"students/{place}.html"
    archive.writestr(f"instructor/{place}.html", stored.full_page)
    return f"instructor/{place}.html"
