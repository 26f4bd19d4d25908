"""Files about the course that instructors download, the page of similar sources, and the pool with which they are
compared.
"""

from collections.abc import Iterator
from typing import IO

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from grader.common.phrases import count, listed
from grader.protocol.text import showable
from grader.service.db.tables.assignments import PoolRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.exports.jobs import FILLED, ExportKind, ExportRequest, export_file
from grader.service.exports.similarity import PoolKind, SimilarSources, add_to_pool, empty_pool, pool_sizes
from grader.service.submissions.versions import count_older
from grader.service.web.auth import Instructor, Member, StaffForm, Teacher, file_in, text_in, upload_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.http.responses import REPORT_POLICY, download_headers
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")

CHUNK_BYTES = 64 * 1024
"""Number of bytes that are sent at once."""

DESCRIPTIONS = {
    ExportKind.ARCHIVE: "everything that counts: sources, reports, and all tables",
    ExportKind.WORKBOOK: "grades as a workbook, for Excel and LibreOffice",
    ExportKind.GRADES: "a line for each student and assignment, with points by kind of check and speeds",
    ExportKind.JUNIT: "every check, as JUnit",
}
"""Files that do not need an upload, with their descriptions."""

UNKNOWN = "{!r} is not an export; choose one from the list."
CHOOSE = "Choose the file as the platform exported it."

TYPES = {"csv": "text/csv; charset=utf-8", "xml": "application/xml", "zip": "application/zip"}

KINDS = {PoolKind.EARLIER: "of earlier courses", PoolKind.ALLOWED: "that all students may use"}


@router.get("/exports")
def exports(request: Request, member: Instructor) -> Response:
    """The page with all exports."""
    return _exports_page(request, member, NOTHING_ENTERED)


def _exports_page(request: Request, member: Member, form: EnteredForm) -> Response:
    state = state_of(request)
    with state.database.reading() as session:
        older = count_older(session, state.cache.all())
    names = [each.name for each in state.cache.all() if not each.gone]
    values = {"names": names, "words": DESCRIPTIONS, "filled": FILLED, "older": older, "form": form}
    return page(request, "exports.html.jinja", member, form.status, **values)


@router.post("/exports")
def make(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Make the selected file. For a platform, it is the uploaded file with the grades filled in."""
    kind, assignment = text_in(form, "kind"), text_in(form, "assignment")
    try:
        if kind in FILLED:
            given = upload_in(form, "file", CHOOSE)
            with at_field("file"):
                return _made(state_of(request), kind, assignment, given)
        if kind not in DESCRIPTIONS:
            return _exports_page(request, member, entered(form, FieldError("kind", UNKNOWN.format(showable(kind)))))
        with at_field("kind"):
            return _made(state_of(request), kind, assignment, b"")
    except FieldError as error:
        return _exports_page(request, member, entered(form, error))


@router.get("/exports/{kind}")
def export(request: Request, _member: Instructor, kind: ExportKind, assignment: str = "") -> Response:
    """One of the files that do not need an upload, for one assignment or for all. Scripts can rely on its address."""
    if kind not in DESCRIPTIONS:
        raise NotFoundError
    return _made(state_of(request), kind, assignment, b"")


@router.get("/overview")
def overview(request: Request, _member: Teacher, assignment: str = "") -> Response:
    """The overview page of a batch for this course: points, failed checks, speeds and remarks."""
    with (
        export_file(
            request_for(state_of(request), ExportKind.OVERVIEW, assignment), state_of(request).database.url
        ) as out,
        out,
    ):
        text = out.read()
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


def request_for(state: AppState, kind: str, assignment: str) -> ExportRequest:
    """A request for a file about this assignment, or about all if it is empty. Raises NotFoundError for an
    unknown one.
    """
    if assignment:
        assignment = state.cache.assignment(assignment).name
    folders = state.cache.course
    return ExportRequest(kind=kind, assignment=assignment, assignments=folders.assignments, reference=folders.reference)


def _made(state: AppState, kind: str, assignment: str, given: bytes) -> Response:
    with export_file(request_for(state, kind, assignment), state.database.url, given) as out:
        media_type = TYPES.get(kind.rpartition(".")[2], "application/octet-stream")
        return StreamingResponse(_sent(out), media_type=media_type, headers=download_headers(kind))


def _sent(out: IO[bytes]) -> Iterator[bytes]:
    with out:
        while chunk := out.read(CHUNK_BYTES):
            yield chunk


@router.get("/assignments/{name}/similar")
def similar(request: Request, member: Instructor, name: str) -> Response:
    """The page with similar sources side by side. They are searched for at each request."""
    return _similar_page(request, member, name, NOTHING_ENTERED)


def _similar_page(request: Request, member: Member, name: str, form: EnteredForm) -> Response:
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        sizes = pool_sizes(session, name)
    with export_file(request_for(state, ExportKind.SIMILAR, name), state.database.url) as out, out:
        found = SimilarSources.model_validate_json(out.read())
    values = {"assignment": shown, "found": found, "sizes": sizes, "kinds": KINDS, "form": form}
    return page(request, "similar.html.jinja", member, form.status, **values)


@router.post("/assignments/{name}/pool/upload")
def add(request: Request, member: Instructor, form: StaffForm, name: str) -> Response:
    """Add a source, or the sources of a zip archive, to the pool."""
    state, upload = state_of(request), file_in(form, "file")
    name = state.cache.assignment(name).name
    file_name = "" if upload is None else upload.filename or ""
    try:
        kind = _kind(text_in(form, "kind"))
        row = PoolRow(assignment=name, kind=kind, name=file_name, who=member.key, at=state.now())
        data = upload_in(form, "file", "Choose a .cl file, or a zip of such files, of 1 MiB at most.")
        with at_field("file"):
            add_to_pool(state.database, row, data)
    except FieldError as error:
        return _similar_page(request, member, name, entered(form, error))
    return RedirectResponse(f"/course/assignments/{name}/similar", 303)


@router.get("/assignments/{name}/pool/remove")
def ask_to_remove(request: Request, member: Instructor, name: str, kind: PoolKind) -> Response:
    """Page that explains what will be removed, with a button to confirm the removal."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        number = pool_sizes(session, name)[kind]
    asked = Confirmation(
        question=f"Remove sources from the pool of {shown.title}?",
        says=(f"This removes {count(number, 'source')} {KINDS[kind]}. To add them again, you need the files.",),
        action=f"/course/assignments/{name}/pool/remove",
        button="Remove them",
        back=f"/course/assignments/{name}/similar",
        fields={"kind": kind},
    )
    return confirmation_page(request, member, asked)


@router.post("/assignments/{name}/pool/remove")
def remove(request: Request, member: Instructor, form: StaffForm, name: str) -> Response:
    """Remove all sources of one kind from the pool."""
    state = state_of(request)
    name, kind = state.cache.assignment(name).name, _kind(text_in(form, "kind"))
    empty_pool(state.database, name, kind, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}/similar", 303)


def _kind(text: str) -> PoolKind:
    if text not in set(PoolKind):
        words = f"{showable(text)!r} is not a kind of sources. Choose one kind, {listed(KINDS.values(), 'or')}."
        raise FieldError("kind", words)
    return PoolKind(text)
