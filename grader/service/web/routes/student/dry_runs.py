"""Routes for dry runs, in which a student tries a kernel without handing it in. The URLs do not identify a dry run, so
members can see only their own.
"""

import zlib

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.db.tables.submissions import DryRunRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.decisions.extensions import rules_for
from grader.service.submissions.dry_runs import DryRunRequest, TooManyDryRunsError, dry_run_of, make
from grader.service.web.auth import AnyMember, Member, SentForm
from grader.service.web.http.responses import REPORT_POLICY, decompressed
from grader.service.web.pages import page
from grader.service.web.routes.student.attempts import Number, grading_stream, open_grading_of, report_in
from grader.service.web.routes.student.hand_ins import form_again, sent_file, too_large
from grader.service.web.state import AppState, state_of

router = APIRouter()

TOO_MANY_REQUESTS = 429
"""HTTP status of the answer to too many dry runs within an hour."""


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
