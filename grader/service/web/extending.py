"""Instructors give single students more time or more attempts."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.granting import AskedExtension, extend
from grader.service.web.members import Instructor, RowNumber, StaffForm, person_of, text_in
from grader.service.web.setting import web_of

router = APIRouter(prefix="/course")


@router.post("/people/{person_id}/assignments/{name}/extension")
def give(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber, name: str) -> Response:
    """Extend an assignment for one student, or take that back."""
    web = web_of(request)
    shown = web.shelf.assignment(name)
    asked = AskedExtension(
        who=member.key,
        until=text_in(form, "until"),
        attempts=text_in(form, "attempts"),
        reason=text_in(form, "reason"),
    )
    with web.database.writing() as session:
        extend(session, shown, person_of(session, person_id), asked, web.now())
    return RedirectResponse(f"/course/people/{person_id}/assignments/{name}", 303)
