"""The service's own keys. Platforms read the public keys from /lti/keys.

A rotation adds a key. Platforms keep the list of keys for a while, so the new key is published at once but signs only
an hour later, and the old key stays published for two more days.

    rotated ---- 1 hour ---- the new key signs ---- 2 days ---- the old key is not published any more
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.service.db.tables.lti import LtiKeyRow
from grader.service.errors import RefusedError
from grader.service.lti.tokens import SigningKey, new_key

LEAD, OVERLAP = timedelta(hours=1), timedelta(days=2)
"""Time between the publication of a key and its first signature, and time for which the previous key stays published
after that.
"""


def rotate(session: Session, now: datetime) -> SigningKey:
    """Add a key, which replaces the present one in an hour. Raises RefusedError during a rotation."""
    if len(published(session, now)) > 1:
        raise RefusedError("The keys are being rotated. Rotate again after the old key has disappeared.")
    return _add(session, now)


def ensure_key(session: Session, now: datetime) -> None:
    """Create the first key, if the service does not have one yet."""
    if not _rows(session):
        _add(session, now)


def signing_key(session: Session, now: datetime) -> SigningKey:
    """The key with which the service signs now. Raises RefusedError without a key."""
    rows = _rows(session)
    if not rows:
        raise RefusedError("This service has no key yet. The operator creates one with `grader lti add`.")
    ready = [each for each in rows if each.created + LEAD <= now]
    return _key(ready[-1] if ready else rows[0])


def published(session: Session, now: datetime) -> list[SigningKey]:
    """The keys that platforms may see now, the oldest first."""
    rows = _rows(session)
    ends = [each.created + LEAD + OVERLAP for each in rows[1:]]
    return [_key(each) for each, end in zip(rows, [*ends, None], strict=False) if end is None or now < end]


def _add(session: Session, now: datetime) -> SigningKey:
    made = new_key()
    session.add(LtiKeyRow(kid=made.kid, pem=made.pem, created=now))
    return made


def _rows(session: Session) -> Sequence[LtiKeyRow]:
    return session.scalars(select(LtiKeyRow).order_by(LtiKeyRow.created, LtiKeyRow.kid)).all()


def _key(row: LtiKeyRow) -> SigningKey:
    return SigningKey(kid=row.kid, pem=row.pem)
