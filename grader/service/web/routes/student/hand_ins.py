"""Handing in: a student sends a file, or the text of the editor. Refused files and texts come back in their form."""

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT
from grader.service.errors import FieldError, RefusedError
from grader.service.grades.decisions.extensions import hand_in_rules
from grader.service.submissions.accept import FILE_TOO_LARGE, HandInRequest, accept
from grader.service.web.auth import AnyMember, Member, SentForm, file_in, text_in
from grader.service.web.forms import EnteredForm, entered
from grader.service.web.routes.student.assignments import AssignmentForms, assignment_of
from grader.service.web.routes.student.editor import EDITABLE, editor_with
from grader.service.web.state import arrival_of, state_of

router = APIRouter()


@router.post("/assignments/{name}/attempts")
def hand_in(request: Request, member: AnyMember, form: SentForm, name: str) -> Response:
    """Store a file or the text of the editor. Only then comes the answer, which redirects to the attempt."""
    if form is None:
        return too_large(request, member, name)
    try:
        return _handed_in(request, member, form, name)
    except FieldError as error:
        return form_again(request, member, form, name, error)


def too_large(request: Request, member: Member, name: str) -> Response:
    """The page of the assignment, with the message that a file is too large."""
    refused = EnteredForm(values={}, field="file", message=FILE_TOO_LARGE)
    return assignment_of(request, member, name, None, AssignmentForms(hand_in=refused))


def form_again(request: Request, member: Member, form: FormData, name: str, error: RefusedError) -> Response:
    """The page from which a file or a text was sent, with the reason why it was refused. The editor keeps its text."""
    if file_in(form, "file") is not None or "text" not in form:
        refused = entered(form, FieldError("file", str(error)))
        return assignment_of(request, member, name, None, AssignmentForms(hand_in=refused))
    if len(text_in(form, "text")) > EDITABLE:
        raise error
    return editor_with(request, member, name, entered(form, FieldError("text", str(error))))


def _handed_in(request: Request, member: Member, form: FormData, name: str) -> Response:
    state = state_of(request)
    state.cache.assignment(name)
    file_name, data = sent_file(form)
    form_key = text_in(form, "form_key")
    offer = HandInRequest(person_id=member.id, assignment=name, file_name=file_name, data=data, form_key=form_key)
    with state.database.writing() as session:
        rules = hand_in_rules(session, state.cache.all(), name, member.id)
        attempt = accept(session, offer, rules, arrival_of(request))
    return RedirectResponse(f"/attempts/{attempt.public}", 303)


def sent_file(form: FormData) -> tuple[str, bytes]:
    """The name and content of the file that a form sends, or of the text of the editor. Raises FieldError if the form
    has neither. Reading stops as soon as a file is too large.
    """
    upload = file_in(form, "file")
    if upload is not None:
        return upload.filename or FILE_NAME, upload.file.read(SIZE_LIMIT + 1)
    if "text" not in form:
        raise FieldError("file", f"No file was chosen; choose your {FILE_NAME} first.")
    return FILE_NAME, text_in(form, "text").encode("utf-8", "replace").replace(b"\r\n", b"\n")
