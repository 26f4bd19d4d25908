"""Webhooks of the course: addresses to which events are sent, and the latest deliveries."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, joinedload

from grader.protocol.text import showable
from grader.service.db.outbox import SendState
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.outbox import DeliveryRow, WebhookRow
from grader.service.db.tokens import fresh_token
from grader.service.errors import FieldError, NotFoundError

MAX_WEBHOOKS = 10
"""Maximum number of webhooks of a course. Each event is sent to all of them."""

MAX_ADDRESS_LENGTH = 500
"""Maximum length of an address."""

MAX_LISTED = 50
"""Maximum number of deliveries in the list, which starts with the latest."""


def add_webhook(session: Session, address: str, who: str, now: datetime) -> str:
    """Add a webhook, and return its secret. It is shown only once. Raises FieldError if the address cannot be used."""
    url = address.strip()
    _require_address(url)
    if (session.scalar(select(func.count()).select_from(WebhookRow)) or 0) >= MAX_WEBHOOKS:
        raise FieldError("url", f"The course has {MAX_WEBHOOKS} webhooks already. Remove one first.")
    row = WebhookRow(url=url, secret=fresh_token(), who=who, created=now)
    session.add(row)
    session.add(AuditRow(at=now, who=who, about="", what=f"added the webhook {address_in_words(url)}"))
    return row.secret


def _require_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        fine = parts.scheme == "https" and bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        fine = False
    if not fine or not url.isascii() or not url.isprintable() or " " in url or "#" in url:
        found = f"{showable(url[:MAX_ADDRESS_LENGTH])!r} is not an address that begins with https://"
        raise FieldError("url", f"{found}; write one such as https://ci.example.org/hook.")
    if len(url) > MAX_ADDRESS_LENGTH:
        raise FieldError("url", f"The address has {len(url):,} characters. Write {MAX_ADDRESS_LENGTH} at most.")


def address_in_words(url: str) -> str:
    """An address without its query, which may contain a secret."""
    start, mark, _ = url.partition("?")
    return showable(start) + ("?…" if mark else "")


def remove_webhook(session: Session, webhook_id: int, who: str, now: datetime) -> None:
    """Remove a webhook with its deliveries. Raises NotFoundError if it does not exist."""
    row = session.get(WebhookRow, webhook_id)
    if row is None:
        raise NotFoundError
    session.add(AuditRow(at=now, who=who, about="", what=f"removed the webhook {address_in_words(row.url)}"))
    session.delete(row)


def webhooks(session: Session) -> Sequence[WebhookRow]:
    """All webhooks of the course."""
    return session.scalars(select(WebhookRow).order_by(WebhookRow.id)).all()


def latest_deliveries(session: Session) -> Sequence[DeliveryRow]:
    """The latest deliveries, with their webhooks."""
    wanted = select(DeliveryRow).options(joinedload(DeliveryRow.webhook)).order_by(DeliveryRow.id.desc())
    return session.scalars(wanted.limit(MAX_LISTED)).all()


def send_again(session: Session, delivery_id: int, now: datetime) -> None:
    """Send a delivery again, with the full number of tries. Raises NotFoundError if it does not exist."""
    row = session.get(DeliveryRow, delivery_id)
    if row is None:
        raise NotFoundError
    row.state, row.tries, row.not_before = SendState.TO_SEND, 0, now


def send_refused_again(session: Session, now: datetime) -> None:
    """Send all refused deliveries again."""
    again = {"state": SendState.TO_SEND, "tries": 0, "not_before": now}
    session.execute(update(DeliveryRow).where(DeliveryRow.state == SendState.REFUSED).values(**again))
