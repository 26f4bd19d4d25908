"""Instructors end whatever signs somebody in."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.signing_in import end_all
from grader.service.web.members import Instructor, RowNumber, StaffForm, person_of
from grader.service.web.setting import web_of

router = APIRouter(prefix="/course")


@router.post("/people/{person_id}/sign-out")
def sign_out_everywhere(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """End somebody's sessions, tokens and links: they need a new link."""
    web = web_of(request)
    with web.database.writing() as session:
        end_all(session, person_of(session, person_id), member.key, web.now())
    return RedirectResponse("/course/people", 303)
