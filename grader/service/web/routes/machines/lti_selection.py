"""The page on which an instructor chooses assignments for a course of a learning platform (deep linking)."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from grader.service.errors import FieldError
from grader.service.lti.keys import signing_key
from grader.service.lti.launches.deep_linking import (
    AssignmentSelection,
    return_form,
    selection_of,
    use_selection,
)
from grader.service.web.auth import AnyForm, text_in, texts_in
from grader.service.web.forms import EnteredForm, entered
from grader.service.web.http.request_headers import origin_of
from grader.service.web.http.security_headers import POLICY
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter(prefix="/lti")


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
