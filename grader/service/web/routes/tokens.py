"""The pages of terminals: confirming one, and the tokens that programs have."""

from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.protocol.text import showable
from grader.service.auth.api_tokens import TokenRequest, TokenScope, as_text, give_token, revoke, tokens_of
from grader.service.auth.device_flow import LASTS, LENGTH, Answer, answer, asking, dashed, typed
from grader.service.errors import RefusalError
from grader.service.web.auth import AnyMember, OwnForm, PerhapsMember, RowNumber, text_in
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()

DAYS = (7, 30, 180)
"""How long a token may last, that of a terminal at the most."""


@router.get("/device")
def device(request: Request, member: PerhapsMember, code: str = "") -> Response:
    """Where a terminal's code is typed, and then what confirming it means. It is kept for who must sign in first."""
    if member is None:
        return _after_sign_in(state_of(request), typed(code))
    web, terminal = state_of(request), None
    if len(typed(code)) == LENGTH:
        with web.database.reading() as session:
            terminal = asking(session, code, web.now())
    shown = None if terminal is None else dashed(terminal.user_code)
    return page(request, "device.html.jinja", member, terminal=terminal, code=shown)


def _after_sign_in(web: AppState, code: str) -> Response:
    answer = RedirectResponse("/sign-in", 303)
    if len(code) == LENGTH:
        lasts = int(LASTS.total_seconds())
        answer.set_cookie(
            web.code_cookie, code, max_age=lasts, path="/", secure=web.secure, httponly=True, samesite="lax"
        )
    return answer


def first_page(request: Request, web: AppState) -> Response:
    """Where a sign-in leads: to the terminal for which it was made, if there is one, which still has to be allowed."""
    code = typed(request.cookies.get(web.code_cookie, ""))
    answer = RedirectResponse(f"/device?code={dashed(code)}" if len(code) == LENGTH else "/", 303)
    if web.code_cookie in request.cookies:
        answer.delete_cookie(web.code_cookie, path="/", secure=web.secure, httponly=True, samesite="lax")
    return answer


@router.post("/device")
def confirm(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Answer a terminal."""
    web = state_of(request)
    said = Answer.ALLOWED if text_in(form, "answer") == "allow" else Answer.DENIED
    with web.database.writing() as session:
        answer(session, text_in(form, "code"), member.id, said, web.now())
    return RedirectResponse("/tokens", 303)


@router.get("/tokens")
def tokens(request: Request, member: AnyMember) -> Response:
    """One's own tokens."""
    web = state_of(request)
    with web.database.reading() as session:
        rows = tokens_of(session, member.id, web.now())
    return page(request, "tokens.html.jinja", member, tokens=rows, days=DAYS, scopes=list(TokenScope))


@router.post("/tokens")
def make_token(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """A token for a program: shown now, and never again."""
    web, name = state_of(request), showable(text_in(form, "name")).strip()
    scopes = [each for each in TokenScope if text_in(form, each)]
    days = next((each for each in DAYS if str(each) == text_in(form, "days")), None)
    if not name or not scopes or days is None:
        raise RefusalError("Give the token a name, choose what it may do, and how long.")
    with web.database.writing() as session:
        wanted = TokenRequest(name=name, scopes=as_text(scopes), lasts=timedelta(days=days))
        token = give_token(session, member.id, wanted, web.now())
    return page(request, "token.html.jinja", member, token=token)


@router.post("/tokens/{token_id}/revoke")
def end_token(request: Request, member: AnyMember, _form: OwnForm, token_id: RowNumber) -> Response:
    """End one of one's own tokens."""
    with state_of(request).database.writing() as session:
        revoke(session, member.id, token_id)
    return RedirectResponse("/tokens", 303)


@router.get("/api")
def api_page(request: Request) -> Response:
    """What programs may ask, as a plain page: those that libraries bring load foreign scripts."""
    return page(request, "api.html.jinja", None, paths=request.app.openapi()["paths"])
