"""The editor. It shows the text of the skeleton or of an attempt, with the remarks of the result at their lines."""

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from grader.service.db.tables.submissions import AttemptRow, DryRunRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.views import StatusRequest, status_at
from grader.service.grades.visibility import checks_of
from grader.service.submissions.dry_runs import dry_run_of
from grader.service.submissions.history import history
from grader.service.web.auth import AnyMember, Member
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm
from grader.service.web.pages import page
from grader.service.web.routes.student.assignments import as_seen, may_try
from grader.service.web.state import state_of

router = APIRouter()

SKELETON = 0
"""Number that selects the assignment's skeleton instead of an attempt."""

EDITABLE = 64 * 1024
"""Maximum number of characters of a text that can be edited. Kernels have about a tenth of that."""

TOO_LARGE = "This file is too large to be edited here. Download it, and hand in a file."

Start = Annotated[int | None, Query(ge=SKELETON)]


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
