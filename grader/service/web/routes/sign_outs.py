"""Instructors end whatever signs somebody in."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.auth.sessions import end_all, ways_in
from grader.service.web.auth import Instructor, RowNumber, StaffForm, person_of
from grader.service.web.pages import Confirmation, confirmation_page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.get("/people/{person_id}/sign-out")
def ask_to_sign_out(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page that says what will end, with the button that signs the person out."""
    web = state_of(request)
    with web.database.reading() as session:
        person = person_of(session, person_id)
        ended = ways_in(session, person, web.now())
    asked = Confirmation(
        question=f"Sign {person.name} out everywhere?",
        says=(f"This ends {ended}.", f"{person.name} then needs a new link or another way to sign in."),
        action=f"/course/people/{person_id}/sign-out",
        button="Sign out everywhere",
        back="/course/people",
    )
    return confirmation_page(request, member, asked)


@router.post("/people/{person_id}/sign-out")
def sign_out_everywhere(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """End somebody's sessions, tokens and links: they need a new link."""
    web = state_of(request)
    with web.database.writing() as session:
        end_all(session, person_of(session, person_id), member.key, web.now())
    return RedirectResponse("/course/people", 303)
