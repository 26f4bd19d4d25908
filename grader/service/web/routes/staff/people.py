"""The roster, and pages on which an instructor adds, changes, deactivates and removes one person, or signs the person
out everywhere.
"""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import select
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.people import has_words, sort_key
from grader.common.phrases import listed as listed_in_words
from grader.service.db.tables.access import SessionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import FieldError
from grader.service.people.auth.sessions import end_all_access, ways_to_sign_in
from grader.service.people.members import (
    activate,
    add,
    attempts_of,
    change,
    deactivate,
    remove,
    removed_with,
    require_removable,
)
from grader.service.people.roster import RosterImport, RosterLine, import_roster, listed_as
from grader.service.web.auth import Instructor, Member, RowNumber, StaffForm, Teacher, person_of, text_in, upload_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, at_field, entered
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.state import state_of

router = APIRouter(prefix="/course/people")


class PeopleFilter(RosterImport):
    """Query string of the roster's page: the result of an upload, and the words of a search."""

    find: str = Field(default="", max_length=200)


ALL_PEOPLE = PeopleFilter()


@router.get("")
def people(request: Request, member: Teacher, asked: Annotated[PeopleFilter, Query()]) -> Response:
    """The page of the roster, or of the people whose name or key contains the words of a search. After an upload it
    also shows the result.
    """
    return _people_page(request, member, asked)


def _people_page(
    request: Request,
    member: Member,
    asked: PeopleFilter,
    roster: EnteredForm = NOTHING_ENTERED,
    person: EnteredForm = NOTHING_ENTERED,
) -> Response:
    """The page of the roster, with the filled-in forms for uploading a roster and for adding a person."""
    with state_of(request).database.reading() as session:
        everybody = session.scalars(select(PersonRow)).all()
        came = set(session.scalars(select(SessionRow.person_id)))
    found = [each for each in everybody if has_words(f"{each.name} {each.key}", asked.find)]
    found.sort(key=lambda each: (each.role, sort_key(each.name)))
    status = max(roster.status, person.status)
    values = {"people": found, "came": came, "asked": asked, "roster": roster, "person_form": person}
    values |= {"has_providers": bool(state_of(request).sign_in.ci_providers)}
    return page(request, "people.html.jinja", member, status, roles=list(CourseRole), **values)


@router.post("/roster")
def upload_roster(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Import a roster."""
    state = state_of(request)
    try:
        data = upload_in(form, "file", "Choose the CSV file of the roster.")
        with at_field("file"):
            taken_in = import_roster(state.database, data, member.key, state.now())
    except FieldError as error:
        return _people_page(request, member, ALL_PEOPLE, roster=entered(form, error))
    return RedirectResponse(f"/course/people?{urlencode(taken_in.model_dump())}", 303)


@router.post("")
def add_person(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Add a person, and redirect to the person's line, which has the button for a sign-in link."""
    state = state_of(request)
    try:
        with state.database.writing() as session:
            person = add(session, _listed(form), member.key, state.now())
    except FieldError as error:
        return _people_page(request, member, ALL_PEOPLE, person=entered(form, error))
    return RedirectResponse(f"/course/people#person-{person.id}", 303)


@router.get("/{person_id}/edit")
def edit_person(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page to change a person's name, key, role and group, with links to deactivate and remove the person."""
    return _person_page(request, member, person_id, NOTHING_ENTERED)


def _person_page(request: Request, member: Member, person_id: int, form: EnteredForm) -> Response:
    with state_of(request).database.reading() as session:
        person = person_of(session, person_id)
        values = {"person": person, "roles": list(CourseRole), "attempts": attempts_of(session, person)}
    return page(request, "person.html.jinja", member, form.status, form=form, **values)


@router.post("/{person_id}/edit")
def change_person(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber) -> Response:
    """Change a person's name, key, role and group."""
    state = state_of(request)
    try:
        with state.database.writing() as session:
            change(session, person_of(session, person_id), _listed(form), member.key, state.now())
    except FieldError as error:
        return _person_page(request, member, person_id, entered(form, error))
    return RedirectResponse(f"/course/people#person-{person_id}", 303)


@router.get("/{person_id}/deactivation")
def ask_to_deactivate(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page that explains which access will end, with a button to confirm the deactivation."""
    state = state_of(request)
    with state.database.reading() as session:
        person = person_of(session, person_id)
        ended = ways_to_sign_in(session, person, state.now())
    asked = Confirmation(
        question=f"Deactivate {person.name}?",
        says=(
            f"{person.name} can no longer sign in.",
            f"This ends {ended}.",
            "Attempts and grades stay in tables and exports.",
            f"You can activate {person.name} again. {person.name} then needs a new link or another way to sign in.",
        ),
        action=f"/course/people/{person_id}/deactivation",
        button="Deactivate",
        back=f"/course/people/{person_id}/edit",
    )
    return confirmation_page(request, member, asked)


@router.post("/{person_id}/deactivation")
def deactivate_person(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """End all access of a person."""
    state = state_of(request)
    with state.database.writing() as session:
        deactivate(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse(f"/course/people#person-{person_id}", 303)


@router.post("/{person_id}/activation")
def activate_person(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """Allow a person to sign in again."""
    state = state_of(request)
    with state.database.writing() as session:
        activate(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse(f"/course/people#person-{person_id}", 303)


@router.get("/{person_id}/removal")
def ask_to_remove(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page that explains what is removed together with a person, with a button to confirm the removal."""
    with state_of(request).database.reading() as session:
        person = person_of(session, person_id)
        require_removable(session, person, member.key)
        goes = removed_with(session, person)
    asked = Confirmation(
        question=f"Remove {person.name} from the course?",
        says=(
            f"{person.name} ({person.key}) has not handed in anything.",
            f"This also removes {listed_in_words(goes, 'and')}." if goes else "Nothing else is removed.",
            "The audit trail keeps its lines. A removal cannot be undone.",
        ),
        action=f"/course/people/{person_id}/removal",
        button="Remove",
        back=f"/course/people/{person_id}/edit",
    )
    return confirmation_page(request, member, asked)


@router.post("/{person_id}/removal")
def remove_person(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """Remove a person who has not handed in anything."""
    state = state_of(request)
    with state.database.writing() as session:
        remove(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse("/course/people", 303)


def _listed(form: FormData) -> RosterLine:
    return listed_as(1, lambda name: text_in(form, name))


@router.get("/{person_id}/sign-out")
def ask_to_sign_out(request: Request, member: Instructor, person_id: RowNumber) -> Response:
    """Page that explains what will end, with a button to confirm the sign-out."""
    state = state_of(request)
    with state.database.reading() as session:
        person = person_of(session, person_id)
        ended = ways_to_sign_in(session, person, state.now())
    asked = Confirmation(
        question=f"Sign {person.name} out everywhere?",
        says=(f"This ends {ended}.", f"{person.name} then needs a new link or another way to sign in."),
        action=f"/course/people/{person_id}/sign-out",
        button="Sign out everywhere",
        back="/course/people",
    )
    return confirmation_page(request, member, asked)


@router.post("/{person_id}/sign-out")
def sign_out_everywhere(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """End the sessions, tokens and links of a person, who then needs a new link."""
    state = state_of(request)
    with state.database.writing() as session:
        end_all_access(session, person_of(session, person_id), member.key, state.now())
    return RedirectResponse("/course/people", 303)
