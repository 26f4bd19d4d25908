"""The page Webhooks: addresses to which events of the course are sent, and the latest deliveries."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.course.webhooks import (
    MAX_ADDRESS_LENGTH,
    add_webhook,
    address_in_words,
    latest_deliveries,
    remove_webhook,
    send_again,
    send_refused_again,
    webhooks,
)
from grader.service.errors import FieldError
from grader.service.web.auth import Instructor, Member, RowNumber, StaffForm, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import NewSecret, page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course/webhooks")


@router.get("")
def webhook_page(request: Request, member: Instructor) -> Response:
    """The webhooks and the latest deliveries."""
    return _page(request, member, NOTHING_ENTERED)


def _page(request: Request, member: Member, form: EnteredForm) -> Response:
    with state_of(request).database.reading() as session:
        values = {"webhooks": webhooks(session), "deliveries": latest_deliveries(session)}
    fixed = {"shown": address_in_words, "longest": MAX_ADDRESS_LENGTH}
    return page(request, "webhooks.html.jinja", member, form.status, form=form, **fixed, **values)


@router.post("")
def add(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Add a webhook, and show its secret once."""
    state = state_of(request)
    try:
        with state.database.writing() as session:
            secret = add_webhook(session, text_in(form, "url"), member.key, state.now())
    except FieldError as error:
        return _page(request, member, entered(form, error))
    shown = NewSecret(
        title="A new webhook",
        says="Copy its secret now: it is shown only once. The receiver checks the header `x-grader-signature` with it.",
        secret=secret,
        back="/course/webhooks",
        back_to="Back to the webhooks",
    )
    return page(request, "token.html.jinja", member, shown=shown)


@router.post("/{webhook_id}/removal")
def remove(request: Request, member: Instructor, _form: StaffForm, webhook_id: RowNumber) -> Response:
    """Remove a webhook with its deliveries."""
    state = state_of(request)
    with state.database.writing() as session:
        remove_webhook(session, webhook_id, member.key, state.now())
    return RedirectResponse("/course/webhooks", 303)


@router.post("/deliveries/{delivery_id}/again")
def again(request: Request, _member: Instructor, _form: StaffForm, delivery_id: RowNumber) -> Response:
    """Send a delivery again."""
    state = state_of(request)
    with state.database.writing() as session:
        send_again(session, delivery_id, state.now())
    return RedirectResponse("/course/webhooks", 303)


@router.post("/again")
def all_again(request: Request, _member: Instructor, _form: StaffForm) -> Response:
    """Send all refused deliveries again."""
    state = state_of(request)
    with state.database.writing() as session:
        send_refused_again(session, state.now())
    return RedirectResponse("/course/webhooks", 303)
