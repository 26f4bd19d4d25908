"""The page on which a person switches kinds of mail on and off. It exists only if mail is configured."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.db.outbox import MailKind, choose_mails, switched_off
from grader.service.errors import NotFoundError
from grader.service.web.auth import AnyMember, OwnForm, texts_in
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()

WORDS = {
    MailKind.GRADED: "An attempt of mine is graded.",
    MailKind.REGRADED: "An attempt of mine is graded again.",
    MailKind.ANSWERED: "A question of mine is answered.",
    MailKind.EXTENDED: "I get an extension.",
}


@router.get("/mails")
def mails(request: Request, member: AnyMember) -> Response:
    """The page that shows which kinds of mail are on."""
    with _with_mail(request).database.reading() as session:
        off = switched_off(session, member.id)
    return page(request, "mails.html.jinja", member, words=WORDS, off=off)


@router.post("/mails")
def save_choices(request: Request, member: AnyMember, form: OwnForm) -> Response:
    """Switch the ticked kinds of mail on, and all others off."""
    wanted = {each for each in MailKind if each in texts_in(form, "kind")}
    with _with_mail(request).database.writing() as session:
        choose_mails(session, member.id, wanted)
    return RedirectResponse("/mails", 303)


def _with_mail(request: Request) -> AppState:
    state = state_of(request)
    if state.sign_in.mail is None:
        raise NotFoundError
    return state
