"""The page of similar sources, and the pool with which they are compared."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import count, listed
from grader.protocol.text import showable
from grader.service.db.tables.assignments import PoolRow
from grader.service.errors import FieldError
from grader.service.exports.jobs import ExportKind, export_file
from grader.service.exports.similarity import PoolKind, SimilarSources, add_to_pool, empty_pool, pool_sizes
from grader.service.web.auth import Instructor, Member, StaffForm, file_in, text_in, upload_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.routes.staff.exports import request_for
from grader.service.web.state import state_of

router = APIRouter(prefix="/course/assignments")

KINDS = {PoolKind.EARLIER: "of earlier courses", PoolKind.ALLOWED: "that all students may use"}


@router.get("/{name}/similar")
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


@router.post("/{name}/pool/upload")
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


@router.get("/{name}/pool/remove")
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


@router.post("/{name}/pool/remove")
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
