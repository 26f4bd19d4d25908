"""Invitations and sessions. An invitation is a link that signs a person in once; a session cookie then keeps the person
signed in.

Both consist of 256 random bits, which cannot be guessed. Therefore attempts are not limited, and a person cannot be
locked out by the attempts of others. Each function runs in the transaction of its caller.
"""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, func, select, update
from sqlalchemy.orm import Session, joinedload

from grader.common.people import by_name
from grader.common.phrases import count, listed
from grader.service.db.keys import folded_key, is_same_key
from grader.service.db.tables.access import ApiTokenRow, DeviceSignInRow, InvitationRow, PasswordRow, SessionRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.base import Base
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tokens import fresh_token, token_hash
from grader.service.errors import RefusedError

INVITATION_LIFETIME = timedelta(days=14)
SESSION_LIFETIME = timedelta(days=30)

MAIL_LINK_LIFETIME = timedelta(hours=1)

MAX_MAIL_LINKS = 3
"""Maximum number of open links per person that were requested by mail."""

MAX_SESSIONS = 10
"""Maximum number of browsers in which a person stays signed in. A further sign-in ends the oldest session."""

USED_UP = "This link has been used, has run out, or never was one. Ask your instructor for a new one."

DEACTIVATED = "Your instructor has ended your access to this course. Your attempts and grades are kept."

SESSION_OF_COOKIE = (
    select(SessionRow)
    .where(SessionRow.token_sha256 == bindparam("token_sha256"), SessionRow.expires > bindparam("now"))
    .options(joinedload(SessionRow.person))
)
"""Query for the session of a cookie and its person. It is built once and joins both tables because every page runs it.
"""


def invite(session: Session, person: PersonRow, who: str, now: datetime) -> str:
    """Create an invitation, which replaces earlier unused ones, and return its token. Raises RefusedError if the person
    is deactivated.
    """
    return invite_all(session, [person], who, now)[0]


def invite_all(session: Session, people: Sequence[PersonRow], who: str, now: datetime) -> list[str]:
    """Create an invitation for each person, which replaces earlier unused ones, and return the tokens in the order of
    the people. Raises RefusedError if one of them is deactivated.
    """
    for each in people:
        if each.deactivated is not None:
            raise RefusedError(f"{each.name} ({each.key}) is deactivated. Activate this person first.")
    made_before = InvitationRow.person_id.in_([each.id for each in people]), InvitationRow.used.is_(None)
    session.execute(delete(InvitationRow).where(*made_before, ~InvitationRow.by_mail))
    tokens = [fresh_token() for _ in people]
    session.add_all(
        InvitationRow(person_id=each.id, token_sha256=token_hash(token), expires=now + INVITATION_LIFETIME)
        for each, token in zip(people, tokens, strict=True)
    )
    session.add_all(
        AuditRow(at=now, who=who, about=each.key, what=f"made a sign-in link for {each.key}") for each in people
    )
    return tokens


NEWCOMERS = and_(
    PersonRow.role == CourseRole.STUDENT,
    PersonRow.deactivated.is_(None),
    ~exists().where(InvitationRow.person_id == PersonRow.id, InvitationRow.used.is_not(None)).correlate(PersonRow),
)
"""Active students who have never used a link."""


def newcomers(session: Session) -> Sequence[PersonRow]:
    """Active students who have never used a link, sorted by name."""
    return by_name(session.scalars(select(PersonRow).where(NEWCOMERS)))


def unused_links(session: Session, now: datetime, people: ColumnElement[bool]) -> set[str]:
    """Hashes of the unused links of the people that match the condition, except links by mail. These are the links that
    new invitations replace.
    """
    usable = InvitationRow.used.is_(None), InvitationRow.expires > now, ~InvitationRow.by_mail
    wanted = select(InvitationRow.token_sha256).join(PersonRow, InvitationRow.person_id == PersonRow.id)
    return set(session.scalars(wanted.where(*usable, people)))


def links_digest(links: Collection[str]) -> str:
    """A short digest of a set of links. It changes as soon as one of them is used or replaced."""
    return hashlib.sha256("".join(sorted(links)).encode()).hexdigest()[:32]


def mail_link(session: Session, person_id: int, now: datetime) -> str | None:
    """Create a link to be sent by mail and return its token; None if the person has too many open links or is
    deactivated.
    """
    if session.get_one(PersonRow, person_id).deactivated is not None:
        return None
    mine = InvitationRow.person_id == person_id, InvitationRow.by_mail, InvitationRow.used.is_(None)
    session.execute(delete(InvitationRow).where(*mine, InvitationRow.expires <= now))
    if (session.scalar(select(func.count(InvitationRow.id)).where(*mine)) or 0) >= MAX_MAIL_LINKS:
        return None
    token = fresh_token()
    row = InvitationRow(
        person_id=person_id, token_sha256=token_hash(token), expires=now + MAIL_LINK_LIFETIME, by_mail=True
    )
    session.add(row)
    return token


def end_link(session: Session, token: str) -> None:
    """Delete a link that could not be sent."""
    session.execute(delete(InvitationRow).where(InvitationRow.token_sha256 == token_hash(token)))


def person_named(session: Session, keys: Collection[str]) -> PersonRow | None:
    """The person with exactly one of these keys or, failing that, the only person whose key has the same letters; else
    None.
    """
    folded = set(map(folded_key, keys))
    found = session.scalars(select(PersonRow).where(PersonRow.folded.in_(folded))).all()
    exact = [each for each in found if each.key in keys]
    same = exact or [each for each in found if any(is_same_key(each.key, key) for key in keys)]
    return same[0] if len(same) == 1 else None


def sign_in(session: Session, token: str, now: datetime) -> str | None:
    """Use an invitation, and return the token of the new session; None if the invitation cannot be used."""
    used = session.execute(
        update(InvitationRow).where(*_usable(token, now)).values(used=now).returning(InvitationRow.person_id)
    ).scalar()
    return None if used is None else start_session(session, used, now)


def start_session(session: Session, person_id: int, now: datetime) -> str:
    """Start a session for a person whose identity is proved, and return its token. Deletes the person's unused links by
    mail. Raises RefusedError if the person is deactivated.
    """
    if session.get_one(PersonRow, person_id).deactivated is not None:
        raise RefusedError(DEACTIVATED)
    by_mail = InvitationRow.person_id == person_id, InvitationRow.by_mail, InvitationRow.used.is_(None)
    session.execute(delete(InvitationRow).where(*by_mail))
    token = fresh_token()
    kept = select(SessionRow.id).where(SessionRow.person_id == person_id).order_by(SessionRow.id.desc())
    old = session.scalars(kept.offset(MAX_SESSIONS - 1)).all()
    session.execute(delete(SessionRow).where(SessionRow.id.in_(old) | (SessionRow.expires < now)))
    session.add(
        SessionRow(
            person_id=person_id,
            token_sha256=token_hash(token),
            form_token=fresh_token(),
            expires=now + SESSION_LIFETIME,
        )
    )
    return token


def session_of(session: Session, token: str, now: datetime) -> SessionRow | None:
    """The session of a cookie, with its person; None if it has ended."""
    found = session.scalar(SESSION_OF_COOKIE, {"token_sha256": token_hash(token), "now": now})
    return None if found is None or found.person.deactivated is not None else found


def is_valid_session(session: Session, row_id: int, now: datetime) -> bool:
    """True if a session has not ended."""
    wanted = select(SessionRow.id).where(SessionRow.id == row_id, SessionRow.expires > now)
    return session.scalar(wanted) is not None


def invited_person(session: Session, token: str, now: datetime) -> PersonRow | None:
    """The person whom the invitation with this token signs in; None if the invitation cannot be used. The invitation
    stays unused. Callers check this before they open a write transaction, because anyone may try a link.
    """
    invitation = InvitationRow.person_id == PersonRow.id
    return session.scalar(select(PersonRow).join(InvitationRow, invitation).where(*_usable(token, now)))


def _usable(token: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return InvitationRow.token_sha256 == token_hash(token), InvitationRow.used.is_(None), InvitationRow.expires > now


def end_other_sessions(session: Session, person_id: int, kept: int) -> None:
    """End all sessions of a person except this one."""
    session.execute(delete(SessionRow).where(SessionRow.person_id == person_id, SessionRow.id != kept))


def ways_to_sign_in(session: Session, person: PersonRow, now: datetime) -> str:
    """Ways in which a person can sign in, in words: "2 browsers, 1 token and 1 unused link"."""

    def number(table: type[Base], *conditions: ColumnElement[bool]) -> int:
        return session.scalar(select(func.count()).select_from(table).where(*conditions)) or 0

    browsers = number(SessionRow, SessionRow.person_id == person.id, SessionRow.expires > now)
    tokens = number(ApiTokenRow, ApiTokenRow.person_id == person.id, ApiTokenRow.expires > now)
    usable = InvitationRow.used.is_(None), InvitationRow.expires > now
    links = number(InvitationRow, InvitationRow.person_id == person.id, *usable)
    passwords = number(PasswordRow, PasswordRow.person_id == person.id)
    things = (browsers, "browser"), (tokens, "token"), (links, "unused link"), (passwords, "password")
    named = [count(each, name) for each, name in things if each]
    return listed(named, "and") if named else "nothing: no browser or token is signed in, and no link is unused"


def end_all_access(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """End all access of a person, for example after a theft: sessions, tokens, unused links and the password."""
    session.execute(delete(PasswordRow).where(PasswordRow.person_id == person.id))
    session.execute(delete(SessionRow).where(SessionRow.person_id == person.id))
    session.execute(delete(ApiTokenRow).where(ApiTokenRow.person_id == person.id))
    session.execute(delete(DeviceSignInRow).where(DeviceSignInRow.person_id == person.id))
    session.execute(delete(InvitationRow).where(InvitationRow.person_id == person.id, InvitationRow.used.is_(None)))
    session.add(AuditRow(at=now, who=who, about=person.key, what=f"signed {person.key} out everywhere"))


def sign_out(session: Session, row_id: int) -> None:
    """End a session."""
    session.execute(delete(SessionRow).where(SessionRow.id == row_id))
