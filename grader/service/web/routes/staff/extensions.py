"""Routes for extensions: for one student, for many at once, and the list of all extensions."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.service.errors import FieldError
from grader.service.grades.decisions.course_extensions import (
    ExtensionList,
    ManyExtensionsForm,
    extend_many,
    extension_page,
    listed_extension,
    lost_by_withdrawal,
    withdraw_listed,
)
from grader.service.grades.decisions.extensions import ExtensionForm, extend
from grader.service.web.auth import Instructor, Member, RowNumber, StaffForm, Teacher, person_of, text_in, texts_in
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.routes.student.assignments import AssignmentForms, assignment_of
from grader.service.web.state import state_of

router = APIRouter(prefix="/course")


@router.post("/people/{person_id}/assignments/{name}/extension")
def give(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber, name: str) -> Response:
    """Extend an assignment for one student, or withdraw the extension."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    asked = ExtensionForm(
        who=member.key,
        until=text_in(form, "until"),
        attempts=text_in(form, "attempts"),
        reason=text_in(form, "reason"),
    )
    try:
        with state.database.writing() as session:
            extend(session, shown, person_of(session, person_id), asked, state.now())
    except FieldError as error:
        return assignment_of(request, member, name, person_id, AssignmentForms(extension=entered(form, error)))
    return RedirectResponse(f"/course/people/{person_id}/assignments/{name}", 303)


@router.get("/extensions")
def extensions(request: Request, member: Teacher, wanted: Annotated[ExtensionList, Query()]) -> Response:
    """The list of all extensions, and the form for many students."""
    return _list_page(request, member, wanted, NOTHING_ENTERED)


@router.post("/extensions")
def give_many(request: Request, member: Instructor, form: StaffForm) -> Response:
    """Extend several assignments for many students, and redirect to the list, which shows how many extensions were
    given. After a refusal, show the form again with the reason.
    """
    state = state_of(request)
    asked = ManyExtensionsForm(
        who=member.key,
        students=text_in(form, "students"),
        assignments=texts_in(form, "assignment"),
        until=text_in(form, "until"),
        extra=text_in(form, "extra"),
        attempts=text_in(form, "attempts"),
        reason=text_in(form, "reason"),
    )
    chosen = [state.cache.assignment(each) for each in asked.assignments]
    try:
        made = extend_many(state.database, chosen, asked, state.now())
    except FieldError as error:
        return _list_page(request, member, ExtensionList(), entered(form, error))
    return RedirectResponse(f"/course/extensions?given={made.given}&kept={made.kept}", 303)


def _list_page(request: Request, member: Member, wanted: ExtensionList, form: EnteredForm) -> Response:
    state = state_of(request)
    assignments = state.cache.all()
    with state.database.reading() as session:
        found = extension_page(session, wanted)
    return page(
        request,
        "extensions.html.jinja",
        member,
        form.status,
        form=form,
        found=found,
        wanted=wanted,
        assignments=assignments,
        extendable=[each for each in assignments if each.rules.due is not None or each.rules.attempts is not None],
    )


@router.get("/extensions/{extension_id}/withdrawal")
def ask_to_withdraw(request: Request, member: Instructor, extension_id: RowNumber) -> Response:
    """Page that explains what the student loses, with a button to confirm the withdrawal."""
    state = state_of(request)
    with state.database.reading() as session:
        one = listed_extension(session, extension_id)
        says = tuple(lost_by_withdrawal(session, one, state.cache.all(), state.cache.zone))
    asked = Confirmation(
        question=f"Withdraw the extension of {one.person.name} for {one.row.assignment}?",
        says=says,
        action=f"/course/extensions/{extension_id}/withdrawal",
        button="Withdraw the extension",
        back="/course/extensions",
    )
    return confirmation_page(request, member, asked)


@router.post("/extensions/{extension_id}/withdrawal")
def withdraw_one(request: Request, member: Instructor, _form: StaffForm, extension_id: RowNumber) -> Response:
    """Withdraw an extension."""
    state = state_of(request)
    with state.database.writing() as session:
        withdraw_listed(session, extension_id, member.key, state.cache.zone, state.now())
    return RedirectResponse("/course/extensions", 303)
