"""Invitations and sessions: a link signs somebody in once, a cookie keeps them signed in.

Each function works in the transaction that it is given.
"""

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from grader.service.database.tables import AuditRow, FailedSignInRow, InvitationRow, PersonRow, SessionRow
from grader.service.refusing import NotDoneError
from grader.service.tokens import fresh_token, token_hash

INVITATION_LASTS = timedelta(days=14)
SESSION_LASTS = timedelta(days=30)

FAILURES, WITHIN = 20, timedelta(minutes=10)
"""Links that are none, from one address, before it must wait."""

SESSIONS = 10
"""Browsers in which somebody stays signed in; the oldest is signed out by one more."""

USED_UP = "This link has been used, has run out, or never was one. Ask your instructor for a new one."


def invite(session: Session, person: PersonRow, who: str, now: datetime) -> str:
    """The token of a new invitation. Those before, if unused, sign in no more."""
    session.execute(delete(InvitationRow).where(InvitationRow.person_id == person.id, InvitationRow.used.is_(None)))
    token = fresh_token()
    row = InvitationRow(person_id=person.id, token_sha256=token_hash(token), expires=now + INVITATION_LASTS)
    session.add(row)
    session.add(AuditRow(at=now, who=who, about=person.key, what=f"made a sign-in link for {person.key}"))
    return token


def refuse_guessers(session: Session, address: str, now: datetime) -> None:
    """Raise NotDoneError if this address has tried too many links that are none."""
    failures = select(func.count()).where(FailedSignInRow.address == address, FailedSignInRow.at > now - WITHIN)
    if session.scalar(failures) >= FAILURES:  # type: ignore[operator]  # a count is never None
        raise NotDoneError("Too many links that do not work came from your address; try again in ten minutes.")


def note_failure(session: Session, address: str, now: datetime) -> None:
    """Remember a link that is none; forget those that are long past."""
    session.execute(delete(FailedSignInRow).where(FailedSignInRow.at < now - WITHIN))
    session.add(FailedSignInRow(address=address, at=now))


def sign_in(session: Session, token: str, now: datetime) -> str | None:
    """Use up an invitation; the token of the new session, or None if it is none (any more)."""
    used = session.execute(
        update(InvitationRow)
        .where(
            InvitationRow.token_sha256 == token_hash(token), InvitationRow.used.is_(None), InvitationRow.expires > now
        )
        .values(used=now)
        .returning(InvitationRow.person_id)
    ).scalar()
    return None if used is None else _begin(session, used, now)


def _begin(session: Session, person_id: int, now: datetime) -> str:
    token = fresh_token()
    kept = select(SessionRow.id).where(SessionRow.person_id == person_id).order_by(SessionRow.id.desc())
    old = session.scalars(kept.offset(SESSIONS - 1)).all()
    session.execute(delete(SessionRow).where(SessionRow.id.in_(old) | (SessionRow.expires < now)))
    session.add(
        SessionRow(
            person_id=person_id, token_sha256=token_hash(token), form_token=fresh_token(), expires=now + SESSION_LASTS
        )
    )
    return token


def session_of(session: Session, token: str, now: datetime) -> SessionRow | None:
    """The session of a cookie, with its person; None if it has ended."""
    wanted = select(SessionRow).where(SessionRow.token_sha256 == token_hash(token), SessionRow.expires > now)
    found = session.scalar(wanted)
    if found is not None:
        _ = found.person  # loaded while the transaction lasts
    return found


def sign_out(session: Session, row_id: int) -> None:
    """End a session."""
    session.execute(delete(SessionRow).where(SessionRow.id == row_id))
