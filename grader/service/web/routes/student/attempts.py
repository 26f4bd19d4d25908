"""The page of one attempt, with its progress or its report, and its file."""

import zlib
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from grader.reports.html.workspace import workspace
from grader.results.result import Result
from grader.service.course.groups import belongs_to
from grader.service.course.limits import is_late
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.errors import NotFoundError, RefusedError
from grader.service.grades.decisions.extensions import rules_for
from grader.service.grades.decisions.overrides import exclusion_of
from grader.service.grades.decisions.questions import requests_about
from grader.service.grades.publication import HELD_BACK, hold_of
from grader.service.grades.views import deduction_of
from grader.service.grades.visibility import points_change
from grader.service.network.throttle import ConcurrencyLimiter
from grader.service.submissions.accept import HANDED_IN, cancel
from grader.service.submissions.health import PlaceInQueue
from grader.service.submissions.progress import ProgressNote
from grader.service.web.auth import AnyMember, Member, OwnForm, User, visible_attempt
from grader.service.web.forms import NOTHING_ENTERED, EnteredForm
from grader.service.web.http.events import GradingProgress, events
from grader.service.web.http.responses import HTML, REPORT_POLICY, decompressed, decompressed_page, download_headers
from grader.service.web.pages import page
from grader.service.web.state import AppState, state_of

router = APIRouter()

MAX_NUMBER_DIGITS = 19
"""Numbers with this many digits may be too large for a database."""

REPORT_HEADERS = {"content-security-policy": REPORT_POLICY}

Number = Annotated[int, Query(ge=0, lt=10 ** (MAX_NUMBER_DIGITS - 1))]


REPORT_LIMIT = ConcurrencyLimiter(2, "Many reports are being read right now; try again in a moment.", max_waiting=16)
"""Limits reports that are rendered at once. Most take 0.01 s; the longest file that is graded takes 0.3 s."""


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """The attempts before and after one, if they exist. `change` compares the points with the previous attempt's, as
    far as the reader may see them, as in "68, was 61: +7"; it is empty if there is nothing to compare.
    """

    previous: AttemptRow | None
    next: AttemptRow | None
    change: str


@dataclass(frozen=True, kw_only=True)
class OpenGrading:
    """A grading that has not ended, with its place in the queue and its notes so far."""

    grading: GradingRow
    place: PlaceInQueue
    notes: tuple[tuple[int, ProgressNote], ...]

    @property
    def last(self) -> int:
        """The number of the last note."""
        return self.notes[-1][0] if self.notes else 0


@router.get("/attempts/{public}")
def attempt_page(request: Request, member: AnyMember, public: str) -> Response:
    """The page with the progress of the grading or its report, and the receipt. People who teach may also request what
    is hidden from students.
    """
    return attempt_of(request, member, public)


def attempt_of(
    request: Request,
    member: Member,
    public: str,
    *,
    question: EnteredForm = NOTHING_ENTERED,
    exclusion: EnteredForm = NOTHING_ENTERED,
) -> Response:
    """The page of an attempt, with the filled-in forms."""
    state = state_of(request)
    whole = member.teaches and bool(request.query_params.get("all"))
    with state.database.reading() as session:
        attempt = visible_attempt(session, public, member)
        counted, result = attempt.counted, member.access.result(attempt)
        stored = None if counted is None or result is None else _stored_result(counted, whole=whole)
        read = _read_with(session, state, member, attempt)
    return page(
        request,
        "attempt.html.jinja",
        member,
        max(question.status, exclusion.status),
        question_form=question,
        exclusion_form=exclusion,
        attempt=attempt,
        counted=counted,
        result=result,
        report=None if stored is None else report_in(stored),
        whole=whole,
        **read,
    )


def _read_with(session: Session, state: AppState, member: Member, attempt: AttemptRow) -> dict[str, object]:
    """Contents of the page besides the result of an attempt: its grading, its owner, decisions and neighbours."""
    latest, person = attempt.gradings[-1], attempt.person
    open_grading = open_grading_of(state, session, member, latest) if State(latest.state).open else None
    assignment = state.cache.assignment(attempt.assignment)
    late = is_late(rules_for(session, assignment, person.id), attempt.received)
    own = person.id == member.id or not member.teaches
    return {
        "assignment": assignment,
        "late": late,
        "deduction": deduction_of(session, state.cache.all(), attempt, member.access) if late else "",
        "exclusion": exclusion_of(session, attempt),
        "requests": requests_about(session, attempt),
        "latest": latest,
        "open_grading": open_grading,
        "neighbours": _neighbours(session, attempt, member.id if own else person.id, member),
        "hold": hold_of(session, attempt.assignment),
        "owner": person,
        "own": own,
        "base": "" if own else f"/course/people/{person.id}",
        "cancellable": person.id == member.id and open_grading is not None and latest.why == HANDED_IN,
    }


def _stored_result(counted: GradingRow, *, whole: bool) -> bytes | None:
    if whole and counted.result is not None:
        return counted.result.encode()
    packed = counted.published_result
    return None if packed is None else zlib.decompress(packed)


def report_in(stored: bytes) -> Markup:
    """The report about a result as JSON."""
    with REPORT_LIMIT.slot():
        return workspace(Result.model_validate_json(stored))


def _neighbours(session: Session, attempt: AttemptRow, person_id: int, member: User) -> Neighbours:
    """The neighbouring attempts of a person and the person's group."""
    number = AttemptRow.number
    others = session.query(AttemptRow).filter(belongs_to([person_id])).filter_by(assignment=attempt.assignment)
    previous = others.filter(number < attempt.number).order_by(number.desc()).first()
    return Neighbours(
        previous=previous,
        next=others.filter(number > attempt.number).order_by(number).first(),
        change="" if previous is None else points_change(member.access.result(previous), member.access.result(attempt)),
    )


def open_grading_of(state: AppState, session: Session, member: User, grading: GradingRow) -> OpenGrading:
    """A grading that has not ended, as far as the user may see it."""
    return OpenGrading(
        grading=grading,
        place=state.place(session, grading),
        notes=tuple(member.access.notes(session, grading, 0)),
    )


@router.get("/attempts/{public}/events")
def attempt_events(request: Request, member: AnyMember, public: str, after: Number = 0) -> Response:
    """Events of the attempt, from now on or after the last one that the browser has received."""
    return stream_of(request, member, public, after)


def stream_of(request: Request, member: User, public: str, after: int) -> Response:
    """Stream the events of an attempt. Raises NotFoundError for users who may not see the attempt."""
    with state_of(request).database.reading() as session:
        grading_id = visible_attempt(session, public, member).gradings[-1].id
    return grading_stream(request, member, grading_id, after)


def grading_stream(request: Request, member: User, grading_id: int, after: int) -> Response:
    """Stream the events of a grading that the user may see. The stream ends if the grading is deleted."""
    state = state_of(request)
    said = request.headers.get("last-event-id", "")
    start = int(said) if said.isascii() and said.isdigit() and len(said) < MAX_NUMBER_DIGITS else after

    def read_progress(since: int) -> GradingProgress | None:
        with state.database.reading() as session:
            if not member.is_signed_in(session, state.now()):
                return None
            grading = session.get(GradingRow, grading_id)
            if grading is None:
                return None
            return GradingProgress(
                state=grading.shown_state,
                turn=grading.tries,
                place=state.place(session, grading),
                notes=tuple(member.access.notes(session, grading, since)),
            )

    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(events(read_progress, start, member.id), media_type="text/event-stream", headers=headers)


@router.get("/attempts/{public}/report")
def report(request: Request, member: AnyMember, public: str) -> Response:
    """The report as the station rendered it, with a link back to the attempt. It is the student's view or, if a teacher
    requests it, the whole report.
    """
    back = Markup('<nav aria-label="Attempt"><a href="{}">Back to the attempt</a></nav>').format(f"/attempts/{public}")
    return decompressed_page(_drawn(request, member, public), back, REPORT_HEADERS)


def report_of(request: Request, member: User, public: str) -> Response:
    """The report of an attempt. Raises NotFoundError for users who may not see the attempt."""
    return decompressed(_drawn(request, member, public), HTML, REPORT_HEADERS)


def _drawn(request: Request, member: User, public: str) -> bytes:
    """The compressed report that the station rendered."""
    with state_of(request).database.reading() as session:
        counted = visible_attempt(session, public, member).counted
        require_shown(counted, member)
        drawn = None if counted is None else counted.published_page
        if counted is not None and member.teaches and request.query_params.get("all"):
            drawn = counted.full_page or drawn
    if drawn is None:
        raise NotFoundError
    return drawn


def require_shown(counted: GradingRow | None, member: User) -> None:
    """Raise RefusedError if the result is held back and this person does not teach."""
    if counted is not None and counted.held and not member.teaches:
        raise RefusedError(HELD_BACK)


@router.get("/attempts/{public}/file")
def handed_in(request: Request, member: AnyMember, public: str) -> Response:
    """The file exactly as it was handed in."""
    return file_of(request, member, public)


def file_of(request: Request, member: User, public: str) -> Response:
    """The file of an attempt. Raises NotFoundError for users who may not see the attempt."""
    with state_of(request).database.reading() as session:
        attempt = visible_attempt(session, public, member)
        data, name = attempt.data, f"{attempt.assignment}-{attempt.number}.cl"
    plain = "".join(each if each.isascii() and (each.isalnum() or each in ".-_") else "_" for each in name)
    return Response(data, media_type="application/octet-stream", headers=download_headers(plain))


@router.post("/attempts/{public}/cancel")
def end(request: Request, member: AnyMember, _form: OwnForm, public: str) -> Response:
    """Cancel the grading of the member's own attempt."""
    cancel_own(request, member, public)
    return RedirectResponse(f"/attempts/{public}", 303)


def cancel_own(request: Request, member: User, public: str) -> None:
    """Cancel the grading of a user's own attempt. Raises RefusedError if another student handed it in."""
    state = state_of(request)
    with state.database.writing() as session:
        attempt: AttemptRow = visible_attempt(session, public, member)
        if attempt.person_id != member.id:
            raise RefusedError("Only the person who handed it in can cancel it.")
        cancel(session, attempt, state.now())
