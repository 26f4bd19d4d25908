"""The API for programs. It returns the content of the pages as JSON and needs a bearer token. An error is a JSON object
whose field `detail` is a sentence.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from grader.common.record import Record
from grader.course.submissions.submission import FILE_NAME
from grader.service.course.groups import history
from grader.service.course.limits import HandInRules, is_late
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.submissions import AttemptRow
from grader.service.grades.decisions.extensions import hand_in_rules, rules_for
from grader.service.grades.publication import hold_of
from grader.service.grades.views import AssignmentStatus, StatusRequest, statuses_of
from grader.service.people.auth.api_tokens import TokenScope, revoke
from grader.service.submissions.accept import MAX_FORM_KEY_LENGTH, HandInRequest, accept
from grader.service.submissions.progress import ChecksInBrief
from grader.service.web.auth import AnyCaller, Caller, Reader, Submitter, visible_attempt
from grader.service.web.routes.student.attempts import Number, cancel_own, file_of, report_of, stream_of
from grader.service.web.routes.student.downloads import FileName, download_of
from grader.service.web.routes.student.leaderboard import seen_by, with_leaderboard
from grader.service.web.state import AppState, arrival_of, state_of

router = APIRouter(prefix="/api/v1")


class Me(Record):
    """The owner of the token."""

    key: str
    name: str
    role: str


class AssignmentState(Record):
    """An assignment with the caller's attempts and points. None means that there is no limit or no value yet. `points`
    are the final points after deductions and corrections, and `hidden_points` of `max_points` are decided after
    release. `why` explains points that differ from the attempt's. While results are `held_back`, points are not given.
    """

    name: str
    title: str
    opens: AwareDatetime | None
    due: AwareDatetime | None
    attempts_left: int | None
    points: float | None
    max_points: float | None
    hidden_points: float
    why: str
    excused: bool
    held_back: bool


class AttemptState(Record):
    """An attempt with the state of its latest grading. While it waits, `ahead` is the number of gradings before it.
    Points and checks belong to the grading that counts, as far as the student may see them. They are omitted for a
    token without the scope `read`, and for students while results are `held_back`. `handed_in_by` is the instructor who
    handed the file in for the student, or None.
    """

    id: str
    assignment: str
    number: int
    received: AwareDatetime
    late: bool
    handed_in_by: str | None
    size: int
    sha256: str
    state: State
    ahead: int
    points: float | None
    max_points: float | None
    hidden_points: float
    result: ChecksInBrief | None
    held_back: bool
    page: str


class LeaderboardPlace(Record):
    """A line of a leaderboard. `speed` is relative to the model solution."""

    device: str
    place: int
    pseudonym: str | None
    speed: float


@router.get("/me")
def me(caller: AnyCaller) -> Me:
    """The owner of the token."""
    return Me(key=caller.key, name=caller.name, role=caller.role)


@router.delete("/token", status_code=204)
def sign_off(request: Request, caller: AnyCaller) -> Response:
    """Revoke the token of the request."""
    with state_of(request).database.writing() as session:
        revoke(session, caller.id, caller.token_id)
    return Response(status_code=204)


@router.get("/assignments")
def assignments(request: Request, caller: Reader) -> list[AssignmentState]:
    """All assignments with due dates, attempts left and points so far."""
    state = state_of(request)
    asked = StatusRequest(person_id=caller.id, access=caller.access, now=state.now())
    with state.database.reading() as session:
        return [_assignment(each) for each in statuses_of(session, state.cache.all(), asked)]


def _assignment(status: AssignmentStatus) -> AssignmentState:
    return AssignmentState(
        name=status.assignment.name,
        title=status.assignment.title,
        opens=status.rules.opens,
        due=status.rules.due,
        attempts_left=status.left,
        points=status.grade.points,
        max_points=status.max_points,
        hidden_points=status.hidden_points,
        why=status.grade.in_words,
        excused=status.grade.excused,
        held_back=status.held_back,
    )


@router.get("/assignments/{name}/attempts")
def attempts_at(request: Request, caller: Reader, name: str) -> list[AttemptState]:
    """The caller's attempts at an assignment, oldest first."""
    state = state_of(request)
    shown = state.cache.assignment(name)
    with state.database.reading() as session:
        rules = rules_for(session, shown, caller.id)
        asked = _Asked(state=state, caller=caller, rules=rules)
        return [_attempt(session, each, asked) for each in history(session, caller.id, name)]


async def _body(request: Request) -> bytes:
    """The body of the request, whose size the middleware limits."""
    return await request.body()


@router.post(
    "/assignments/{name}/attempts",
    status_code=201,
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {}}}},
)
def hand_in(
    request: Request,
    caller: Submitter,
    name: str,
    data: Annotated[bytes, Depends(_body)],
    key: Annotated[str, Query(min_length=1, max_length=MAX_FORM_KEY_LENGTH)],
) -> AttemptState:
    """Hand in the file in the body, which may have at most 1 MiB. A retry with the same `key` and the same bytes
    returns the same attempt; different bytes create a new one.
    """
    state = state_of(request)
    state.cache.assignment(name)
    offer = HandInRequest(person_id=caller.id, assignment=name, file_name=FILE_NAME, data=data, form_key=key)
    with state.database.writing() as session:
        rules = hand_in_rules(session, state.cache.all(), name, caller.id)
        row = accept(session, offer, rules, arrival_of(request))
        return _attempt(session, row, _Asked(state=state, caller=caller, rules=rules))


@router.get("/attempts/{public}")
def attempt(request: Request, caller: Reader, public: str) -> AttemptState:
    """One attempt."""
    return _seen(request, caller, public)


def _seen(request: Request, caller: Caller, public: str) -> AttemptState:
    state = state_of(request)
    with state.database.reading() as session:
        row = visible_attempt(session, public, caller)
        rules = rules_for(session, state.cache.assignment(row.assignment), row.person_id)
        return _attempt(session, row, _Asked(state=state, caller=caller, rules=rules))


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The caller who asks for an attempt, and the rules for the student who handed it in."""

    state: AppState
    caller: Caller
    rules: HandInRules


def _attempt(session: Session, row: AttemptRow, asked: _Asked) -> AttemptState:
    latest = row.gradings[-1]
    result = asked.caller.access.result(row) if TokenScope.READ in asked.caller.scopes else None
    return AttemptState(
        id=row.public,
        assignment=row.assignment,
        number=row.number,
        received=row.received,
        late=is_late(asked.rules, row.received),
        handed_in_by=row.entered_by,
        size=row.size,
        sha256=row.sha256,
        state=latest.shown_state,
        ahead=asked.state.place(session, latest).ahead,
        points=None if result is None else result.points,
        max_points=None if result is None else result.max_points,
        hidden_points=0.0 if result is None else result.hidden_points,
        result=None if result is None else result.checks,
        held_back=hold_of(session, row.assignment) is not None,
        page=f"{asked.state.origin}/attempts/{row.public}",
    )


@router.get("/attempts/{public}/events")
def attempt_events(request: Request, caller: Reader, public: str, after: Number = 0) -> Response:
    """Server-sent events of the grading: `note` (a step that begins, or a decided check), `place` (in the queue) and
    `over` (the end).
    """
    return stream_of(request, caller, public, after)


@router.get("/attempts/{public}/report")
def attempt_report(request: Request, caller: Reader, public: str) -> Response:
    """The report as HTML. 404 if the attempt has not been graded yet."""
    return report_of(request, caller, public)


@router.get("/attempts/{public}/file")
def attempt_file(request: Request, caller: Reader, public: str) -> Response:
    """The file as it was handed in."""
    return file_of(request, caller, public)


@router.get("/attempts/{public}/download/{name}")
def attempt_download(request: Request, caller: Reader, public: str, name: FileName) -> Response:
    """A file with the result: the report as a self-contained page, or the result as JSON or JUnit XML."""
    return download_of(request, caller, public, name)


@router.get("/assignments/{name}/leaderboard")
def leaderboard(request: Request, caller: Reader, name: str) -> list[LeaderboardPlace]:
    """The speeds of correct kernels for each device, the fastest first. 404 if the assignment has no leaderboard."""
    with_leaderboard(request, name)
    with state_of(request).database.reading() as session:
        boards = seen_by(session, caller, name)
    return [
        LeaderboardPlace(device=board.device, place=each.rank, pseudonym=each.pseudonym, speed=each.speed)
        for board in boards
        for each in board.places
    ]


@router.post("/attempts/{public}/cancel")
def attempt_cancel(request: Request, caller: Submitter, public: str) -> AttemptState:
    """Cancel the grading of the caller's own attempt."""
    cancel_own(request, caller, public)
    return _seen(request, caller, public)
