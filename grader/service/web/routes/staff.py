"""The pages of instructors. For other people they do not exist."""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import count
from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.auth.sessions import NEWCOMERS, invite, invite_all, links_digest, newcomers, unused_links
from grader.service.course.roster import RosterImport, import_roster, shared_names
from grader.service.db.batches import in_batches
from grader.service.db.models import PersonRow, SessionRow
from grader.service.db.names import by_name, has_words, sort_key
from grader.service.decisions.regrading import Selection, Which, regrade, regrade_older, try_again
from grader.service.errors import RefusedError
from grader.service.exports.csv import links_csv
from grader.service.grades.views import faulted
from grader.service.web.auth import (
    Instructor,
    RowNumber,
    StaffForm,
    Teacher,
    TeacherForm,
    file_in,
    person_of,
    text_in,
)
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.responses import csv_file
from grader.service.web.routes.assignments import AnyPair, assignment_of, comparison_of, home_of
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")

LINKS_CHANGED = (
    "Links were made or used after you opened this page, so its numbers are out of date. Open the page again."
)


@router.post("/regrade")
def grade_again(request: Request, member: Teacher, form: TeacherForm) -> Response:
    """Grade attempts at an assignment again. The answer redirects to the result of the regrading."""
    state = state_of(request)
    shown = state.cache.assignment(text_in(form, "assignment"))
    if shown.gone:
        raise RefusedError(f"The folder of {shown.name} is gone, so nothing can be graded again.")
    which = next((each for each in get_args(Which) if each == text_in(form, "which")), None)
    if which is None:
        raise RefusedError("Choose which attempts to grade again: all, the latest or the best.")
    selection = Selection(assignment=shown.name, which=which, matching=text_in(form, "matching").strip())
    order = regrade(state.database, selection, member.key, state.now())
    return RedirectResponse(f"/course/regradings/{order}", 303)


@router.post("/regrade-older")
def grade_older_again(request: Request, member: Teacher, _form: TeacherForm) -> Response:
    """Grade all attempts again that were graded by an older version of their assignment."""
    state = state_of(request)
    regrade_older(state.database, state.cache.all(), member.key, state.now())
    return RedirectResponse("/course/regradings", 303)


class PeopleFilter(RosterImport):
    """Address of the roster's page: the result of an upload, and the words of a search."""

    find: str = Field(default="", max_length=200)


@router.get("/people")
def people(request: Request, member: Teacher, asked: Annotated[PeopleFilter, Query()]) -> Response:
    """The roster, or the people whose name or key has the words of a search; after an upload with its result."""
    with state_of(request).database.reading() as session:
        roster = session.scalars(select(PersonRow)).all()
        came = set(session.scalars(select(SessionRow.person_id)))
    found = [each for each in roster if has_words(f"{each.name} {each.key}", asked.find)]
    found.sort(key=lambda each: (each.role, sort_key(each.name)))
    return page(request, "people.html.jinja", member, people=found, came=came, asked=asked)


@router.post("/people/roster")
def upload_roster(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Import a roster."""
    state, upload = state_of(request), file_in(form, "file")
    if upload is None:
        raise RefusedError("Choose the CSV file of the roster.")
    data = upload.file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise RefusedError("The roster is over 1 MiB.")
    taken_in = import_roster(state.database, data, member.key, state.now())
    return RedirectResponse(f"/course/people?{urlencode(taken_in.model_dump())}", 303)


@router.post("/people/{person_id}/invitation")
def make_link(request: Request, member: Instructor, _form: StaffForm, person_id: RowNumber) -> Response:
    """Create a sign-in link for a person. It is shown only once."""
    state = state_of(request)
    with state.database.writing() as session:
        person = person_of(session, person_id)
        link = link_of(state, invite(session, person, member.key, state.now()))
    return page(request, "link.html.jinja", member, person=person, link=link)


@router.get("/invitations")
def ask_to_make_links(request: Request, member: Instructor) -> Response:
    """Page that says how many links will be made and cancelled, with the button that makes them."""
    state = state_of(request)
    with state.database.reading() as session:
        made, ended = len(newcomers(session)), unused_links(session, state.now(), NEWCOMERS)
    links = f"{count(len(ended), 'unused link')} of these students"
    asked = Confirmation(
        question="Make links for all students who have not used one?",
        says=(
            f"You get a file with a new link for each of {count(made, 'student')}. The links are shown only there.",
            f"This cancels {links}: they no longer work." if ended else f"This cancels {links}.",
            "Students who have used a link keep what they have.",
        ),
        action="/course/invitations",
        button="Make the links (CSV)",
        back="/course/people",
        fields={"cancels": links_digest(ended)},
    )
    return confirmation_page(request, member, asked)


@router.post("/invitations")
def make_links(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Links for all students who have never used one, as a file. Refused if it would cancel other links than the form
    says: a second click must not cancel the links of the first.
    """
    state = state_of(request)
    with state.database.reading() as session:
        students = [person.id for person in newcomers(session)]
        ended = unused_links(session, state.now(), NEWCOMERS)
    if text_in(form, "cancels") != links_digest(ended):
        raise RefusedError(LINKS_CHANGED)

    def links(session: Session, numbers: Sequence[int]) -> list[tuple[str, str, str]]:
        some = PersonRow.id.in_(numbers)
        if not unused_links(session, state.now(), some) <= ended:
            raise RefusedError(LINKS_CHANGED)
        invited = by_name(session.scalars(select(PersonRow).where(some, NEWCOMERS)))
        tokens = invite_all(session, invited, member.key, state.now())
        return [(one.key, one.name, link_of(state, token)) for one, token in zip(invited, tokens, strict=True)]

    made = in_batches(state.database, students, links)
    return csv_file("sign-in-links.csv", links_csv(chain.from_iterable(made)))


def link_of(state: AppState, token: str) -> str:
    """The address of an invitation."""
    return f"{state.origin}/join/{token}"


@router.get("/people/{person_id}")
def person_home(request: Request, member: Teacher, person_id: RowNumber) -> Response:
    """A student's first page, as the student sees it."""
    return home_of(request, member, person_id)


@router.get("/people/{person_id}/assignments/{name}")
def person_assignment(request: Request, member: Teacher, person_id: RowNumber, name: str) -> Response:
    """A student's page of an assignment, as the student sees it, but without the form."""
    return assignment_of(request, member, name, person_id)


@router.get("/people/{person_id}/assignments/{name}/compare")
def person_comparison(request: Request, member: Teacher, person_id: RowNumber, name: str, pair: AnyPair) -> Response:
    """Two attempts of a student."""
    return comparison_of(request, member, name, person_id, pair)


@router.get("/faults")
def faults(request: Request, member: Teacher) -> Response:
    """Attempts that could not be graded since the service failed."""
    with state_of(request).database.reading() as session:
        found, shared = faulted(session), shared_names(session)
    return page(request, "faults.html.jinja", member, faults=found, shared=shared)


@router.post("/faults/{grading_id}/again")
def after_fault(request: Request, member: Teacher, _form: TeacherForm, grading_id: RowNumber) -> Response:
    """Grade an attempt again after a fault of the service."""
    state = state_of(request)
    with state.database.writing() as session:
        try_again(session, grading_id, member.key, state.now())
    return RedirectResponse("/course/faults", 303)
