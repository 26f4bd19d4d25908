"""Files that instructors take away, which a clerk makes."""

from collections.abc import Iterator
from typing import IO

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.errors import NotFoundError, RefusalError
from grader.service.exports.jobs import Paper, PaperOrder, made
from grader.service.submissions.versions import count_older
from grader.service.web.auth import Instructor, StaffForm, Teacher, file_in, text_in
from grader.service.web.middleware import REPORT_POLICY
from grader.service.web.pages import page
from grader.service.web.responses import saved_as
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")

CHUNK = 64 * 1024
"""Bytes that are sent at once."""

WORDS = {
    Paper.ARCHIVE: "everything that counts: sources, reports, and all files of this list",
    Paper.WORKBOOK: "the grades as a workbook, for Excel and LibreOffice",
    Paper.GRADES: "a line for each student and assignment, with points by kind of check and speeds",
    Paper.JUNIT: "every check, as JUnit",
}
"""What can be asked for by a click, and what it is."""

FILLED = {Paper.MOODLE: "Moodle's grading worksheet", Paper.CANVAS: "Canvas's gradebook"}
"""What is made from a file of a platform, which is sent along."""

TYPES = {"csv": "text/csv; charset=utf-8", "xml": "application/xml", "zip": "application/zip"}


@router.get("/exports")
def exports(request: Request, member: Instructor) -> Response:
    """What can be taken away."""
    web = state_of(request)
    with web.database.reading() as session:
        older = count_older(session, web.cache.all())
    names = [each.name for each in web.cache.all() if not each.gone]
    return page(request, "exports.html.jinja", member, names=names, words=WORDS, filled=FILLED, older=older)


@router.get("/exports/{paper}")
def export(request: Request, _member: Instructor, paper: Paper, assignment: str = "") -> Response:
    """One of these files, about an assignment or about all."""
    if paper not in WORDS:
        raise NotFoundError
    return _made(state_of(request), paper, assignment, b"")


@router.post("/exports/{paper}/upload")
def fill(request: Request, _member: Instructor, form: StaffForm, paper: Paper) -> Response:
    """A file of a platform with grades filled in."""
    if paper not in FILLED:
        raise NotFoundError
    return _made(state_of(request), paper, text_in(form, "assignment"), _sheet(form))


@router.get("/overview")
def overview(request: Request, _member: Teacher, assignment: str = "") -> Response:
    """The batch's page about the course: points, what fails, speeds, what is worth a look."""
    with made(order_of(state_of(request), Paper.OVERVIEW, assignment), state_of(request).database.url) as out, out:
        text = out.read()
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


def _sheet(form: FormData) -> bytes:
    upload = file_in(form, "file")
    if upload is None:
        raise RefusalError("Choose the file as the platform exported it.")
    data = upload.file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise RefusalError("The file is over 1 MiB; export fewer columns.")
    return data


def order_of(web: AppState, paper: Paper, assignment: str) -> PaperOrder:
    """An order for a clerk, about an assignment that there is, or about all."""
    if assignment:
        assignment = web.cache.assignment(assignment).name
    folders = web.cache.course
    return PaperOrder(paper=paper, assignment=assignment, assignments=folders.assignments, reference=folders.reference)


def _made(web: AppState, paper: Paper, assignment: str, given: bytes) -> Response:
    with made(order_of(web, paper, assignment), web.database.url, given) as out:
        kind = TYPES.get(paper.rpartition(".")[2], "application/octet-stream")
        return StreamingResponse(_sent(out), media_type=kind, headers=saved_as(paper))


def _sent(out: IO[bytes]) -> Iterator[bytes]:
    with out:
        while chunk := out.read(CHUNK):
            yield chunk
