"""Pages about repositories whose CI jobs hand in: a person's own links, and the list of the staff. The pages exist only
if the operator has listed a CI provider.
"""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.db.tables.access import RepositoryRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.people.repositories import (
    import_repositories,
    link_repository,
    listed_repositories,
    repositories_of,
    unlink_repository,
)
from grader.service.web.auth import AnyMember, Instructor, Member, OwnForm, RowNumber, StaffForm, text_in, upload_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()


def _with_providers(request: Request) -> AppState:
    state = state_of(request)
    if not state.sign_in.ci_providers:
        raise NotFoundError
    return state


def _issuer(state: AppState, form: FormData) -> str:
    chosen = text_in(form, "issuer")
    if chosen not in {each.issuer for each in state.sign_in.ci_providers}:
        raise FieldError("issuer", "No CI provider is selected. Choose one.")
    return chosen


@router.get("/repositories")
def own_repositories(request: Request, member: AnyMember) -> Response:
    """The page with the member's repositories."""
    return _own_page(request, member, NOTHING_ENTERED)


def _own_page(request: Request, member: Member, form: EnteredForm) -> Response:
    with _with_providers(request).database.reading() as session:
        rows = repositories_of(session, member.id)
    return _page(request, "repositories.html.jinja", member, form, rows)


def _page(
    request: Request, template: str, member: Member, form: EnteredForm, rows: Sequence[RepositoryRow]
) -> Response:
    providers = {each.issuer: each.name for each in state_of(request).sign_in.ci_providers}
    return page(request, template, member, form.status, form=form, rows=rows, providers=providers)


@router.post("/repositories")
def link(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Link a repository to the member."""
    state = _with_providers(request)
    try:
        issuer = _issuer(state, form)
        with state.database.writing() as session:
            link_repository(session, member.id, issuer, text_in(form, "repository"), state.now())
    except FieldError as error:
        return _own_page(request, member, entered(form, error))
    return RedirectResponse("/repositories", 303)


@router.post("/repositories/{row_id}/removal")
def unlink(request: Request, member: AnyMember, _form: OwnForm, row_id: RowNumber) -> Response:
    """Remove one of the member's repositories."""
    state = _with_providers(request)
    with state.database.writing() as session:
        unlink_repository(session, member.id, row_id)
    return RedirectResponse("/repositories", 303)


@router.get("/course/repositories")
def all_repositories(request: Request, member: Instructor) -> Response:
    """The page with the repositories of all people."""
    return _list_page(request, member, NOTHING_ENTERED)


def _list_page(request: Request, member: Member, form: EnteredForm) -> Response:
    with _with_providers(request).database.reading() as session:
        rows = listed_repositories(session)
    return _page(request, "all_repositories.html.jinja", member, form, rows)


@router.post("/course/repositories/upload")
def upload(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Replace the staff's list of a provider's repositories."""
    state = _with_providers(request)
    try:
        issuer = _issuer(state, form)
        data = upload_in(form, "file", "Choose a CSV file with the columns key and repository.")
        with at_field("file"), state.database.writing() as session:
            import_repositories(session, data, issuer, member.key, state.now())
    except FieldError as error:
        return _list_page(request, member, entered(form, error))
    return RedirectResponse("/course/repositories", 303)
