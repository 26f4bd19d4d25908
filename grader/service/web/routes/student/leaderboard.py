"""The leaderboard of an assignment, and the pseudonyms on it. The pages do not exist for an assignment without a
leaderboard.
"""

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.course.assignment_view import AssignmentView
from grader.service.errors import FieldError, NotFoundError, RefusedError
from grader.service.grades.leaderboard import Leaderboard, boards_for_staff, boards_for_students
from grader.service.grades.publication import hold_of
from grader.service.people.pseudonyms import MAX_LENGTH, choose_pseudonym, pseudonym_of, remove_pseudonym
from grader.service.web.auth import (
    AnyMember,
    Instructor,
    Member,
    OwnForm,
    RowNumber,
    StaffForm,
    User,
    person_of,
    text_in,
)
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.pages import page
from grader.service.web.state import state_of

router = APIRouter()


@router.get("/assignments/{name}/leaderboard")
def leaderboard(request: Request, member: AnyMember, name: str) -> Response:
    """The page of the leaderboard. Students see pseudonyms, and people who teach see names."""
    return _leaderboard_page(request, member, name, NOTHING_ENTERED)


def _leaderboard_page(request: Request, member: Member, name: str, form: EnteredForm) -> Response:
    shown = with_leaderboard(request, name)
    with state_of(request).database.reading() as session:
        boards, own, hold = seen_by(session, member, name), pseudonym_of(session, member.id), hold_of(session, name)
    return page(
        request,
        "leaderboard.html.jinja",
        member,
        form.status,
        form=form,
        assignment=shown,
        boards=boards,
        hold=hold,
        pseudonym=own,
        longest=MAX_LENGTH,
    )


def with_leaderboard(request: Request, name: str) -> AssignmentView:
    """The assignment with this name. Raises NotFoundError if it does not have a leaderboard."""
    shown = state_of(request).cache.assignment(name)
    if not shown.policies.leaderboard:
        raise NotFoundError
    return shown


def seen_by(session: Session, user: User, name: str) -> tuple[Leaderboard, ...]:
    """The leaderboards of an assignment as this user may see them."""
    return boards_for_staff(session, name) if user.teaches else boards_for_students(session, name)


@router.post("/assignments/{name}/leaderboard/pseudonym")
def choose_own_pseudonym(request: Request, member: AnyMember, form: OwnForm, name: str) -> Response:
    """Set the member's pseudonym for all leaderboards of the course. An empty one removes the pseudonym."""
    with_leaderboard(request, name)
    if not state_of(request).pseudonym_tries.allows(f"{member.id}"):
        raise RefusedError("You have tried many pseudonyms; wait an hour before the next one.")
    try:
        with at_field("pseudonym"):
            choose_pseudonym(state_of(request).database, member.id, text_in(form, "pseudonym"))
    except FieldError as error:
        return _leaderboard_page(request, member, name, entered(form, error))
    return RedirectResponse(f"/assignments/{name}/leaderboard", 303)


@router.post("/assignments/{name}/leaderboard/{person_id}/end")
def end_pseudonym(request: Request, member: Instructor, _form: StaffForm, name: str, person_id: RowNumber) -> Response:
    """Remove an unsuitable pseudonym."""
    state = state_of(request)
    with_leaderboard(request, name)
    with state.database.writing() as session:
        remove_pseudonym(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse(f"/assignments/{name}/leaderboard", 303)
