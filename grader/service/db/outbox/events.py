"""Outbox of events for webhooks. A delivery is stored in the same transaction as the event that it reports.

    event (graded, regrade ended) -> a DeliveryRow for each webhook -> serve/deliveries.py sends it

An event identifies attempts and students, but does not contain points. A receiver asks the API for them, with a token
whose scopes decide what it may see.
"""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.db.outbox.sending import SendState
from grader.service.db.tables.outbox import DeliveryRow, WebhookRow
from grader.service.db.tables.submissions import AttemptRow


class WebhookEvent(StrEnum):
    """Event that a webhook reports."""

    GRADED = "attempt.graded"
    REGRADE_ENDED = "regrade.ended"


_WEBHOOKS = select(WebhookRow.id).with_for_update(read=True, key_share=True)
"""Query for the webhooks. On PostgreSQL, it locks them. Without the lock, a webhook could be removed before its event
is stored. The event and the result of the grading would then be lost.
"""


def put_event(session: Session, event: WebhookEvent, path: str, data: Mapping[str, object], now: datetime) -> None:
    """Put an event about the page at `path` in the outbox, for each webhook of the course."""
    for webhook_id in session.scalars(_WEBHOOKS):
        session.add(
            DeliveryRow(
                webhook_id=webhook_id,
                public=secrets.token_urlsafe(16),
                event=event,
                path=path,
                data=json.dumps(data),
                at=now,
                state=SendState.TO_SEND,
                tries=0,
                not_before=now,
                words="",
            )
        )


def put_graded(session: Session, attempt: AttemptRow, now: datetime, *, complete: bool) -> None:
    """Report that an attempt was graded. It is `complete` unless its hidden cases have not run yet. No-op for a trial
    run.
    """
    if attempt.trial or not session.scalars(_WEBHOOKS).all():
        return
    about = {
        "attempt": attempt.public,
        "assignment": attempt.assignment,
        "student": attempt.person.key,
        "number": attempt.number,
        "complete": complete,
    }
    put_event(session, WebhookEvent.GRADED, f"/attempts/{attempt.public}", about, now)
