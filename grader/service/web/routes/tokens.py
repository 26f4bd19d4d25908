"""The pages for terminals and programs: the confirmation of a terminal, and the member's tokens."""

from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.protocol.text import showable
from grader.service.auth.api_tokens import TokenRequest, TokenScope, as_text, create_token, revoke, tokens_of
from grader.service.auth.device_flow import (
    CODE_LENGTH,
    CODE_LIFETIME,
    Answer,
    answer_terminal,
    code_with_dash,
    normalized_code,
    waiting_terminal,
)
from grader.service.errors import RefusedError
from grader.service.web.auth import AnyMember, OwnForm, PerhapsMember, RowNumber, text_in
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()

LIFETIME_DAYS = (7, 30, 180)
"""Lifetimes that a token may have, in days. Tokens of terminals have the longest."""


@router.get("/device")
def device(request: Request, member: PerhapsMember, code: str = "") -> Response:
    """The page on which a member types a terminal's code, or confirms the terminal. The code is kept in a cookie for a
    person who must sign in first.
    """
    if member is None:
        return _after_sign_in(state_of(request), normalized_code(code))
    state, terminal = state_of(request), None
    if len(normalized_code(code)) == CODE_LENGTH:
        with state.database.reading() as session:
            terminal = waiting_terminal(session, code, state.now())
    shown = None if terminal is None else code_with_dash(terminal.user_code)
    return page(request, "device.html.jinja", member, terminal=terminal, code=shown)


def _after_sign_in(state: AppState, code: str) -> Response:
    answer = RedirectResponse("/sign-in", 303)
    if len(code) == CODE_LENGTH:
        lasts = int(CODE_LIFETIME.total_seconds())
        answer.set_cookie(
            state.code_cookie, code, max_age=lasts, path="/", secure=state.secure, httponly=True, samesite="lax"
        )
    return answer


def first_page(request: Request, state: AppState) -> Response:
    """Redirect after a sign-in: to the terminal that the person still has to confirm, if there is one."""
    code = normalized_code(request.cookies.get(state.code_cookie, ""))
    answer = RedirectResponse(f"/device?code={code_with_dash(code)}" if len(code) == CODE_LENGTH else "/", 303)
    if state.code_cookie in request.cookies:
        answer.delete_cookie(state.code_cookie, path="/", secure=state.secure, httponly=True, samesite="lax")
    return answer


@router.post("/device")
def confirm(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Answer a terminal."""
    state = state_of(request)
    said = Answer.ALLOWED if text_in(form, "answer") == "allow" else Answer.DENIED
    with state.database.writing() as session:
        answer_terminal(session, text_in(form, "code"), member.id, said, state.now())
    return RedirectResponse("/tokens", 303)


@router.get("/tokens")
def tokens(request: Request, member: AnyMember) -> Response:
    """The member's tokens."""
    state = state_of(request)
    with state.database.reading() as session:
        rows = tokens_of(session, member.id, state.now())
    return page(request, "tokens.html.jinja", member, tokens=rows, days=LIFETIME_DAYS, scopes=list(TokenScope))


@router.post("/tokens")
def make_token(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Create a token for a program. It is shown only once."""
    state, name = state_of(request), showable(text_in(form, "name")).strip()
    scopes = [each for each in TokenScope if text_in(form, each)]
    days = next((each for each in LIFETIME_DAYS if str(each) == text_in(form, "days")), None)
    if not name or not scopes or days is None:
        raise RefusedError("Give the token a name, permissions, and the days for which it is valid.")
    with state.database.writing() as session:
        wanted = TokenRequest(name=name, scopes=as_text(scopes), lasts=timedelta(days=days))
        token = create_token(session, member.id, wanted, state.now())
    return page(request, "token.html.jinja", member, token=token)


@router.post("/tokens/{token_id}/revoke")
def end_token(request: Request, member: AnyMember, _form: OwnForm, token_id: RowNumber) -> Response:
    """Revoke one of the member's tokens."""
    with state_of(request).database.writing() as session:
        revoke(session, member.id, token_id)
    return RedirectResponse("/tokens", 303)


@router.get("/api")
def api_page(request: Request) -> Response:
    """The API as a plain page. The pages of libraries load scripts from other sites."""
    return page(request, "api.html.jinja", None, paths=request.app.openapi()["paths"])
