"""What programs ask: the same as the pages, as JSON, with a bearer token. Errors are {"detail": a sentence}."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from grader.common.record import Record
from grader.course.submissions.submission import FILE_NAME
from grader.service.auth.api_tokens import TokenScope, revoke
from grader.service.course.limits import HandInRules, is_late
from grader.service.db.models import AttemptRow, State
from grader.service.decisions.extensions import hand_in_rules, rules_for
from grader.service.grades.holds import hold_of
from grader.service.grades.views import AssignmentStatus, StatusRequest, statuses_of
from grader.service.submissions.accept import FORM_KEY_LENGTH, Offer, accept, history
from grader.service.submissions.progress import ChecksInBrief
from grader.service.web.auth import AnyCaller, Caller, Reader, Submitter, visible_attempt
from grader.service.web.routes.attempts import Number, cancel_own, file_of, report_of, stream_of
from grader.service.web.routes.downloads import FileName, download_of
from grader.service.web.routes.leaderboard import seen_by, with_leaderboard
from grader.service.web.state import AppState, arrival_of, state_of

router = APIRouter(prefix="/api/v1")


class Me(Record):
    """The owner of the token."""

    key: str
    name: str
    role: str


class AssignmentState(Record):
    """An assignment with the caller's attempts and points. None means no limit, or not there yet. The points are those
    that count, after deductions and corrections; `hidden_points` of all points are decided after release. `why`
    explains points that differ from the attempt's. While results are `held_back`, there are no points.
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
    """An attempt, and where its latest grading stands; `ahead` gradings come first while it waits. Points and checks
    are those of the grading that counts, as far as the student may see them; a token without the scope `read` is not
    told. While results are `held_back`, students get neither. `handed_in_by` is the instructor who handed it in for the
    student, if one did.
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
    """A line of a leaderboard; `speed` is in those of the model solution."""

    device: str
    place: int
    pseudonym: str | None
    speed: float


@router.get("/me")
def me(caller: AnyCaller) -> Me:
    """Who the token's owner is."""
    return Me(key=caller.key, name=caller.name, role=caller.role)


@router.delete("/token", status_code=204)
def sign_off(request: Request, caller: AnyCaller) -> Response:
    """End the token that is sent."""
    with state_of(request).database.writing() as session:
        revoke(session, caller.id, caller.token_id)
    return Response(status_code=204)


@router.get("/assignments")
def assignments(request: Request, caller: Reader) -> list[AssignmentState]:
    """All assignments: due dates, attempts left, points so far."""
    web = state_of(request)
    asked = StatusRequest(person_id=caller.id, sight=caller.sight, now=web.now())
    with web.database.reading() as session:
        return [_assignment(each) for each in statuses_of(session, web.cache.all(), asked)]


def _assignment(standing: AssignmentStatus) -> AssignmentState:
    return AssignmentState(
        name=standing.assignment.name,
        title=standing.assignment.title,
        opens=standing.rules.opens,
        due=standing.rules.due,
        attempts_left=standing.left,
        points=standing.grade.points,
        max_points=standing.max_points,
        hidden_points=standing.hidden_points,
        why=standing.grade.in_words,
        excused=standing.grade.excused,
        held_back=standing.held_back,
    )


@router.get("/assignments/{name}/attempts")
def attempts_at(request: Request, caller: Reader, name: str) -> list[AttemptState]:
    """The caller's attempts at an assignment, oldest first."""
    web = state_of(request)
    shown = web.cache.assignment(name)
    with web.database.reading() as session:
        rules = rules_for(session, shown, caller.id)
        asked = _Asked(web=web, caller=caller, rules=rules)
        return [_attempt(session, each, asked) for each in history(session, caller.id, name)]


async def _body(request: Request) -> bytes:
    """What was sent, which the middleware has limited."""
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
    key: Annotated[str, Query(min_length=1, max_length=FORM_KEY_LENGTH)],
) -> AttemptState:
    """Hand in a file, the body, at most 1 MiB. A retry with the same `key` and the same bytes
    gives the same attempt; different bytes give a new one.
    """
    web = state_of(request)
    web.cache.assignment(name)
    offer = Offer(person_id=caller.id, assignment=name, file_name=FILE_NAME, data=data, form_key=key)
    with web.database.writing() as session:
        rules = hand_in_rules(session, web.cache.all(), name, caller.id)
        row = accept(session, offer, rules, arrival_of(request))
        return _attempt(session, row, _Asked(web=web, caller=caller, rules=rules))


@router.get("/attempts/{public}")
def attempt(request: Request, caller: Reader, public: str) -> AttemptState:
    """One attempt."""
    return _seen(request, caller, public)


def _seen(request: Request, caller: Caller, public: str) -> AttemptState:
    web = state_of(request)
    with web.database.reading() as session:
        row = visible_attempt(session, public, caller)
        rules = rules_for(session, web.cache.assignment(row.assignment), row.person_id)
        return _attempt(session, row, _Asked(web=web, caller=caller, rules=rules))


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """Who asks for an attempt, and the rules for whoever handed it in."""

    web: AppState
    caller: Caller
    rules: HandInRules


def _attempt(session: Session, row: AttemptRow, asked: _Asked) -> AttemptState:
    latest = row.gradings[-1]
    result = asked.caller.sight.result(row) if TokenScope.READ in asked.caller.scopes else None
    return AttemptState(
        id=row.public,
        assignment=row.assignment,
        number=row.number,
        received=row.received,
        late=is_late(asked.rules, row.received),
        handed_in_by=row.entered_by,
        size=row.size,
        sha256=row.sha256,
        state=State(latest.state),
        ahead=asked.web.place(session, latest).ahead,
        points=None if result is None else result.points,
        max_points=None if result is None else result.max_points,
        hidden_points=0.0 if result is None else result.hidden_points,
        result=None if result is None else result.checks,
        held_back=hold_of(session, row.assignment) is not None,
        page=f"{asked.web.origin}/attempts/{row.public}",
    )


@router.get("/attempts/{public}/events")
def attempt_events(request: Request, caller: Reader, public: str, after: Number = 0) -> Response:
    """Server-sent events: `note` (what begins, or a check), `place` in the queue, `over`."""
    return stream_of(request, caller, public, after)


@router.get("/attempts/{public}/report")
def attempt_report(request: Request, caller: Reader, public: str) -> Response:
    """The report as HTML, once there is one."""
    return report_of(request, caller, public)


@router.get("/attempts/{public}/file")
def attempt_file(request: Request, caller: Reader, public: str) -> Response:
    """The file as it was handed in."""
    return file_of(request, caller, public)


@router.get("/attempts/{public}/download/{name}")
def attempt_download(request: Request, caller: Reader, public: str, name: FileName) -> Response:
    """A file of the result: the report as a page to keep, the result as JSON, or as JUnit XML."""
    return download_of(request, caller, public, name)


@router.get("/assignments/{name}/leaderboard")
def leaderboard(request: Request, caller: Reader, name: str) -> list[LeaderboardPlace]:
    """The speeds of kernels whose results are all right, device by device, the fastest first; where the assignment has
    a leaderboard.
    """
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
    """End the grading of one's own attempt."""
    cancel_own(request, caller, public)
    return _seen(request, caller, public)
