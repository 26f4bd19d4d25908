"""Pages for browsers that come from a learning platform: sign-in and launch.

    /lti/login    the browser is sent to the platform
    /lti/launch   the platform's form arrives from another site, so browsers leave the cookie out
    /lti/session  the same form from our own page, with the cookie; only this form is trusted

Browsers block cookies in frames of other sites. Therefore, in a frame, /lti/login offers a new window. The choice of
assignments stays in the frame, because platforms wait for it there. It needs only a cookie of that frame (CHIPS), or a
platform whose storage keeps the secret of the sign-in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from grader.service.course.assignment_view import AssignmentView
from grader.service.db.tables.lti import LtiPlatformRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError
from grader.service.lti.accounts import enrol
from grader.service.lti.keys import public_key_set, published
from grader.service.lti.launches.deep_linking import (
    open_selection,
    selection_of,
)
from grader.service.lti.launches.launch import (
    AGAIN,
    LOGIN_SECONDS,
    KeptLogin,
    asks_for_selection,
    begin,
    platform_in,
    read,
    storage_target,
    use_nonce,
)
from grader.service.lti.launches.message import LaunchError, LaunchMessage
from grader.service.lti.platform_client import PlatformError
from grader.service.lti.registrations import (
    deployments_of,
    endpoints_of,
    note_context,
    platform_of_login,
)
from grader.service.lti.services.line_items import StatedColumn, note_line_item
from grader.service.people.auth.issuer_keys import UnsignedError
from grader.service.people.auth.sessions import start_session
from grader.service.web.auth import AnyForm, text_in
from grader.service.web.forms import NOTHING_ENTERED
from grader.service.web.http.request_headers import origin_of
from grader.service.web.pages import page
from grader.service.web.routes.account.sign_in import TOO_MANY_FAILED, network, set_session_cookie
from grader.service.web.routes.machines.lti_pages import selection_page
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/lti")

MAX_FIELDS = 50
"""Maximum number of fields in a form of a platform."""

KEYS_CACHE_SECONDS = 300

FRAMES = frozenset({"iframe", "frame", "fencedframe", "embed", "object"})
"""Values of Sec-Fetch-Dest for a page inside another page."""

LOGIN_FIELDS = "iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri", "lti_deployment_id"

NO_COOKIE = (
    "Your browser did not send the cookie of this sign-in. Browsers block cookies inside other pages, and lose them "
    f"after {LOGIN_SECONDS // 60} minutes. Open the activity in your learning platform again, in a new window."
)
NOT_CONNECTED = (
    "The course {} of your learning platform is not connected to this course yet. An instructor of this course can "
    "connect it on the page People, Learning platforms. Then everyone can enter."
)


async def platform_form(request: Request) -> Mapping[str, str]:
    """The fields of a form that a platform has sent."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise RefusedError("The form of your learning platform has too many fields.") from error


PlatformForm = Annotated[Mapping[str, str], Depends(platform_form)]


@router.get("/keys")
def keys(request: Request) -> Response:
    """The public keys of the service, for platforms."""
    state = state_of(request)
    with state.database.reading() as session:
        found = published(session, state.now())
    return JSONResponse(public_key_set(found), headers={"cache-control": f"public, max-age={KEYS_CACHE_SECONDS}"})


@router.get("/login")
def login(request: Request) -> Response:
    """Begin a sign-in that a platform has requested."""
    return _login(request, request.query_params)


@router.post("/login")
def posted_login(request: Request, form: PlatformForm) -> Response:
    """Begin a sign-in that a platform has requested with a form."""
    return _login(request, form)


def _login(request: Request, asked: Mapping[str, str]) -> Response:
    state = state_of(request)
    with state.database.reading() as session:
        platform = platform_of_login(session, asked.get("iss", ""), asked.get("client_id", ""))
    framed = request.headers.get("sec-fetch-dest") in FRAMES
    if framed and not asks_for_selection(asked):
        fields = {name: asked[name] for name in LOGIN_FIELDS if name in asked}
        return page(request, "lti_window.html.jinja", address=f"/lti/login?{urlencode(fields)}")
    begun = begin(platform, asked, state.origin, state.now())
    answer: Response = RedirectResponse(begun.address, 303)
    if framed and storage_target(asked):
        storage = _Storage.of(platform, asked, begun.state)
        answer = page(request, "lti_storing.html.jinja", begun=begun, storage=storage)
    answer.set_cookie(
        _cookie(state, begun.state),
        begun.kept,
        max_age=LOGIN_SECONDS,
        path="/",
        secure=state.secure or framed,
        httponly=True,
        samesite="none" if framed else "lax",
    )
    if framed:
        answer.headers["set-cookie"] += "; Partitioned"
    return answer


def _cookie(state: AppState, login_state: str) -> str:
    """Name of the cookie of a sign-in. Each sign-in has a separate cookie, because several windows may sign in."""
    return f"{state.cookie}-lti-{login_state[:12]}"


@dataclass(frozen=True, kw_only=True)
class _Storage:
    """A platform's storage: the name of the frame that provides it, the origin of the frame's pages, and the key under
    which the secret of a sign-in is kept.
    """

    target: str
    origin: str
    key: str

    @classmethod
    def of(cls, platform: LtiPlatformRow, asked: Mapping[str, str], login_state: str) -> "_Storage":
        """Return the storage that a platform offers in a request. Its pages have the same origin as the sign-in
        address.
        """
        origin = origin_of(platform.authorization_url)
        return cls(target=storage_target(asked), origin=origin, key=f"grader-{login_state}")


@router.post("/launch")
def launch(request: Request, form: PlatformForm) -> Response:
    """Page that sends the platform's form again, from this site."""
    if "error" in form:
        raise LaunchError(f"Your learning platform did not sign you in: {form['error'][:100]}. {AGAIN}")
    fields = {name: form.get(name, "") for name in ("state", "id_token")}
    number, storage = platform_in(fields["state"]), None
    if number is not None and storage_target(form):
        with state_of(request).database.reading() as session:
            platform = session.get(LtiPlatformRow, number)
        storage = None if platform is None else _Storage.of(platform, form, fields["state"])
    return page(request, "lti_launch.html.jinja", fields=fields, storage=storage)


@router.post("/session")
def begin_session(request: Request, form: AnyForm) -> Response:
    """Check the platform's message, and sign the person in or show the choice of assignments."""
    state = state_of(request)
    if state.sign_in.failed_sign_ons.is_reached(network(request)):
        raise RefusedError(TOO_MANY_FAILED)
    try:
        arrival = _checked(request, form)
        answer = _entered(request, arrival)
    except LaunchError:
        state.sign_in.failed_sign_ons.count(network(request))
        raise
    answer.delete_cookie(_cookie(state, arrival.login.state), path="/", secure=state.secure, httponly=True)
    return answer


@dataclass(frozen=True, kw_only=True)
class _Arrival:
    """A message that was checked, with its sign-in and registration."""

    login: KeptLogin
    platform: LtiPlatformRow
    message: LaunchMessage
    ends: float


def _checked(request: Request, form: FormData) -> _Arrival:
    state, login_state = state_of(request), text_in(form, "state")
    cookie = request.cookies.get(_cookie(state, login_state))
    kept = cookie or text_in(form, "kept")  # our page got it from the platform's storage
    if not kept:
        raise LaunchError(NO_COOKIE)
    login = KeptLogin.parsed(kept, login_state)
    with state.database.reading() as session:
        platform = session.get(LtiPlatformRow, login.platform_id)
        if platform is None:
            raise LaunchError("The registration of your learning platform was removed.")
        deployments = deployments_of(session, platform.id)
    try:
        claims = state.lti.claims(text_in(form, "id_token"), endpoints_of(platform))
    except UnsignedError as error:
        raise LaunchError(f"The message does not come from {platform.name}: {error}. {AGAIN}") from error
    except PlatformError as error:
        raise LaunchError(f"The keys of {platform.name} cannot be read: {error}. Tell your instructor.") from error
    message = read(claims, login, platform, state.now())
    if not cookie and not message.wants_selection:
        raise LaunchError(NO_COOKIE)
    if deployments and message.deployment not in deployments:
        raise LaunchError(
            f"{platform.name} has a deployment that this service does not know: {message.deployment}. The operator "
            "adds it by `grader lti add --deployment`."
        )
    return _Arrival(login=login, platform=platform, message=message, ends=float(claims["exp"]))


def _entered(request: Request, arrival: _Arrival) -> Response:
    """Let the person enter, if their course is connected."""
    state, now, message = state_of(request), state_of(request).now(), arrival.message
    with state.database.writing() as session:
        use_nonce(session, arrival.login, arrival.ends, now)
        context = note_context(session, arrival.platform, message.stated_context, now)
        if context.connected is not None:
            person = enrol(session, context, message.person, now)
            if message.selection is not None and message.wants_selection:
                state.lti.require_address(message.selection.deep_link_return_url, "return address")
                token = open_selection(session, context, person, message.selection, now)
                return selection_page(request, token, selection_of(session, token, now), NOTHING_ENTERED)
            assignment = next((each for each in state.cache.all() if each.name == message.assignment), None)
            if assignment is not None:
                column = StatedColumn(url=message.line_items.lineitem, role=person.role)
                note_line_item(session, context, assignment.name, column)
            return _signed_in(state, start_session(session, person.id, now), person, assignment)
    words = NOT_CONNECTED.format(context.title)
    return page(request, "error.html.jinja", status_code=403, title="This course is not connected", words=words)


def _signed_in(state: AppState, token: str, person: PersonRow, assignment: AssignmentView | None) -> Response:
    start = "/course" if person.role != CourseRole.STUDENT else ""
    answer = RedirectResponse("/" if assignment is None else f"{start}/assignments/{assignment.name}", 303)
    set_session_cookie(answer, state, token)
    return answer
