"""Routes of the audit trail: its pages, and the whole trail as a file."""

from collections.abc import Iterator
from typing import Annotated, get_args

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from grader.service.db.audit import AuditFilter, By, audit_after, audit_page
from grader.service.exports.csv import AUDIT_HEADINGS, audit_lines_csv
from grader.service.web.auth import Teacher
from grader.service.web.http.responses import CSV, download_headers
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")


@router.get("/audit")
def audit(request: Request, member: Teacher, wanted: Annotated[AuditFilter, Query()]) -> Response:
    """A page of changes with their authors."""
    with state_of(request).database.reading() as session:
        found = audit_page(session, wanted)
    return page(request, "audit.html.jinja", member, found=found, wanted=wanted, bys=get_args(By))


@router.get("/audit.csv")
def whole_audit(request: Request, _member: Teacher) -> Response:
    """All lines as a CSV file, the earliest first."""
    return StreamingResponse(_parts(state_of(request)), media_type=CSV, headers=download_headers("audit.csv"))


def _parts(state: AppState) -> Iterator[bytes]:
    """Yield the file in parts. Each is read in a separate transaction, so that a slow client does not keep one open.
    This is consistent because lines never change.
    """
    yield AUDIT_HEADINGS
    number = 0
    while True:
        with state.database.reading() as session:
            lines = audit_after(session, number)
        if not lines:
            return
        yield audit_lines_csv(lines)
        number = lines[-1].id
