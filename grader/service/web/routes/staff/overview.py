"""Pages for people who teach: sign-in links, and the pages of single students. For students they do not exist."""

from collections.abc import Sequence
from itertools import chain

from fastapi import APIRouter
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from grader.common.people import by_name
from grader.common.phrases import count
from grader.service.db.session import in_batches
from grader.service.db.tables.people import PersonRow
from grader.service.errors import RefusedError
from grader.service.exports.csv import links_csv
from grader.service.people.auth.sessions import NEWCOMERS, invite, invite_all, links_digest, newcomers, unused_links
from grader.service.web.auth import (
    Instructor,
    RowNumber,
    StaffForm,
    Teacher,
    person_of,
    text_in,
)
from grader.service.web.http.responses import csv_file
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.routes.student.assignments import AnyPair, assignment_of, comparison_of, home_of
from grader.service.web.state import AppState, state_of

router = APIRouter(prefix="/course")

LINKS_CHANGED = (
    "Links were made or used after you opened this page, so its numbers are out of date. Open the page again."
)


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
    """Page that explains how many links will be created and cancelled, with a button to confirm."""
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
    """A file with new links for all students who have never used one. The request is refused if it would cancel other
    links than those that the form confirms, so that a second click does not cancel the links of the first.
    """
    state, now = state_of(request), state_of(request).now()
    with state.database.reading() as session:
        students = [person.id for person in newcomers(session)]
        ended = unused_links(session, now, NEWCOMERS)
    if text_in(form, "cancels") != links_digest(ended):
        raise RefusedError(LINKS_CHANGED)

    def links(session: Session, numbers: Sequence[int]) -> list[tuple[str, str, str]]:
        some = PersonRow.id.in_(numbers)
        if not unused_links(session, now, some) <= ended:
            raise RefusedError(LINKS_CHANGED)
        invited = by_name(session.scalars(select(PersonRow).where(some, NEWCOMERS)))
        tokens = invite_all(session, invited, member.key, now)  # one time, so that the audit trail shows one entry
        return [(one.key, one.name, link_of(state, token)) for one, token in zip(invited, tokens, strict=True)]

    made = in_batches(state.database, students, links)
    return csv_file("sign-in-links.csv", links_csv(chain.from_iterable(made)))


def link_of(state: AppState, token: str) -> str:
    """The address of an invitation."""
    return f"{state.origin}/join/{token}"


@router.get("/people/{person_id}")
def person_home(request: Request, member: Teacher, person_id: RowNumber) -> Response:
    """A student's home page, as the student sees it."""
    return home_of(request, member, person_id)


@router.get("/people/{person_id}/assignments/{name}")
def person_assignment(request: Request, member: Teacher, person_id: RowNumber, name: str) -> Response:
    """A student's page of an assignment, as the student sees it but without the form."""
    return assignment_of(request, member, name, person_id)


@router.get("/people/{person_id}/assignments/{name}/compare")
def person_comparison(request: Request, member: Teacher, person_id: RowNumber, name: str, pair: AnyPair) -> Response:
    """The comparison of two attempts of a student."""
    return comparison_of(request, member, name, person_id, pair)
