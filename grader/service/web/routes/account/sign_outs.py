"""Pages on which an instructor signs a person out everywhere."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.people.auth.sessions import end_all_access, ways_to_sign_in
from grader.service.web.auth import Instructor, RowNumber, StaffForm, person_of
from grader.service.web.pages import Confirmation, confirmation_page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.get("/people/{person_id}/sign-out")
def ask_to_sign_out(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page that explains what will end, with a button to confirm the sign-out."""
    state = state_of(request)
    with state.database.reading() as session:
        person = person_of(session, person_id)
        ended = ways_to_sign_in(session, person, state.now())
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
    """End the sessions, tokens and links of a person, who then needs a new link."""
    state = state_of(request)
    with state.database.writing() as session:
        end_all_access(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse("/course/people", 303)
