"""Sign-in by invitation, mail, password or a university's sign-on, sign-out, and pages that do not need a sign-in.

If a way to sign in is not allowed, its pages do not exist.
"""

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from grader.service.db.tables.people import CourseRole
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.network.throttle import network_of
from grader.service.people.auth.oidc import FAILED, SignOnFailedError
from grader.service.people.auth.passwords import Passwords, hash_of, store_hash
from grader.service.people.auth.sessions import (
    SESSION_LIFETIME,
    USED_UP,
    end_other_sessions,
    invited_person,
    person_named,
    session_of,
    sign_in,
    sign_out,
    start_session,
)
from grader.service.web.auth import AnyForm, AnyMember, Member, OwnForm, PerhapsMember, person_of, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import STATIC, page
from grader.service.web.routes.account.tokens import first_page
from grader.service.web.state import AppState, state_of

router = APIRouter()

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
STATIC_CACHE_SECONDS = 24 * 3600

SIGN_ON_SECONDS = 600
"""Seconds within which a browser must come back from the university."""

TOO_MANY_LINKS = "Your network has asked for too many links. Try again in ten minutes."
TOO_MANY_FAILED = "Too many sign-ins from your network have failed. Try again in ten minutes, or ask for a link."
WRONG = "This key and this password do not belong together. Try again, or sign in by a link."


@router.get("/health")
def health(request: Request) -> Response:
    """Health check for monitoring. Answers 200 if attempts can be stored, else 503 with the reason."""
    state = state_of(request)
    fault = state.probe.fault(state.database)
    return PlainTextResponse(f"{fault}\n", 503) if fault else PlainTextResponse("ok\n")


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A static file that pages use."""
    if name not in STATIC:
        raise NotFoundError
    kept = {"cache-control": f"public, max-age={STATIC_CACHE_SECONDS}"}
    return Response(STATIC[name], media_type=TYPES[name.rpartition(".")[2]], headers=kept)


@router.get("/sign-in")
def ask_to_sign_in(request: Request, member: PerhapsMember) -> Response:
    """The page with all ways to sign in."""
    return page(request, "sign_in.html.jinja", member, methods=state_of(request).sign_in, form=NOTHING_ENTERED)


@router.get("/join/{token}")
def invitation(request: Request, token: str) -> Response:
    """The page of an invitation. It shows the name of the person, so that a user notices a link for another person.
    Opening the page does not use the invitation, because programs that check mail open every link. The address of the
    page is a secret, so browsers do not send it with requests for the page's files, which a proxy could log.
    """
    state = state_of(request)
    with state.database.reading() as session:
        person = invited_person(session, token, state.now())
    if person is None:
        return _used_up(request)
    answer = page(request, "join.html.jinja", token=token, person=person)
    answer.headers["referrer-policy"] = "strict-origin"
    return answer


@router.post("/join")
def join(request: Request, form: AnyForm) -> Response:
    """Sign in by an invitation."""
    state, now = state_of(request), state_of(request).now()
    said = text_in(form, "token")
    with state.database.reading() as session:
        person = invited_person(session, said, now)
    token = None
    if person is not None:
        with state.database.writing() as session:
            token = sign_in(session, said, now)
    if token is None:
        return _used_up(request)
    return start_browser_session(request, state, token)


def _used_up(request: Request) -> Response:
    return page(request, "error.html.jinja", status_code=403, title="You are not signed in", words=USED_UP)


@router.post("/sign-out")
def leave(request: Request, member: AnyMember, _form: OwnForm) -> Response:
    """End the session."""
    state = state_of(request)
    with state.database.writing() as session:
        sign_out(session, member.session_id)
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(state.cookie, **state.cookie_rules)
    answer.headers["clear-site-data"] = '"storage"'  # drafts of the editor, since others may use this browser
    return answer


@router.post("/sign-in/mail")
def send_link(request: Request, form: AnyForm) -> Response:
    """Request a link by mail. The answer does not reveal whether the person is known."""
    state = state_of(request)
    if state.sign_in.mail is None:
        raise NotFoundError
    where = network(request)
    if where and not state.sign_in.link_requests.allows(where):
        raise RefusedError(TOO_MANY_LINKS)
    state.sign_in.mail.ask(text_in(form, "who"))
    return page(request, "mail_sent.html.jinja")


@router.post("/sign-in/password")
async def by_password(request: Request, form: AnyForm) -> Response:
    """Sign in by a password. A whole lecture room may sign in at once, so requests wait in the queue
    without threads.
    """
    passwords, where = _passwords_of(request), network(request)
    async with passwords.queue.slot(where):
        return await run_in_threadpool(_by_password, request, form, passwords)


def _passwords_of(request: Request) -> Passwords:
    """The object that handles passwords. Raises NotFoundError if passwords are not allowed."""
    passwords = state_of(request).sign_in.passwords
    if passwords is None:
        raise NotFoundError
    return passwords


def _by_password(request: Request, form: FormData, passwords: Passwords) -> Response:
    state, key = state_of(request), text_in(form, "who").strip()
    owner = passwords.authenticate(state.database, key, text_in(form, "password"), network(request))
    if owner is None:
        again = EnteredForm(values={}, field="password", message=WRONG)  # the same answer for every key
        return page(request, "sign_in.html.jinja", status_code=403, methods=state.sign_in, form=again)
    with state.database.writing() as session:
        token = start_session(session, owner, state.now())
    return start_browser_session(request, state, token)


@router.get("/password")
def own_password(request: Request, member: AnyMember) -> Response:
    """The page on which a member sets a password."""
    _passwords_of(request)
    return _password_page(request, member, NOTHING_ENTERED)


def _password_page(request: Request, member: Member, form: EnteredForm) -> Response:
    with state_of(request).database.reading() as session:
        has_one = hash_of(session, member.id) is not None
    return page(request, "password.html.jinja", member, form.status, has_one=has_one, form=form)


@router.post("/password")
async def set_password(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Set the member's password, and sign out all other browsers, because a person may change the password after losing
    control of a device.
    """
    passwords = _passwords_of(request)
    async with passwords.queue.slot(network(request)):
        return await run_in_threadpool(_set_password, request, member, form, passwords)


def _set_password(request: Request, member: Member, form: FormData, passwords: Passwords) -> Response:
    state = state_of(request)
    with state.database.reading() as session:
        person, kept = person_of(session, member.id), hash_of(session, member.id)
    password = text_in(form, "password")
    try:
        passwords.confirm(kept, text_in(form, "present"), person)
        if password != text_in(form, "again"):
            raise FieldError("again", "The two new passwords differ, so nothing was changed.")  # noqa: TRY301
        argon2 = passwords.new_hash(password, person)
    except FieldError as error:
        return _password_page(request, member, entered(form, error))
    with state.database.writing() as session:
        store_hash(session, member.id, argon2, state.now())
        end_other_sessions(session, member.id, member.session_id)
    return RedirectResponse("/password", 303)


@router.get("/sign-on")
def sign_on(request: Request) -> Response:
    """Redirect to the university's sign-on."""
    state = state_of(request)
    if state.sign_in.university is None:
        raise NotFoundError
    _refuse_after_failures(request, state)
    begun = state.sign_in.university.begin()
    answer = RedirectResponse(begun.address, 303)
    answer.set_cookie(state.sign_on_cookie, begun.kept, max_age=SIGN_ON_SECONDS, **state.cookie_rules)
    return answer


def _refuse_after_failures(request: Request, state: AppState) -> None:
    if state.sign_in.failed_sign_ons.is_reached(network(request)):
        raise RefusedError(TOO_MANY_FAILED)


@router.get("/sign-on/back")
def back(request: Request) -> Response:
    """Complete the sign-in of a browser that comes back from the university with a code."""
    state = state_of(request)
    if state.sign_in.university is None:
        raise NotFoundError
    _refuse_after_failures(request, state)  # a request with a made-up cookie also causes a request to the university
    kept = request.cookies.get(state.sign_on_cookie)
    if not kept:
        raise RefusedError(FAILED)
    try:
        key = state.sign_in.university.finish(kept, request.query_params)
    except SignOnFailedError:
        state.sign_in.failed_sign_ons.count(network(request))
        raise
    with state.database.reading() as session:
        person = person_named(session, {key})
    if person is None:
        words = f"Your university knows you as {key}, but this key is not in this course. Ask your instructor."
        return page(request, "error.html.jinja", status_code=403, title="You are not signed in", words=words)
    with state.database.writing() as session:
        token = start_session(session, person.id, state.now())
    answer = start_browser_session(request, state, token)
    answer.delete_cookie(state.sign_on_cookie, **state.cookie_rules)
    return answer


def start_browser_session(request: Request, state: AppState, token: str) -> Response:
    """Redirect to the first page, with the cookie of a new session. It is the course for people who teach, and the
    assignments for students.
    """
    with state.database.reading() as session:
        found = session_of(session, token, state.now())
    answer = first_page(request, state, "/" if found is None or found.person.role == CourseRole.STUDENT else "/course")
    set_session_cookie(answer, state, token)
    return answer


def set_session_cookie(answer: Response, state: AppState, token: str) -> None:
    """Add the cookie of a new session to an answer."""
    lasts = int(SESSION_LIFETIME.total_seconds())
    answer.set_cookie(state.cookie, token, max_age=lasts, **state.cookie_rules)


def network(request: Request) -> str:
    """The network from which a request comes, for rate limits; empty if the client's address is not known."""
    return "" if request.client is None else network_of(request.client.host)
