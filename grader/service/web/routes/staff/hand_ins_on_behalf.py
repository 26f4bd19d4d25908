"""The form with which an instructor hands in on behalf of a student."""

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT
from grader.service.errors import FieldError
from grader.service.grades.decisions.extensions import rules_for
from grader.service.grades.decisions.hand_ins_on_behalf import HandInFor, arrived_in, enter, require_student
from grader.service.submissions.accept import HandInRequest
from grader.service.web.auth import Instructor, Member, RowNumber, StaffForm, file_in, person_of, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import page
from grader.service.web.state import arrival_of, state_of

router = APIRouter(prefix="/course")


@router.get("/people/{person_id}/assignments/{name}/hand-in")
def entry_form(request: Request, member: Instructor, person_id: RowNumber, name: str) -> Response:
    """The page with the form."""
    return _entry_page(request, member, person_id, name, NOTHING_ENTERED)


def _entry_page(request: Request, member: Member, person_id: int, name: str, form: EnteredForm) -> Response:
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        owner = person_of(session, person_id)
        require_student(owner)
    return page(request, "entry.html.jinja", member, form.status, assignment=shown, owner=owner, form=form)


@router.post("/people/{person_id}/assignments/{name}/attempts")
def hand_in_for(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber, name: str) -> Response:
    """Store a file as an attempt of a student, and redirect to the page of the attempt."""
    try:
        return _handed_in(request, member, form, person_id, name)
    except FieldError as error:
        return _entry_page(request, member, person_id, name, entered(form, error))


def _handed_in(request: Request, member: Member, form: FormData, person_id: int, name: str) -> Response:
    state, upload = state_of(request), file_in(form, "file")
    shown = state.cache.assignment(name)
    if upload is None:
        raise FieldError("file", f"No file was chosen; choose the student's {FILE_NAME}, then hand in.")
    now = arrival_of(request)
    arrived = arrived_in(text_in(form, "arrived"), shown.policies.zone, now)
    entry = HandInFor(who=member.key, reason=text_in(form, "reason"), arrived=arrived)
    offer = HandInRequest(
        person_id=person_id,
        assignment=name,
        file_name=upload.filename or FILE_NAME,
        data=upload.file.read(SIZE_LIMIT + 1),
        form_key=text_in(form, "form_key"),
    )
    with state.database.writing() as session:
        person_of(session, person_id)
        attempt = enter(session, offer, entry, rules_for(session, shown, person_id), now)
    return RedirectResponse(f"/attempts/{attempt.public}", 303)
