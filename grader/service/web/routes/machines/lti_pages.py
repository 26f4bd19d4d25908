"""Pages that the staff of a learning platform open: the registration of the service, through a link that the operator
has made, and the choice of assignments for a course (deep linking).
"""

from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.service.errors import FieldError, RefusedError
from grader.service.lti.keys import ensure_key, signing_key
from grader.service.lti.launches.deep_linking import (
    AssignmentSelection,
    return_form,
    selection_of,
    use_selection,
)
from grader.service.lti.launches.dynamic_registration import registered_at
from grader.service.lti.registrations import (
    REGISTRATION_USED_UP,
    is_registration_link,
    platform_named,
    register,
    use_registration_link,
)
from grader.service.web.auth import AnyForm, text_in, texts_in
from grader.service.web.forms import EnteredForm, entered
from grader.service.web.http.request_headers import origin_of
from grader.service.web.http.responses import POLICY
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter(prefix="/lti")


@router.get("/register/{token}")
def ask_to_register(request: Request, token: str) -> Response:
    """Page on which a platform's administrator registers the service, through a link from the operator."""
    state = state_of(request)
    with state.database.reading() as session:
        if not is_registration_link(session, token, state.now()):
            title = "Nothing was registered"
            return page(request, "error.html.jinja", status_code=403, title=title, words=REGISTRATION_USED_UP)
    fields = {name: request.query_params.get(name, "") for name in ("openid_configuration", "registration_token")}
    place = state.lti.require_address(fields["openid_configuration"], "address of the configuration")
    host = urlsplit(place).hostname
    answer = page(request, "lti_register.html.jinja", host=host, fields={**fields, "token": token})
    answer.headers["referrer-policy"] = "strict-origin"  # the address is a secret
    return answer


@router.post("/register")
def register_here(request: Request, form: AnyForm) -> Response:
    """Register the service at a platform. The link is used up first, so that it cannot be tried repeatedly."""
    state, now = state_of(request), state_of(request).now()
    with state.database.writing() as session:
        use_registration_link(session, text_in(form, "token"), now)
    place, token = text_in(form, "openid_configuration"), text_in(form, "registration_token")
    made = registered_at(state.lti, place, token, state.origin)
    with state.database.writing() as session:
        ensure_key(session, now)
        if platform_named(session, made.issuer, made.client_id) is not None:
            raise RefusedError("This registration exists already, so nothing was changed. The operator can change it.")
        register(session, made, state.lti, now)
    return page(request, "lti_registered.html.jinja", name=made.name)


def selection_page(request: Request, token: str, selection: AssignmentSelection, form: EnteredForm) -> Response:
    """The page for the choice. Only the platform may show it in a frame."""
    assignments, platform = state_of(request).cache.all(), selection.context.platform
    answer = page(
        request,
        "lti_selection.html.jinja",
        status_code=form.status,
        token=token,
        selection=selection,
        assignments=assignments,
        form=form,
    )
    origins = {origin_of(each) for each in (selection.return_url, platform.issuer, platform.authorization_url)}
    answer.headers["content-security-policy"] = POLICY.replace(
        "frame-ancestors 'none'", f"frame-ancestors {' '.join(sorted(origins))}"
    )
    return answer


@router.post("/deep-linking")
def choose(request: Request, form: AnyForm) -> Response:
    """Return the chosen assignments to the platform, by a form of the browser."""
    state, now = state_of(request), state_of(request).now()
    chosen = [state.cache.assignment(name) for name in texts_in(form, "assignment")]
    with state.database.writing() as session:
        if not chosen:
            token = text_in(form, "token")
            missing = entered(form, FieldError("assignment", "No assignment is chosen. Choose at least one."))
            return selection_page(request, token, selection_of(session, token, now), missing)
        selection = use_selection(session, text_in(form, "token"), now)
        made = return_form(selection, chosen, state.origin, signing_key(session, now))
        answer = page(request, "lti_return.html.jinja", made=made, platform=selection.context.platform.name)
    policy = POLICY.replace("form-action 'self'", f"form-action {origin_of(made.address)}")
    answer.headers["content-security-policy"] = policy.replace("frame-ancestors 'none'", "frame-ancestors *")
    return answer
