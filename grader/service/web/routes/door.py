"""Coming in and going out: invitations, sign-out, and what needs no sign-in."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from grader.service.auth.sessions import USED_UP, is_invited, sign_in, sign_out
from grader.service.errors import NotFoundError
from grader.service.web.auth import AnyForm, AnyMember, OwnForm, PerhapsMember, text_in
from grader.service.web.pages import STATIC, page
from grader.service.web.routes.welcoming import welcome
from grader.service.web.state import state_of

router = APIRouter()

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
A_DAY = 24 * 3600


@router.get("/health")
def health(request: Request) -> Response:
    """Answer 200 if attempts can be stored, else 503 with the reason, for programs that watch the service."""
    web = state_of(request)
    fault = web.probe.fault(web.database)
    return PlainTextResponse(f"{fault}\n", 503) if fault else PlainTextResponse("ok\n")


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A file that pages use."""
    if name not in STATIC:
        raise NotFoundError
    kept = {"cache-control": f"public, max-age={A_DAY}"}
    return Response(STATIC[name], media_type=TYPES[name.rpartition(".")[2]], headers=kept)


@router.get("/sign-in")
def ask_to_sign_in(request: Request, member: PerhapsMember) -> Response:
    """How to sign in."""
    return page(request, "sign_in.html.jinja", member, entry=state_of(request).entry)


@router.get("/join/{token}")
def invitation(request: Request, token: str) -> Response:
    """The page behind an invitation. Looking at it uses nothing up: programs that check mail look at every link."""
    return page(request, "join.html.jinja", token=token)


@router.post("/join")
def join(request: Request, form: AnyForm) -> Response:
    """Sign in by an invitation."""
    web, now = state_of(request), state_of(request).now()
    said = text_in(form, "token")
    with web.database.reading() as session:
        invited = is_invited(session, said, now)
    token = None
    if invited:
        with web.database.writing() as session:
            token = sign_in(session, said, now)
    if token is None:
        return page(request, "error.html.jinja", status=403, title="You are not signed in", words=USED_UP)
    return welcome(request, web, token)


@router.post("/sign-out")
def leave(request: Request, member: AnyMember, _form: OwnForm) -> Response:
    """End the session."""
    web = state_of(request)
    with web.database.writing() as session:
        sign_out(session, member.session_id)
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(web.cookie, path="/", secure=web.secure, httponly=True, samesite="lax")
    answer.headers["clear-site-data"] = '"storage"'  # drafts of the editor: the next person may use this browser
    return answer
