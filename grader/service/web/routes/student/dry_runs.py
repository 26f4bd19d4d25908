"""Routes for dry runs, in which a student tries a kernel without handing it in. The URLs do not identify a dry run, so
members can see only their own.
"""

import zlib

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.db.tables.submissions import DryRunRow
from grader.service.decisions.extensions import rules_for
from grader.service.errors import NotFoundError
from grader.service.submissions.dry_runs import DryRunRequest, dry_run_of, make
from grader.service.web.auth import AnyMember, Member, OwnForm
from grader.service.web.http.responses import decompressed
from grader.service.web.http.security_headers import REPORT_POLICY
from grader.service.web.pages import page
from grader.service.web.routes.student.attempts import Number, grading_stream, open_grading_of, report_in
from grader.service.web.routes.student.hand_ins import sent_file
from grader.service.web.state import AppState, state_of

router = APIRouter()


@router.post("/assignments/{name}/try")
def try_kernel(request: Request, member: AnyMember, form: OwnForm, name: str) -> Response:
    """Queue a dry run of a file or of the text of the editor."""
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
