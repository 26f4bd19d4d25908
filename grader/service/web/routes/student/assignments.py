"""The pages of a student: all assignments, one assignment, and the comparison of two attempts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.record import Record, replace
from grader.course.submissions.submission import FILE_NAME
from grader.service.course.assignment_view import AssignmentView
from grader.service.course.groups import belongs_to
from grader.service.course.limits import is_open
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import NotFoundError
from grader.service.grades.views import AssignmentStatus, StatusRequest, next_of, points_chart, status_at, statuses_of
from grader.service.grades.visibility import points_change
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.submissions.diff import compared
from grader.service.web.auth import (
    MAX_ROW_NUMBER,
    AnyMember,
    Member,
    PerhapsMember,
    person_of,
)
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm
from grader.service.web.http.responses import download_headers
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter()

COMPARISON_LIMIT = ConcurrencyLimiter(2, "Many attempts are being compared right now; try again in a moment.")
"""Limits comparisons, because each keeps a processor busy in the process that renders all pages."""


class PairOfAttempts(Record):
    """Two attempts at an assignment, by their numbers."""

    old: int = Field(ge=1, le=MAX_ROW_NUMBER)
    new: int = Field(ge=1, le=MAX_ROW_NUMBER)


AnyPair = Annotated[PairOfAttempts, Query()]


@dataclass(frozen=True, kw_only=True)
class AssignmentForms:
    """The filled-in forms of an assignment's page."""

    hand_in: EnteredForm = NOTHING_ENTERED
    extension: EnteredForm = NOTHING_ENTERED
    decision: EnteredForm = NOTHING_ENTERED

    @property
    def status(self) -> int:
        """Status of the page."""
        return max(self.hand_in.status, self.extension.status, self.decision.status)


NO_FORMS = AssignmentForms()
"""Forms of a page that is opened."""


@router.get("/")
def home(request: Request, member: PerhapsMember) -> Response:
    """All assignments, with the student's points."""
    if member is None:
        return RedirectResponse("/sign-in", 303)
    return home_of(request, member, None)


def home_of(request: Request, member: Member, person_id: int | None) -> Response:
    """The page of all assignments for a person. `person_id` is None for the member's own page."""
    state = state_of(request)
    with state.database.reading() as session:
        owner = person_of(session, member.id if person_id is None else person_id)
        asked = StatusRequest(person_id=owner.id, access=member.access, now=state.now())
        statuses = statuses_of(session, state.cache.all(), asked)
    following = next_of(statuses) if owner.role == CourseRole.STUDENT else None
    base = base_of(owner, person_id)
    return page(request, "home.html.jinja", member, statuses=statuses, owner=owner, base=base, next=following)


@router.get("/guide")
def guide(request: Request, member: AnyMember) -> Response:
    """The guide to reading a report."""
    return page(request, "guide.html.jinja", member, title="Reading a report", guide=state_of(request).cache.guide())


@router.get("/assignments/{name}")
def assignment(request: Request, member: AnyMember, name: str) -> Response:
    """The page with the handout, a form to hand in, and all attempts."""
    return assignment_of(request, member, name, None)


def assignment_of(
    request: Request,
    member: Member,
    name: str,
    person_id: int | None,
    forms: AssignmentForms = NO_FORMS,
) -> Response:
    """The page of an assignment for a person. `person_id` is None for the member's own page."""
    state = state_of(request)
    shown = as_seen(member, state.cache.assignment(name), state.now())
    with state.database.reading() as session:
        owner = person_of(session, member.id if person_id is None else person_id)
        asked = StatusRequest(person_id=owner.id, access=member.access, now=state.now())
        status = status_at(session, state.cache.all(), name, asked)
    return page(
        request,
        "assignment.html.jinja",
        member,
        forms.status,
        status=status,
        forms=forms,
        cost="" if member.teaches else status.hand_in_cost(state.now()),
        may_try=may_try(status, state.now()),
        assignment=shown,
        chart=points_chart(status.attempts),
        owner=owner,
        base=base_of(owner, person_id),
    )


def may_try(status: AssignmentStatus, now: datetime) -> bool:
    """True if the person may try a kernel now. Attempts and the due date do not matter."""
    allowed = status.assignment.policies.dry_runs > 0 and not status.held_back
    return allowed and not status.rules.gone and is_open(status.rules, now)


def as_seen(member: Member, assignment: AssignmentView, now: datetime) -> AssignmentView:
    """The assignment as the member may see it. Before it opens, students do not see the handout and the skeleton."""
    if member.teaches or is_open(assignment.rules, now):
        return assignment
    return replace(assignment, handout="", skeleton="")


@router.get("/assignments/{name}/skeleton")
def skeleton(request: Request, member: AnyMember, name: str) -> Response:
    """The skeleton, which is the file to start from."""
    state = state_of(request)
    text = as_seen(member, state.cache.assignment(name), state.now()).skeleton
    if not text:
        raise NotFoundError
    return Response(text.encode(), media_type="application/octet-stream", headers=download_headers(FILE_NAME))


@router.get("/assignments/{name}/compare")
def compare(request: Request, member: AnyMember, name: str, pair: AnyPair) -> Response:
    """The changes from one attempt to another."""
    return comparison_of(request, member, name, None, pair)


def comparison_of(request: Request, member: Member, name: str, person_id: int | None, pair: PairOfAttempts) -> Response:
    """The comparison of two attempts of a person. `person_id` is None for the member's own attempts."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with COMPARISON_LIMIT.slot(), state.database.reading() as session:
        owner = person_of(session, member.id if person_id is None else person_id)
        old, new = (_attempt(session, owner, name, number) for number in (pair.old, pair.new))
        lines = compared(old.data, new.data)
        change = points_change(member.access.result(old), member.access.result(new))
    return page(
        request,
        "compare.html.jinja",
        member,
        assignment=shown,
        lines=lines,
        change=change,
        old=old,
        new=new,
        owner=owner,
        base=base_of(owner, person_id),
    )


def _attempt(session: Session, owner: PersonRow, name: str, number: int) -> AttemptRow:
    query = session.query(AttemptRow).filter(belongs_to([owner.id])).filter_by(assignment=name, number=number)
    found = query.one_or_none()
    if found is None:
        raise NotFoundError
    return found


def base_of(owner: PersonRow, person_id: int | None) -> str:
    """The beginning of the paths of a person's pages; empty for the member's own pages."""
    return "" if person_id is None else f"/course/people/{owner.id}"
