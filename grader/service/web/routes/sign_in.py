"""Signing in by mail, by a password, by a university's sign-on; where one is not allowed, it does not exist."""

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.auth.oidc import FAILED, SignOnFailedError
from grader.service.auth.passwords import Passwords, hash_of, keep
from grader.service.auth.sessions import begin, end_others, person_named
from grader.service.errors import NotFoundError, RefusalError
from grader.service.web.auth import AnyForm, AnyMember, Member, OwnForm, person_of, text_in
from grader.service.web.pages import page
from grader.service.web.routes.welcoming import network, welcome
from grader.service.web.state import AppState, state_of

router = APIRouter()

AWAY = 600
"""Seconds in which a browser must have come back from the university."""

TOO_MANY_LINKS = "Your network has asked for too many links. Try again in ten minutes."
TOO_MANY_FAILED = "Too many sign-ins from your network have failed. Try again in ten minutes, or ask for a link."
WRONG = "This key and this password do not belong together. Try again, or sign in by a link."


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
