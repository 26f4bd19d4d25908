"""Routes for decisions by hand, releases, questions of students, hand-ins on behalf of students, and results of
regradings.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grader.common.phrases import count
from grader.course.policies.rules import in_words
from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT
from grader.service.errors import FieldError, RefusedError
from grader.service.grades.decisions.extensions import rules_for
from grader.service.grades.decisions.hand_ins_on_behalf import HandInFor, arrived_in, enter, require_student
from grader.service.grades.decisions.overrides import DecisionForm, decide, exclude
from grader.service.grades.decisions.questions import answer_question, ask_question, open_requests
from grader.service.grades.decisions.regrading import regradings, summary_of
from grader.service.grades.publication import (
    Withheld,
    hold_of,
    last_closing,
    release,
    require_releasable,
    withheld_of,
)
from grader.service.people.roster import shared_names
from grader.service.submissions.accept import HandInRequest
from grader.service.web.auth import (
    AnyMember,
    Instructor,
    Member,
    OwnForm,
    RowNumber,
    StaffForm,
    Teacher,
    TeacherForm,
    file_in,
    person_of,
    text_in,
    visible_attempt,
)
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm, entered
from grader.service.web.pages import Confirmation, confirmation_page, page
from grader.service.web.routes.student.assignments import AssignmentForms, assignment_of
from grader.service.web.routes.student.attempts import attempt_of
from grader.service.web.state import arrival_of, state_of

router = APIRouter()


@router.post("/course/people/{person_id}/assignments/{name}/decision")
def by_hand(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber, name: str) -> Response:
    """Set or change a student's points by hand, excuse the student, or withdraw the decision."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    asked = DecisionForm(who=member.key, points=text_in(form, "points"), comment=text_in(form, "comment"))
    try:
        with state.database.writing() as session:
            decide(session, shown, person_of(session, person_id), asked, state.now())
    except FieldError as error:
        return assignment_of(request, member, name, person_id, AssignmentForms(decision=entered(form, error)))
    return RedirectResponse(f"/course/people/{person_id}/assignments/{name}", 303)


@router.post("/course/attempts/{public}/exclusion")
def exclude_attempt(request: Request, member: Instructor, form: StaffForm, public: str) -> Response:
    """Exclude an attempt, or let it count again."""
    state = state_of(request)
    try:
        with state.database.writing() as session:
            exclude(session, visible_attempt(session, public, member), member.key, text_in(form, "reason"), state.now())
    except FieldError as error:
        return attempt_of(request, member, public, exclusion=entered(form, error))
    return RedirectResponse(f"/attempts/{public}", 303)


@router.get("/course/assignments/{name}/release")
def ask_to_release(request: Request, member: Instructor, name: str) -> Response:
    """Page that explains what a release will show, with a button to confirm it."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        require_releasable(session, shown)
        withheld, closes = withheld_of(session, name), last_closing(session, shown)
        hold = hold_of(session, name)
    can_hand_in = closes is None or state.now() < closes
    until = "at any time" if closes is None else f"until {in_words(closes, shown.rules.dates.zone)}"
    asked = Confirmation(
        question=f"Release the hidden checks of {shown.title}?",
        says=(
            *(["Results are held back: students see none of this until you publish them."] if hold else []),
            *_shown_by_release(withheld),
            *(
                [f"Students can still hand in {until}, and will know what the hidden checks test."]
                if can_hand_in
                else []
            ),
            "A release cannot be undone.",
        ),
        action=f"/course/assignments/{name}/release",
        button="Release the hidden checks",
        back=f"/course/assignments/{name}",
    )
    return confirmation_page(request, member, asked)


def _shown_by_release(withheld: Withheld) -> Iterator[str]:
    attempts, students = count(withheld.attempts, "attempt"), count(withheld.students, "student")
    see = "sees" if withheld.students == 1 else "see"
    yield f"At once, {students} {see} the outcomes of hidden checks in {attempts}: reasons, lines, reports and points."
    if withheld.checks:
        yield f"Hidden so far: {'; '.join(withheld.checks)}."
    if withheld.pending:
        yield f"Hidden cases of {count(withheld.pending, 'attempt')} are waiting. Their outcomes follow."
    yield "Points, the choice of the best attempt, and the leaderboard include hidden checks from then on."
    yield "Later attempts show everything once they are graded."


@router.post("/course/assignments/{name}/release")
def show_hidden(request: Request, member: Instructor, _form: StaffForm, name: str) -> Response:
    """Release the hidden checks of an assignment."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    release(state.database, shown, member.key, state.now())
    return RedirectResponse(f"/course/assignments/{name}", 303)


@router.post("/attempts/{public}/request")
def ask_again(request: Request, member: AnyMember, form: OwnForm, public: str) -> Response:
    """Store a student's question about an attempt. People who teach cannot ask; they answer."""
    state = state_of(request)
    if member.teaches:
        raise RefusedError("Students ask about their attempts, and you answer. Their questions are under Questions.")
    text = text_in(form, "text")
    try:
        with state.database.writing() as session:
            ask_question(session, visible_attempt(session, public, member), member.id, text, state.now())
    except FieldError as error:
        return attempt_of(request, member, public, question=entered(form, error))
    return RedirectResponse(f"/attempts/{public}", 303)


@router.get("/course/requests")
def requests(request: Request, member: Teacher) -> Response:
    """The open questions of students."""
    return _questions_page(request, member, {})


def _questions_page(request: Request, member: Member, forms: Mapping[int, EnteredForm]) -> Response:
    """The page with the open questions. `forms` contains the forms that were sent, by number of the question."""
    with state_of(request).database.reading() as session:
        values = {"requests": open_requests(session), "shared": shared_names(session)}
    status = max((each.status for each in forms.values()), default=NOTHING_ENTERED.status)
    shown = defaultdict(lambda: NOTHING_ENTERED, forms)
    return page(request, "requests.html.jinja", member, status, forms=shown, **values)


@router.post("/course/requests/{request_id}/answer")
def answer_one(request: Request, member: Teacher, form: TeacherForm, request_id: RowNumber) -> Response:
    """Answer a question."""
    state = state_of(request)
    try:
        with state.database.writing() as session:
            answer_question(session, request_id, member.key, text_in(form, "answer"), state.now())
    except FieldError as error:
        return _questions_page(request, member, {request_id: entered(form, error)})
    return RedirectResponse("/course/requests", 303)


@router.get("/course/regradings")
def all_regradings(request: Request, member: Teacher) -> Response:
    """The latest regradings."""
    with state_of(request).database.reading() as session:
        found = regradings(session)
    return page(request, "regradings.html.jinja", member, regradings=found)


@router.get("/course/regradings/{regrading_id}")
def one_regrading(request: Request, member: Teacher, regrading_id: RowNumber) -> Response:
    """The result of one regrading."""
    with state_of(request).database.reading() as session:
        found, shared = summary_of(session, regrading_id), shared_names(session)
    return page(request, "regrading.html.jinja", member, summary=found, shared=shared)


@router.get("/course/people/{person_id}/assignments/{name}/hand-in")
def entry_form(request: Request, member: Instructor, person_id: RowNumber, name: str) -> Response:
    """The page with the form."""
    return _entry_page(request, member, person_id, name, NOTHING_ENTERED)


def _entry_page(request: Request, member: Member, person_id: int, name: str, form: EnteredForm) -> Response:
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        owner = person_of(session, person_id)
        require_student(owner)
    return page(request, "entry.html.jinja", member, form.status, assignment=shown, owner=owner, form=form)


@router.post("/course/people/{person_id}/assignments/{name}/attempts")
def hand_in_for(request: Request, member: Instructor, form: StaffForm, person_id: RowNumber, name: str) -> Response:
    """Store a file as an attempt of a student, and redirect to the page of the attempt."""
    try:
        return _handed_in(request, member, form, person_id, name)
    except FieldError as error:
        return _entry_page(request, member, person_id, name, entered(form, error))


def _handed_in(request: Request, member: Member, form: FormData, person_id: int, name: str) -> Response:
    state, upload = state_of(request), file_in(form, "file")
    shown = state.cache.assignment(name)
    if upload is None:
        raise FieldError("file", f"No file was chosen; choose the student's {FILE_NAME}, then hand in.")
    now = arrival_of(request)
    arrived = arrived_in(text_in(form, "arrived"), shown.policies.zone, now)
    entry = HandInFor(who=member.key, reason=text_in(form, "reason"), arrived=arrived)
    offer = HandInRequest(
        person_id=person_id,
        assignment=name,
        file_name=upload.filename or FILE_NAME,
        data=upload.file.read(SIZE_LIMIT + 1),
        form_key=text_in(form, "form_key"),
    )
    with state.database.writing() as session:
        person_of(session, person_id)
        attempt = enter(session, offer, entry, rules_for(session, shown, person_id), now)
    return RedirectResponse(f"/attempts/{attempt.public}", 303)
