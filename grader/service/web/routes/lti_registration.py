"""Dynamic registration: the service registers at a learning platform, through a link that the operator has made."""

from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.service.errors import RefusedError
from grader.service.lti.dynamic_registration import registered_at
from grader.service.lti.keys import ensure_key
from grader.service.lti.registrations import (
    REGISTRATION_USED_UP,
    is_registration_link,
    platform_named,
    register,
    use_registration_link,
)
from grader.service.web.auth import AnyForm, text_in
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
