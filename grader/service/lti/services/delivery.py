"""Sends scores to learning platforms.

A score that a platform refuses does not delay others. If a platform fails at a score, the score is sent again after a
growing pause. If a platform does not answer, or asks for fewer requests, all its scores wait.

The process may end while a score is on its way, or the platform's answer may be lost. Before such a score is sent
again, the service reads the score that the platform has, so that no score is sent twice.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from grader.service.db.outbox import SendState, begin, doubled, is_free, note_failure
from grader.service.db.session import Database
from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiLineItemRow, LtiPlatformRow, LtiScoreRow
from grader.service.lti.keys import SigningKey, signing_key
from grader.service.lti.platform_client import (
    Endpoints,
    FaultError,
    NoAnswerError,
    PlatformClient,
    PlatformError,
    RejectedError,
    ServiceRequest,
    SlowDownError,
)
from grader.service.lti.registrations import endpoints_of
from grader.service.lti.services.line_items import Column, column_address, under
from grader.service.lti.services.scores import Score, score_in

AGS_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
RESULTS_TYPE = "application/vnd.ims.lis.v2.resultcontainer+json"

MAX_AT_ONCE = 20
"""Maximum number of scores that are marked as begun at a time."""

RUN_SECONDS = 8.0
"""Seconds after which a run ends. The rest follows in the next run."""

PAUSES = doubled(timedelta(minutes=1), timedelta(hours=6), 19)
"""Pauses between attempts to send a score. All attempts together take about three days."""

PLATFORM_PAUSES, GIVE_UP_AFTER = doubled(timedelta(minutes=1), timedelta(minutes=30), 6), timedelta(days=7)
"""Pauses after a platform does not answer, and the time after which its scores are given up. The last pause is
repeated.
"""

INTERRUPTED_AFTER = timedelta(minutes=5)
"""Time after which a score that is on its way counts as interrupted. No request takes that long."""


@dataclass(frozen=True, kw_only=True)
class _DueScore:
    """A score to send, and where it goes."""

    number: int
    platform: Endpoints
    user: str
    score: Score
    changed: datetime
    column: Column
    interrupted: bool
    is_repeated: bool


def send_scores(database: Database, client: PlatformClient, now: Callable[[], datetime]) -> None:
    """Send the scores that are due, for some seconds. Raises OSError with the reason if a platform does not answer."""
    until, failure = time.monotonic() + RUN_SECONDS, ""
    while time.monotonic() < until:
        due, key = _begun(database, now())
        if not due or key is None:
            break
        waiting: set[int] = set()
        for each in due:
            if each.platform.number in waiting:
                _release(database, each)
                continue
            try:
                _send(database, client, key, each)
            except (NoAnswerError, SlowDownError) as error:
                waiting.add(each.platform.number)
                failure = str(error)
                _pause(database, each, error, now())
            except PlatformError as error:
                _note_failure(database, each, error, now())
            else:
                _note_arrival(database, each, now())
    if failure:
        raise OSError(failure)


def _begun(database: Database, now: datetime) -> tuple[list[_DueScore], SigningKey | None]:
    """Mark scores as begun, and return them with the key of the service."""
    with database.reading() as session:
        due = _due(session, now)
    if not due:
        return [], None
    with database.writing() as session:
        begun = [each for each in due if begin(session, LtiScoreRow, each.number, [_is_due(now)], {"begun": now})]
        return begun, signing_key(session, now)


def _due(session: Session, now: datetime) -> list[_DueScore]:
    wanted = (
        select(LtiScoreRow, LtiContextRow, LtiPlatformRow, LtiAccountRow.sub, LtiLineItemRow)
        .join(LtiContextRow, LtiContextRow.id == LtiScoreRow.context_id)
        .join(LtiPlatformRow, LtiPlatformRow.id == LtiContextRow.platform_id)
        .join(
            LtiAccountRow,
            (LtiAccountRow.platform_id == LtiPlatformRow.id) & (LtiAccountRow.person_id == LtiScoreRow.person_id),
        )
        .join(
            LtiLineItemRow,
            (LtiLineItemRow.context_id == LtiContextRow.id) & (LtiLineItemRow.assignment == LtiScoreRow.assignment),
        )
        .where(LtiScoreRow.not_before <= now, LtiContextRow.connected.is_not(None), _is_due(now))
        .where(or_(LtiPlatformRow.paused_until.is_(None), LtiPlatformRow.paused_until <= now))
    )
    found = session.execute(wanted.order_by(LtiScoreRow.not_before, LtiScoreRow.id).limit(MAX_AT_ONCE))
    return [
        _DueScore(
            number=score.id,
            platform=endpoints_of(platform),
            user=sub,
            score=score_in(score),
            changed=score.changed,
            column=Column(
                number=item.id,
                assignment=item.assignment,
                url=item.url,
                all_url=context.line_items_url,
                scopes=frozenset(context.scopes.split()),
                most=score.most,
            ),
            interrupted=score.begun is not None,
            is_repeated=score.begun is not None or score.tries > 0,
        )
        for score, context, platform, sub, item in found
    ]


def _is_due(now: datetime) -> ColumnElement[bool]:
    """SQL condition: a score is to be sent, is not on its way, and its assignment is not held back."""
    free = is_free(LtiScoreRow.begun, now, INTERRUPTED_AFTER)
    held = LtiScoreRow.assignment.in_(select(HoldRow.assignment))
    return and_(LtiScoreRow.state == SendState.TO_SEND, free, ~held)


def _send(database: Database, client: PlatformClient, key: SigningKey, due: _DueScore) -> None:
    """Send a score, unless it has arrived already. Raises a PlatformError if the platform does not accept it."""
    place = due.column.url
    if not place:
        place = column_address(client, due.platform, key, due.column)
        with database.writing() as session:
            session.execute(update(LtiLineItemRow).where(LtiLineItemRow.id == due.column.number).values(url=place))
    if due.interrupted and _has_arrived(client, key, due, place):
        return
    asked = ServiceRequest(
        method="POST",
        url=under(place, "scores"),
        scopes=(f"{AGS_SCOPE}score",),
        accept="application/json",
        body=message_of(due.score, due.user, due.changed),
        content_type=SCORE_TYPE,
    )
    try:
        client.ask(due.platform, key, asked)
    except RejectedError as error:
        if not (due.is_repeated and error.status == 409):  # 409: the platform already has a score with this time
            raise


def _has_arrived(client: PlatformClient, key: SigningKey, due: _DueScore, place: str) -> bool:
    """True if the platform has these points. False if it does not show its results."""
    scope = f"{AGS_SCOPE}result.readonly"
    if scope not in due.column.scopes:
        return False
    asked = ServiceRequest(
        method="GET", url=under(place, "results", user_id=due.user), scopes=(scope,), accept=RESULTS_TYPE
    )
    try:
        found = client.ask(due.platform, key, asked).rows
    except (RejectedError, FaultError):
        return False
    mine = [each for each in found if each.get("userId") == due.user]
    stated = mine[0] if len(mine) == 1 else {}
    if due.score.points is None:
        return stated.get("resultScore") is None
    return (stated.get("resultScore"), stated.get("resultMaximum")) == (due.score.points, due.score.most)


def message_of(score: Score, user: str, changed: datetime) -> dict[str, Any]:
    """A score in the form of the Assignment and Grade Services. Without points, it removes the earlier ones."""
    graded = score.points is not None
    message: dict[str, Any] = {
        "userId": user,
        "timestamp": changed.isoformat(timespec="milliseconds"),
        "activityProgress": "Completed" if graded else "Initialized",
        "gradingProgress": "FullyGraded" if graded else "NotReady",
    }
    if graded:
        message |= {"scoreGiven": score.points, "scoreMaximum": score.most}
    if score.comment:
        message["comment"] = score.comment
    if score.submitted is not None:
        message["submission"] = {"submittedAt": score.submitted.isoformat(timespec="milliseconds")}
    return message


def _note_arrival(database: Database, due: _DueScore, now: datetime) -> None:
    """Mark a score as sent, unless it has changed in the meantime."""
    with database.writing() as session:
        row = session.get_one(LtiScoreRow, due.number)
        row.begun, row.sent, row.sent_value = None, now, due.score.value
        if row.changed == due.changed:
            row.state, row.words, row.tries = SendState.SENT, "", 0
        platform = session.get_one(LtiPlatformRow, due.platform.number)
        if platform.failures:
            platform.failures, platform.failing_since, platform.paused_until = 0, None, None


def _note_failure(database: Database, due: _DueScore, error: PlatformError, now: datetime) -> None:
    """Mark a score as refused, or try again later if the platform has failed."""
    with database.writing() as session:
        row = session.get_one(LtiScoreRow, due.number)
        row.begun = None
        if row.changed != due.changed:
            return
        row.words, row.tries = str(error), row.tries + 1
        if isinstance(error, FaultError):
            note_failure(row, PAUSES, now)
        else:
            row.state = SendState.REFUSED


def _release(database: Database, due: _DueScore) -> None:
    with database.writing() as session:
        session.execute(update(LtiScoreRow).where(LtiScoreRow.id == due.number).values(begun=None))


def _pause(database: Database, due: _DueScore, error: PlatformError, now: datetime) -> None:
    """Make all scores of a platform wait. After a week without an answer, give them up. If the answer was lost, the
    platform may have received the score, so the score counts as interrupted.
    """
    begun = now - INTERRUPTED_AFTER if isinstance(error, NoAnswerError) else None
    with database.writing() as session:
        session.execute(update(LtiScoreRow).where(LtiScoreRow.id == due.number).values(begun=begun, words=str(error)))
        platform = session.get_one(LtiPlatformRow, due.platform.number)
        pause = PLATFORM_PAUSES[min(platform.failures, len(PLATFORM_PAUSES) - 1)]
        if isinstance(error, SlowDownError) and error.seconds is not None:
            pause = timedelta(seconds=error.seconds)
        platform.paused_until, platform.failures = now + pause, platform.failures + 1
        platform.failing_since = platform.failing_since or now
        if now - platform.failing_since > GIVE_UP_AFTER:
            _give_up(session, platform, str(error))


def _give_up(session: Session, platform: LtiPlatformRow, why: str) -> None:
    here: Sequence[int] = session.scalars(select(LtiContextRow.id).filter_by(platform_id=platform.id)).all()
    waiting = LtiScoreRow.context_id.in_(here), LtiScoreRow.state == SendState.TO_SEND
    words = f"given up after {GIVE_UP_AFTER.days} days: {why}"
    session.execute(update(LtiScoreRow).where(*waiting).values(state=SendState.REFUSED, words=words, begun=None))
    platform.failing_since, platform.failures = None, 0
