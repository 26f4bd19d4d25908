"""The page of learning platforms for people who teach: connected courses, their rosters, and scores."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.record import Record
from grader.course.folders import read_text
from grader.grading.installation import shipped
from grader.service.course.handouts import render_handout
from grader.service.db.outbox import SendState
from grader.service.db.tables.lti import LtiScoreRow
from grader.service.errors import FieldError
from grader.service.lti.registrations import connect, context_of, contexts, disconnect, platforms
from grader.service.lti.services.groups import choose_groups, group_sets
from grader.service.lti.services.roster import request_roster
from grader.service.lti.services.scores import send_again
from grader.service.people.roster import shared_names
from grader.service.web.auth import Instructor, Member, RowNumber, StaffForm, Teacher, text_in, texts_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course/platforms")

SCORES_PER_PAGE = 80
"""Number of scores on a page. A form has at most 100 fields."""


class ScoreFilter(Record):
    """Query string of the page: the state of the listed scores, and the number of the score after which they begin."""

    state: Literal["to send", "sent", "refused"] = "refused"
    after: int = Field(default=0, ge=0, lt=2**31)


@router.get("")
def show_platforms(request: Request, member: Teacher, asked: Annotated[ScoreFilter, Query()]) -> Response:
    """The page of registrations, courses and scores."""
    return _page(request, member, asked, NOTHING_ENTERED)


def _page(request: Request, member: Member, asked: ScoreFilter, form: EnteredForm) -> Response:
    with state_of(request).database.reading() as session:
        counted = select(LtiScoreRow.state, func.count()).group_by(LtiScoreRow.state)
        numbers = dict(session.execute(counted).all())
        found = _scores(session, asked)
        return page(
            request,
            "platforms.html.jinja",
            member,
            form.status,
            form=form,
            asked=asked,
            states=[*SendState],
            numbers=numbers,
            scores=found[:SCORES_PER_PAGE],
            more=found[SCORES_PER_PAGE - 1].id if len(found) > SCORES_PER_PAGE else 0,
            platforms=platforms(session),
            contexts=contexts(session),
            group_sets=group_sets,
            shared=shared_names(session),
        )


def _scores(session: Session, asked: ScoreFilter) -> Sequence[LtiScoreRow]:
    wanted = select(LtiScoreRow).where(LtiScoreRow.state == asked.state, LtiScoreRow.id > asked.after)
    with_people = wanted.options(joinedload(LtiScoreRow.person), joinedload(LtiScoreRow.context))
    return session.scalars(with_people.order_by(LtiScoreRow.id).limit(SCORES_PER_PAGE + 1)).all()


@router.get("/guide")
def show_guide(request: Request, member: Teacher) -> Response:
    """The guide to learning platforms. It belongs to this version of grader, and needs no access to the internet."""
    return page(request, "guide.html.jinja", member, title="Learning platforms, guide", guide=_guide())


@cache
def _guide() -> str:
    return render_handout(read_text(shipped() / "docs" / "lti.md"))


@router.post("/{context_id}/connection")
def connect_course(request: Request, member: Instructor, form: StaffForm, context_id: RowNumber) -> Response:
    """Connect a course of a platform, or disconnect it."""
    state = state_of(request)
    with state.database.writing() as session:
        change = disconnect if text_in(form, "ends") else connect
        change(session, context_of(session, context_id), member.key, state.now())
    return RedirectResponse("/course/platforms", 303)


@router.post("/{context_id}/roster")
def read_roster_now(request: Request, _member: Instructor, _form: StaffForm, context_id: RowNumber) -> Response:
    """Let the service read the roster of a course soon."""
    state = state_of(request)
    with state.database.writing() as session:
        request_roster(context_of(session, context_id), state.now())
    return RedirectResponse("/course/platforms", 303)


@router.post("/{context_id}/groups")
def use_groups(request: Request, member: Instructor, form: StaffForm, context_id: RowNumber) -> Response:
    """Let students hand in with their groups in a set of the platform, or stop reading groups."""
    state = state_of(request)
    with state.database.writing() as session:
        choose_groups(session, context_of(session, context_id), text_in(form, "set"), member.key, state.now())
    return RedirectResponse("/course/platforms", 303)


@router.post("/scores")
def send_scores_again(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Send the ticked scores again, or all refused ones."""
    state = state_of(request)
    ticked = [int(each) for each in texts_in(form, "score") if each.isascii() and each.isdigit() and len(each) < 10]
    which = LtiScoreRow.state == SendState.REFUSED if text_in(form, "all") else LtiScoreRow.id.in_(ticked)
    with state.database.writing() as session:
        rows = session.scalars(select(LtiScoreRow).where(which)).all()
        if not rows:
            shown = text_in(form, "state")
            asked = ScoreFilter.model_validate({"state": shown} if shown in {*SendState} else {})
            missing = FieldError("score", "No score is ticked, so none is sent again. Tick at least one.")
            return _page(request, member, asked, entered(form, missing))
        send_again(session, rows, member.key, state.now())
    return RedirectResponse("/course/platforms?state=to+send", 303)
