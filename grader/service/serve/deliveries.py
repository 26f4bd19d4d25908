"""Sends each event in the outbox to its webhook. If a receiver refuses an event or does not answer, the event is sent
again after growing pauses. This does not delay other receivers.

A receiver may get a delivery twice, because the service may end before it stores the answer. Both copies have the same
id.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import Session

from grader.service.db.outbox import SendState, WebhookEvent, begin, delete_older, note_failure, put_event
from grader.service.db.session import Database, utc_now
from grader.service.db.tables.decisions import RegradingRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.outbox import DeliveryRow, RegradingEndRow, WebhookRow
from grader.service.db.tables.submissions import GradingRow
from grader.service.network.addresses import Network
from grader.service.network.client import HttpAnswer, HttpClient, UnansweredError
from grader.service.serve.notifier import RepeatedJob, job_thread

PAUSES = tuple(timedelta(minutes=each) for each in (1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60))
"""Pauses between the tries of a delivery. After the last pause and one more try, it is refused."""

CLAIM = timedelta(minutes=2)
"""Time for which no other process sends a delivery after one process has begun to send it."""

MAX_SENT_AT_ONCE = 20
"""Maximum number of deliveries that are sent to a webhook at a time."""

STORAGE_PERIOD = timedelta(days=14)
"""Time after which deliveries are deleted."""

QUEUEING = timedelta(minutes=1)
"""Time in which all attempts of a regrading enter the queue. An earlier check may wrongly find it ended."""

ANSWER_SECONDS, MAX_ANSWER_BYTES = 10.0, 300
"""Seconds within which a receiver must answer, and the maximum number of bytes of the answer that are read."""

Send = Callable[[str, bytes, Mapping[str, str]], HttpAnswer]
"""Function that sends a request. Raises UnansweredError if the receiver does not answer."""


@dataclass(frozen=True, kw_only=True)
class _Due:
    """A delivery to send, with its request."""

    row: int
    url: str
    body: bytes
    headers: Mapping[str, str]


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a request: an HMAC of its time and its body, so that an old request cannot be sent again with a
    new time.
    """
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def send_deliveries(database: Database, origin: str, send: Send, now: datetime) -> None:
    """Send the deliveries that are due. After a failure, other deliveries to the same webhook wait for the next run."""
    delete_older(database, DeliveryRow, now - STORAGE_PERIOD)
    note_ended_regradings(database, now)
    with database.reading() as session:
        numbers = session.scalars(select(WebhookRow.id)).all()
    for webhook_id in numbers:
        for row in _due(database, webhook_id, now):
            if not _deliver(database, row, origin, send, now):
                break


def _due(database: Database, webhook_id: int, now: datetime) -> Sequence[int]:
    is_due = DeliveryRow.webhook_id == webhook_id, *_waiting(now)
    with database.reading() as session:
        return session.scalars(
            select(DeliveryRow.id).where(*is_due).order_by(DeliveryRow.not_before).limit(MAX_SENT_AT_ONCE)
        ).all()


def _waiting(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return DeliveryRow.state == SendState.TO_SEND, DeliveryRow.not_before <= now


def _deliver(database: Database, row: int, origin: str, send: Send, now: datetime) -> bool:
    """Send one delivery and store the answer. Returns False if it failed."""
    with database.writing() as session:
        due = _begin(session, row, origin, now)
    if due is None:  # another process sends it
        return True
    try:
        answer = send(due.url, due.body, due.headers)
    except UnansweredError as error:
        accepted, words = False, str(error)
    else:
        accepted, words = answer.is_accepted, f"answered {answer.status}: {answer.words}".removesuffix(": ")
    with database.writing() as session:
        found = session.get(DeliveryRow, row)
        if found is None:  # its webhook was removed in the meantime
            return accepted
        found.words = words
        if accepted:
            found.state = SendState.SENT
        else:
            note_failure(found, PAUSES, now)
    return accepted


def _begin(session: Session, row: int, origin: str, now: datetime) -> _Due | None:
    """Mark that sending a delivery has begun, and return its request; None if another process sends it."""
    values = {"tries": DeliveryRow.tries + 1, "not_before": now + CLAIM}
    if not begin(session, DeliveryRow, row, _waiting(now), values):
        return None
    found = session.get_one(DeliveryRow, row)
    about = {"id": found.public, "event": found.event, "at": found.at.isoformat(), "page": origin + found.path}
    body = json.dumps({**about, **json.loads(found.data)}).encode()
    timestamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        "x-grader-event": found.event,
        "x-grader-delivery": found.public,
        "x-grader-timestamp": timestamp,
        "x-grader-signature": signature(found.webhook.secret, timestamp, body),
    }
    return _Due(row=row, url=found.webhook.url, body=body, headers=headers)


def note_ended_regradings(database: Database, now: datetime) -> None:
    """Put an event in the outbox for each regrading that has ended since the last run."""
    unfinished = exists().where(
        GradingRow.regrading_id == RegradingRow.id,
        or_(GradingRow.state.in_([each for each in State if each.open]), GradingRow.state == State.SHOWN),
    )
    noted = exists().where(RegradingEndRow.regrading_id == RegradingRow.id)
    wanted = select(RegradingRow.id).where(RegradingRow.at <= now - QUEUEING, ~noted, ~unfinished)
    with database.reading() as session:
        ended = session.scalars(wanted.order_by(RegradingRow.id)).all()
    for each in ended:
        with database.writing() as session:
            _note_end(session, each, now)


def _note_end(session: Session, regrading_id: int, now: datetime) -> None:
    if session.get(RegradingEndRow, regrading_id) is not None:
        return
    order = session.get_one(RegradingRow, regrading_id)
    session.add(RegradingEndRow(regrading_id=order.id, at=now))
    about = {"regrade": order.id, "assignment": order.assignment, "which": order.which, "ordered_by": order.who}
    put_event(session, WebhookEvent.REGRADE_ENDED, f"/course/regradings/{order.id}", about, now)


@contextmanager
def delivery_thread(
    database: Database, origin: str, private: Sequence[Network], say: Callable[[str], None]
) -> Iterator[None]:
    """Send deliveries during the block. The page Webhooks shows failures of receivers, and `say` prints all others."""
    client = HttpClient(private=private, seconds=ANSWER_SECONDS, max_bytes=MAX_ANSWER_BYTES)

    def send(url: str, body: bytes, headers: Mapping[str, str]) -> HttpAnswer:
        return client.send("POST", url, headers, body)

    def run() -> None:
        send_deliveries(database, origin, send, utc_now())

    with job_thread(RepeatedJob(name="deliveries", run=run, failure_message="webhooks were not sent ({})."), say):
        yield
