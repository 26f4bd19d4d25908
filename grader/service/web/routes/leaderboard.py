"""The leaderboard of an assignment, and the pseudonyms on it. An assignment without one has no such page."""

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.course.assignments import AssignmentView
from grader.service.course.pseudonyms import LONGEST, choose, pseudonym_of, take_away
from grader.service.errors import NotFoundError, RefusalError
from grader.service.grades.holds import hold_of
from grader.service.grades.leaderboard import Leaderboard, boards_for_staff, boards_for_students
from grader.service.web.auth import (
    AnyMember,
    Instructor,
    OwnForm,
    RowNumber,
    Somebody,
    StaffForm,
    person_of,
    text_in,
)
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter()


@router.get("/assignments/{name}/leaderboard")
def leaderboard(request: Request, member: AnyMember, name: str) -> Response:
    """Speeds under pseudonyms; instructors see names."""
    shown = with_leaderboard(request, name)
    with state_of(request).database.reading() as session:
        boards, own, hold = seen_by(session, member, name), pseudonym_of(session, member.id), hold_of(session, name)
    return page(
        request,
        "leaderboard.html.jinja",
        member,
        assignment=shown,
        boards=boards,
        hold=hold,
        pseudonym=own,
        longest=LONGEST,
    )


def with_leaderboard(request: Request, name: str) -> AssignmentView:
    """The assignment of this name; raises NotFoundError if it has no leaderboard."""
    shown = state_of(request).cache.assignment(name)
    if not shown.policies.leaderboard:
        raise NotFoundError
    return shown


def seen_by(session: Session, somebody: Somebody, name: str) -> tuple[Leaderboard, ...]:
    """The boards of an assignment as this person may see them."""
    return boards_for_staff(session, name) if somebody.teaches else boards_for_students(session, name)


@router.post("/assignments/{name}/leaderboard/pseudonym")
def call_oneself(request: Request, member: AnyMember, form: OwnForm, name: str) -> Response:
    """Choose one's pseudonym, which stands on every leaderboard of the course; an empty one ends it."""
    with_leaderboard(request, name)
    if not state_of(request).naming.allows(f"{member.id}"):
        raise RefusalError("You have tried many pseudonyms; wait an hour before the next one.")
    choose(state_of(request).database, member.id, text_in(form, "pseudonym"))
    return RedirectResponse(f"/assignments/{name}/leaderboard", 303)


@router.post("/assignments/{name}/leaderboard/{person_id}/end")
def end_pseudonym(request: Request, member: Instructor, _form: StaffForm, name: str, person_id: RowNumber) -> Response:
    """Take away a pseudonym that should not stand there."""
    web = state_of(request)
    with_leaderboard(request, name)
    with web.database.writing() as session:
        take_away(session, person_of(session, person_id), member.key, web.now())
    return RedirectResponse(f"/assignments/{name}/leaderboard", 303)
