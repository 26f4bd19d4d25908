"""Signing in and out: by an invitation, by mail, by a password, by a university's sign-on; and what needs no sign-in.

A way to sign in that is not allowed does not exist.
"""

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from grader.service.auth.oidc import FAILED, SignOnFailedError
from grader.service.auth.passwords import Passwords, hash_of, keep
from grader.service.auth.sessions import (
    SESSION_LASTS,
    USED_UP,
    begin,
    end_others,
    is_invited,
    person_named,
    sign_in,
    sign_out,
)
from grader.service.errors import NotFoundError, RefusalError
from grader.service.throttle import network_of
from grader.service.web.auth import AnyForm, AnyMember, Member, OwnForm, PerhapsMember, person_of, text_in
from grader.service.web.pages import STATIC, page
from grader.service.web.routes.tokens import first_page
from grader.service.web.state import AppState, state_of

router = APIRouter()

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
A_DAY = 24 * 3600

AWAY = 600
"""Seconds in which a browser must have come back from the university."""

TOO_MANY_LINKS = "Your network has asked for too many links. Try again in ten minutes."
TOO_MANY_FAILED = "Too many sign-ins from your network have failed. Try again in ten minutes, or ask for a link."
WRONG = "This key and this password do not belong together. Try again, or sign in by a link."


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


@router.post("/sign-in/mail")
def send_link(request: Request, form: AnyForm) -> Response:
    """Have a link sent; the answer is the same for everybody."""
    web = state_of(request)
    if web.entry.mail is None:
        raise NotFoundError
    where = network(request)
    if where and not web.entry.mails.allows(where):
        raise RefusalError(TOO_MANY_LINKS)
    web.entry.mail.ask(text_in(form, "who"))
    return page(request, "mail_sent.html.jinja")


@router.post("/sign-in/password")
async def by_password(request: Request, form: AnyForm) -> Response:
    """Sign in by a password. A lecture room does so at once, and waits for its turns without threads."""
    passwords, where = _passwords_of(request), network(request)
    async with passwords.line.turn(where):
        return await run_in_threadpool(_by_password, request, form, passwords)


def _passwords_of(request: Request) -> Passwords:
    """The service's passwords; raises NotFoundError where they are off."""
    passwords = state_of(request).entry.passwords
    if passwords is None:
        raise NotFoundError
    return passwords


def _by_password(request: Request, form: FormData, passwords: Passwords) -> Response:
    web, key = state_of(request), text_in(form, "who").strip()
    owner = passwords.owner(web.database, key, text_in(form, "password"), network(request))
    if owner is None:
        return page(request, "error.html.jinja", status=403, title="You are not signed in", words=WRONG)
    with web.database.writing() as session:
        token = begin(session, owner, web.now())
    return welcome(request, web, token)


@router.get("/password")
def own_password(request: Request, member: AnyMember) -> Response:
    """Where one's own password is set."""
    _passwords_of(request)
    with state_of(request).database.reading() as session:
        has_one = hash_of(session, member.id) is not None
    return page(request, "password.html.jinja", member, has_one=has_one)


@router.post("/password")
async def set_password(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Set it; other browsers are signed out, since who changes a password may have lost one."""
    passwords = _passwords_of(request)
    async with passwords.line.turn(network(request)):
        return await run_in_threadpool(_set_password, request, member, form, passwords)


def _set_password(request: Request, member: Member, form: FormData, passwords: Passwords) -> Response:
    web = state_of(request)
    with web.database.reading() as session:
        person, kept = person_of(session, member.id), hash_of(session, member.id)
    passwords.confirm(kept, text_in(form, "present"), person)
    if text_in(form, "password") != text_in(form, "again"):
        raise RefusalError("The two new passwords differ, so nothing was changed.")
    argon2 = passwords.hashed(text_in(form, "password"), person)
    with web.database.writing() as session:
        keep(session, member.id, argon2, web.now())
        end_others(session, member.id, member.session_id)
    return RedirectResponse("/password", 303)


@router.get("/sign-on")
def sign_on(request: Request) -> Response:
    """To the university."""
    web = state_of(request)
    if web.entry.university is None:
        raise NotFoundError
    _refuse_after_failures(request, web)
    begun = web.entry.university.begin()
    answer = RedirectResponse(begun.address, 303)
    answer.set_cookie(
        web.sign_on_cookie, begun.kept, max_age=AWAY, path="/", secure=web.secure, httponly=True, samesite="lax"
    )
    return answer


def _refuse_after_failures(request: Request, web: AppState) -> None:
    if web.entry.failed_sign_ons.is_reached(network(request)):
        raise RefusalError(TOO_MANY_FAILED)


@router.get("/sign-on/back")
def back(request: Request) -> Response:
    """From the university, with a code, which is used once."""
    web = state_of(request)
    if web.entry.university is None:
        raise NotFoundError
    _refuse_after_failures(request, web)  # a made-up cookie makes us ask the university, too
    kept = request.cookies.get(web.sign_on_cookie)
    if not kept:
        raise RefusalError(FAILED)
    try:
        key = web.entry.university.finish(kept, request.query_params)
    except SignOnFailedError:
        web.entry.failed_sign_ons.count(network(request))
        raise
    with web.database.reading() as session:
        person = person_named(session, {key})
    if person is None:
        words = f"You are known there as {key}, and nobody of that name is in this course. Ask your instructor."
        return page(request, "error.html.jinja", status=403, title="You are not signed in", words=words)
    with web.database.writing() as session:
        token = begin(session, person.id, web.now())
    answer = welcome(request, web, token)
    answer.delete_cookie(web.sign_on_cookie, path="/", secure=web.secure, httponly=True, samesite="lax")
    return answer


def welcome(request: Request, web: AppState, token: str) -> Response:
    """The first page, with the cookie of a new session."""
    answer = first_page(request, web)
    lasts = int(SESSION_LASTS.total_seconds())
    answer.set_cookie(web.cookie, token, max_age=lasts, path="/", secure=web.secure, httponly=True, samesite="lax")
    return answer


def network(request: Request) -> str:
    """Network of a request, for rate limits; empty if it is not known."""
    return "" if request.client is None else network_of(request.client.host)
