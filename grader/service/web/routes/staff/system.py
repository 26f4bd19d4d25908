"""The page about stations, the queue, and attempts that were not graded because of a fault, and the routes of the audit
trail: its pages, and the whole trail as a file. On a page, the lines of one click, such as new links for all students,
are one entry.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated, get_args

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from grader.common.record import replace
from grader.service.course.assignments import classes_of
from grader.service.db.audit import AuditFilter, By, audit_after, audit_page
from grader.service.db.tables.audit import AuditRow
from grader.service.exports.csv import AUDIT_HEADINGS, audit_lines_csv
from grader.service.grades.decisions.regrading import try_again
from grader.service.grades.views import faulted
from grader.service.people.roster import shared_names
from grader.service.submissions.health import queues_of, stations_of
from grader.service.web.auth import RowNumber, Teacher, TeacherForm
from grader.service.web.http.responses import CSV, download_headers
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")

FEWEST_ENTRIES, MAX_QUERIES = 50, 10
"""A page reads further lines until it has this number of entries, with at most this number of queries."""


@router.get("/system")
def system(request: Request, member: Teacher) -> Response:
    """The page with stations, queues, faults, and problems with the course or the database."""
    state = state_of(request)
    with state.database.reading() as session:
        stations = stations_of(session, state.now())
        queues = queues_of(session, classes_of(state.cache), state.now())
        faults, shared = faulted(session), shared_names(session)
    return page(
        request,
        "system.html.jinja",
        member,
        stations=stations,
        queues=queues,
        faults=faults,
        shared=shared,
        storing=state.probe.fault(state.database),
        problems=state.cache.problems(),
        gone=state.cache.gone(),
        lost=state.cache.lost(),
        embedded=state.database.embedded,
    )


@router.post("/faults/{grading_id}/again")
def after_fault(request: Request, member: Teacher, _form: TeacherForm, grading_id: RowNumber) -> Response:
    """Grade an attempt again after a fault of the service."""
    state = state_of(request)
    with state.database.writing() as session:
        try_again(session, grading_id, member.key, state.now())
    return RedirectResponse("/course/system#faults", 303)


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    """One line, or the lines of one click about several people. `keys` are these people; empty for one line."""

    at: datetime
    who: str
    what: str
    keys: tuple[str, ...] = ()


@router.get("/audit")
def audit(request: Request, member: Teacher, wanted: Annotated[AuditFilter, Query()]) -> Response:
    """A page of changes with their authors."""
    with state_of(request).database.reading() as session:
        entries, before = _entries(session, wanted)
    return page(request, "audit.html.jinja", member, entries=entries, before=before, wanted=wanted, bys=get_args(By))


def _entries(session: Session, wanted: AuditFilter) -> tuple[Sequence[AuditEntry], int | None]:
    """The entries of a page, and the number of the last line if earlier ones follow."""
    lines: list[AuditRow] = []
    entries: Sequence[AuditEntry] = ()
    for _ in range(MAX_QUERIES):
        found = audit_page(session, wanted)
        lines += found.lines
        entries = entries_of(lines)
        if found.before is None or len(entries) >= FEWEST_ENTRIES:
            return entries, found.before
        wanted = replace(wanted, before=found.before)
    return entries, wanted.before


def entries_of(lines: Sequence[AuditRow]) -> Sequence[AuditEntry]:
    """The entries of these lines. Neighbouring lines are one entry if they have the same time and author, and the same
    words except for the person at their end.
    """
    return [_entry([*some]) for _, some in groupby(lines, lambda line: (line.at, line.who, _about_all(line)))]


def _about_all(line: AuditRow) -> str | int:
    """The words of a line without the person at their end; the number of the line if they do not end so."""
    return line.what.removesuffix(line.about) if line.about and line.what.endswith(f" {line.about}") else line.id


def _entry(lines: Sequence[AuditRow]) -> AuditEntry:
    first, keys = lines[0], tuple(sorted({line.about for line in lines}))
    if len(keys) == 1:
        return AuditEntry(at=first.at, who=first.who, what=first.what)
    words = f"{first.what.removesuffix(first.about)}{len(keys):,} people"
    return AuditEntry(at=first.at, who=first.who, what=words, keys=keys)


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
