"""The editor, handing in, and dry runs. A student sends a file, or the text of the editor. Refused files and texts come
back in their form. The editor shows the text of the skeleton or of an attempt, with the remarks of the result at their
lines.

In a dry run, a student tries a kernel without handing it in. The URLs do not identify a dry run, so members can see
only their own.
"""

import zlib
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT
from grader.service.course.groups import history
from grader.service.db.tables.submissions import AttemptRow, DryRunRow
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.grades.decisions.extensions import hand_in_rules, rules_for
from grader.service.grades.views import StatusRequest, status_at
from grader.service.grades.visibility import checks_of
from grader.service.submissions.accept import FILE_TOO_LARGE, HandInRequest, accept
from grader.service.submissions.dry_runs import DryRunRequest, TooManyDryRunsError, dry_run_of, make
from grader.service.web.auth import AnyMember, Member, SentForm, file_in, text_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.http.responses import REPORT_POLICY, decompressed
from grader.service.web.pages import page
from grader.service.web.routes.student.assignments import AssignmentForms, as_seen, assignment_of, may_try
from grader.service.web.routes.student.attempts import Number, grading_stream, open_grading_of, report_in
from grader.service.web.state import AppState, arrival_of, state_of

SKELETON = 0
"""Number that selects the assignment's skeleton instead of an attempt."""

EDITABLE = 64 * 1024
"""Maximum number of characters of a text that can be edited. Kernels have about a tenth of that."""

TOO_LARGE = "This file is too large to be edited here. Download it, and hand in a file."

Start = Annotated[int | None, Query(ge=SKELETON)]

router = APIRouter()

TOO_MANY_REQUESTS = 429
"""HTTP status of the answer to too many dry runs within an hour."""


@router.get("/assignments/{name}/edit")
def edit(request: Request, member: AnyMember, name: str, start: Start = None) -> Response:
    """The editor with the attempt that has this number. Without a number, it shows the latest attempt, or the skeleton
    if the student does not have attempts.
    """
    with state_of(request).database.reading() as session:
        attempts = {each.number: each for each in history(session, member.id, name)}
        chosen = max(attempts, default=SKELETON) if start is None else start
        if chosen != SKELETON and chosen not in attempts:
            raise NotFoundError
        return _editor(request, session, member, name, attempts.get(chosen))


@router.get("/assignments/{name}/try/edit")
def edit_tried(request: Request, member: AnyMember, name: str) -> Response:
    """The editor with the kernel that the member tried last."""
    state = state_of(request)
    with state.database.reading() as session:
        dry_run = dry_run_of(session, member.id, name, state.now())
        if dry_run is None:
            raise NotFoundError
        return _editor(request, session, member, name, dry_run)


def editor_with(request: Request, member: Member, name: str, form: EnteredForm) -> Response:
    """The editor with a text that was sent and cannot be handed in."""
    with state_of(request).database.reading() as session:
        return _editor(request, session, member, name, form)


def _editor(
    request: Request,
    session: Session,
    member: Member,
    name: str,
    start: AttemptRow | DryRunRow | EnteredForm | None,
) -> Response:
    """The editor with a file, with the text of a form that was sent, or with the skeleton."""
    form, file = (start, None) if isinstance(start, EnteredForm) else (NOTHING_ENTERED, start)
    state = state_of(request)
    now = state.now()
    shown = as_seen(member, state.cache.assignment(name), now)
    text = shown.skeleton if file is None else text_of(file)
    if len(text) > EDITABLE:
        raise RefusedError(TOO_LARGE)
    asked = StatusRequest(person_id=member.id, access=member.access, now=now)
    status = status_at(session, state.cache.all(), name, asked)
    attempt = file if isinstance(file, AttemptRow) else None
    grading = file.grading if isinstance(file, DryRunRow) else None if attempt is None else attempt.counted
    return page(
        request,
        "edit.html.jinja",
        member,
        form.status,
        form=form,
        assignment=shown,
        file=file,
        attempt=attempt,
        text=text,
        remarks=() if grading is None else checks_of(grading).remarks,
        refusal=status.refusal,
        may_try=may_try(status, now),
        cost="" if member.teaches else status.hand_in_cost(now),
    )


def text_of(file: AttemptRow | DryRunRow) -> str:
    """The file as text. Bytes that are not UTF-8 become replacement characters."""
    return file.data.decode("utf-8-sig", "replace")


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


@router.post("/assignments/{name}/try")
def try_kernel(request: Request, member: AnyMember, form: SentForm, name: str) -> Response:
    """Queue a dry run of a file or of the text of the editor. If it is refused, its form is shown again."""
    if form is None:
        return too_large(request, member, name)
    try:
        return _queued(request, member, form, name)
    except NotFoundError:
        raise
    except TooManyDryRunsError as error:
        answer = form_again(request, member, form, name, error)
        answer.status_code = TOO_MANY_REQUESTS
        answer.headers["retry-after"] = str(error.seconds)
        return answer
    except RefusedError as error:
        return form_again(request, member, form, name, error)


def _queued(request: Request, member: Member, form: FormData, name: str) -> Response:
    state = state_of(request)
    shown = state.cache.assignment(name)
    _, data = sent_file(form)
    asked = DryRunRequest(person_id=member.id, assignment=name, data=data, per_hour=shown.policies.dry_runs)
    with state.database.writing() as session:
        make(session, asked, rules_for(session, shown, member.id), state.now())
    return RedirectResponse(f"/assignments/{name}/try", 303)


@router.get("/assignments/{name}/try")
def dry_run_page(request: Request, member: AnyMember, name: str) -> Response:
    """The progress or the result of the member's latest dry run."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        dry_run = _own(state, session, member, name)
        grading = dry_run.grading
        is_open = grading.shown_state.open
        open_grading = open_grading_of(state, session, member, grading) if is_open else None
        stored = grading.early_result
    return page(
        request,
        "dry_run.html.jinja",
        member,
        assignment=shown,
        dry_run=dry_run,
        grading=grading,
        open_grading=open_grading,
        report=None if stored is None else report_in(zlib.decompress(stored)),
    )


@router.get("/assignments/{name}/try/events")
def dry_run_events(request: Request, member: AnyMember, name: str, after: Number = 0) -> Response:
    """Events of the member's latest dry run, from now on or after the last one that the browser has received."""
    state = state_of(request)
    with state.database.reading() as session:
        grading_id = _own(state, session, member, name).grading.id
    return grading_stream(request, member, grading_id, after)


@router.get("/assignments/{name}/try/report")
def dry_run_report(request: Request, member: AnyMember, name: str) -> Response:
    """The report of the member's latest dry run."""
    state = state_of(request)
    with state.database.reading() as session:
        drawn = _own(state, session, member, name).grading.page
    if drawn is None:
        raise NotFoundError
    return decompressed(drawn, "text/html; charset=utf-8", {"content-security-policy": REPORT_POLICY})


def _own(state: AppState, session: Session, member: Member, name: str) -> DryRunRow:
    """The member's latest dry run at an assignment. Raises NotFoundError if there is none."""
    found = dry_run_of(session, member.id, name, state.now())
    if found is None:
        raise NotFoundError
    return found
