"""Pages for terminals and programs: the confirmation of a terminal, and the member's tokens."""

from datetime import timedelta

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import listed
from grader.protocol.text import showable
from grader.service.errors import FieldError, text_within
from grader.service.people.auth.api_tokens import (
    CODE_LENGTH,
    CODE_LIFETIME,
    MAX_NAME_LENGTH,
    Answer,
    TokenRequest,
    answer_terminal,
    as_text,
    code_with_dash,
    create_token,
    normalized_code,
    revoke,
    scopes_offered,
    tokens_of,
    waiting_terminal,
)
from grader.service.web.auth import AnyMember, Member, OwnForm, PerhapsMember, RowNumber, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import NewSecret, page
from grader.service.web.state import AppState, state_of

router = APIRouter()

LIFETIME_DAYS = (7, 30, 180)
"""Lifetimes that a token may have, in days. Tokens of terminals have the longest one."""


@router.get("/device")
def device(request: Request, member: PerhapsMember, code: str = "") -> Response:
    """The page on which a member types a terminal's code, or confirms the terminal. The code is kept in a cookie for a
    person who must sign in first.
    """
    if member is None:
        return _after_sign_in(state_of(request), normalized_code(code))
    state = state_of(request)
    if not code:
        return _ask_for_code(request, member, NOTHING_ENTERED)
    try:
        with state.database.reading() as session:
            terminal = waiting_terminal(session, code, state.now())
    except FieldError as error:
        return _ask_for_code(request, member, entered(FormData({"code": code}), error))
    shown = code_with_dash(terminal.user_code)
    return page(request, "device.html.jinja", member, terminal=terminal, code=shown, form=NOTHING_ENTERED)


def _ask_for_code(request: Request, member: Member, form: EnteredForm) -> Response:
    return page(request, "device.html.jinja", member, form.status, terminal=None, form=form)


def _after_sign_in(state: AppState, code: str) -> Response:
    answer = RedirectResponse("/sign-in", 303)
    if len(code) == CODE_LENGTH:
        lasts = int(CODE_LIFETIME.total_seconds())
        answer.set_cookie(state.code_cookie, code, max_age=lasts, **state.cookie_rules)
    return answer


def first_page(request: Request, state: AppState, home: str) -> Response:
    """Redirect after a sign-in to the home page, or to the confirmation of a terminal if one is pending."""
    code = normalized_code(request.cookies.get(state.code_cookie, ""))
    answer = RedirectResponse(f"/device?code={code_with_dash(code)}" if len(code) == CODE_LENGTH else home, 303)
    if state.code_cookie in request.cookies:
        answer.delete_cookie(state.code_cookie, **state.cookie_rules)
    return answer


@router.post("/device")
def confirm(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Allow or deny the sign-in of a terminal."""
    state = state_of(request)
    said = Answer.ALLOWED if text_in(form, "answer") == "allow" else Answer.DENIED
    try:
        with state.database.writing() as session:
            answer_terminal(session, text_in(form, "code"), member.id, said, state.now())
    except FieldError as error:
        return _ask_for_code(request, member, entered(form, error))
    return RedirectResponse("/tokens", 303)


@router.get("/tokens")
def tokens(request: Request, member: AnyMember) -> Response:
    """The page with the member's tokens."""
    return _tokens_page(request, member, NOTHING_ENTERED)


def _tokens_page(request: Request, member: Member, form: EnteredForm) -> Response:
    state = state_of(request)
    with state.database.reading() as session:
        rows = tokens_of(session, member.id, state.now())
    has_providers = bool(state.sign_in.ci_providers)
    values = {
        "has_providers": has_providers,
        "tokens": rows,
        "days": LIFETIME_DAYS,
        "scopes": scopes_offered(member.role),
    }
    return page(request, "tokens.html.jinja", member, form.status, form=form, **values)


@router.post("/tokens")
def make_token(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Create a token for a program. It is shown only once."""
    state = state_of(request)
    try:
        wanted = _wanted(form, member)
    except FieldError as error:
        return _tokens_page(request, member, entered(form, error))
    with state.database.writing() as session:
        token = create_token(session, member.id, wanted, state.now())
    shown = NewSecret(
        title="A new token",
        says="Copy it now: it is shown only once. A program sends it as `Authorization: Bearer TOKEN`.",
        secret=token,
        back="/tokens",
        back_to="Back to your terminals and programs",
    )
    return page(request, "token.html.jinja", member, shown=shown)


def _wanted(form: FormData, member: Member) -> TokenRequest:
    name = text_within("name", "name", text_in(form, "name"), MAX_NAME_LENGTH)
    scopes = [each for each in scopes_offered(member.role) if text_in(form, each)]
    if not scopes:
        raise FieldError("scopes", "No permission is ticked. Tick at least one.")
    days = next((each for each in LIFETIME_DAYS if str(each) == text_in(form, "days")), None)
    if days is None:
        found = f"{showable(text_in(form, 'days'))!r} is not a valid lifetime in days"
        raise FieldError("days", f"{found}; choose {listed(LIFETIME_DAYS, 'or')}.")
    return TokenRequest(name=name, scopes=as_text(scopes), lasts=timedelta(days=days))


@router.post("/tokens/{token_id}/revoke")
def end_token(request: Request, member: AnyMember, _form: OwnForm, token_id: RowNumber) -> Response:
    """Revoke one of the member's tokens."""
    with state_of(request).database.writing() as session:
        revoke(session, member.id, token_id)
    return RedirectResponse("/tokens", 303)


@router.get("/api")
def api_page(request: Request) -> Response:
    """The documentation of the API as a plain page. The usual pages of FastAPI would load scripts from other sites."""
    return page(request, "api.html.jinja", None, paths=request.app.openapi()["paths"])
