"""Registrations at learning platforms, their deployments, and the courses of a platform that are connected.

registration (issuer and client) -< deployments -< courses of the platform, connected by an instructor
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from grader.protocol.text import showable
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiContextRow, LtiDeploymentRow, LtiPlatformRow, LtiRegistrationLinkRow
from grader.service.db.tokens import fresh_token, token_hash
from grader.service.errors import NotFoundError, RefusedError
from grader.service.lti.platform_client import Endpoints, PlatformClient

MAX_WAITING_CONTEXTS = 200
"""Maximum number of courses of a registration that wait for an instructor's decision."""

REGISTRATION_LINK_LIFETIME = timedelta(days=1)

REGISTRATION_USED_UP = "This link was used or has expired. The operator makes a new one with `grader lti invite`."

MAX_FIELD_LENGTH, MAX_NAME_LENGTH = 2000, 200

Match = Literal["", "email", "username", "sourcedid"]
"""Claim that contains the key of a person: the mail address, the login name, or the number in the student records."""


@dataclass(frozen=True, kw_only=True)
class Registration:
    """The data of a registration, as an operator or a platform states them."""

    name: str
    issuer: str
    client_id: str
    authorization_url: str
    token_url: str
    jwks_url: str
    token_audience: str = ""
    matches: Match = ""
    deployments: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StatedContext:
    """A course of a platform, as a launch describes it."""

    deployment: str
    context: str
    title: str
    memberships_url: str
    line_items_url: str
    scopes: tuple[str, ...]
    groups_url: str = ""
    group_sets_url: str = ""


def register(session: Session, stated: Registration, client: PlatformClient, now: datetime) -> LtiPlatformRow:
    """Add a registration, or change the one with this issuer and client. In a change, an empty name, match or audience
    keeps the current one, and deployments are added to the known ones. Raises RefusedError if a field is invalid.
    """
    _require_valid(stated, client)
    row = platform_named(session, stated.issuer, stated.client_id)
    if row is None:
        row = LtiPlatformRow(issuer=stated.issuer, client_id=stated.client_id, created=now)
        row.name, row.matches, row.token_audience = "the learning platform", "", ""
        session.add(row)
    row.name, row.matches = stated.name or row.name, stated.matches or row.matches
    row.token_audience = stated.token_audience or row.token_audience
    row.authorization_url, row.token_url, row.jwks_url = stated.authorization_url, stated.token_url, stated.jwks_url
    session.flush()
    for each in stated.deployments:
        add_deployment(session, row, each)
    what = f"registered the learning platform {row.name} ({row.issuer}, client {row.client_id})"
    session.add(AuditRow(at=now, who="operator", about="", what=what))
    return row


def _require_valid(stated: Registration, client: PlatformClient) -> None:
    if len(stated.name) > MAX_NAME_LENGTH or not stated.name.isprintable():
        raise RefusedError(f"The name has more than {MAX_NAME_LENGTH} characters, or an invisible one.")
    for what, text in {"issuer": stated.issuer, "client id": stated.client_id}.items():
        if not text or len(text) > MAX_FIELD_LENGTH or not text.isprintable():
            raise RefusedError(f"The {what} is empty, too long, or has an invisible character.")
    client.require_address(stated.issuer, "issuer")
    client.require_address(stated.authorization_url, "address of sign-ins")
    client.require_address(stated.token_url, "address of access tokens")
    client.require_address(stated.jwks_url, "address of the keys")


def add_deployment(session: Session, platform: LtiPlatformRow, deployment: str) -> None:
    """Accept launches from this deployment. No-op if they are accepted already."""
    if deployment not in deployments_of(session, platform.id):
        session.add(LtiDeploymentRow(platform_id=platform.id, deployment=deployment))
        session.flush()


def deployments_of(session: Session, platform_id: int) -> frozenset[str]:
    """The deployments of a registration from which launches are accepted."""
    wanted = select(LtiDeploymentRow.deployment).where(LtiDeploymentRow.platform_id == platform_id)
    return frozenset(session.scalars(wanted))


def platforms(session: Session) -> Sequence[LtiPlatformRow]:
    """All registrations, by name."""
    return session.scalars(select(LtiPlatformRow).order_by(LtiPlatformRow.name, LtiPlatformRow.id)).all()


def platform_named(session: Session, issuer: str, client_id: str) -> LtiPlatformRow | None:
    """The registration with this issuer and client; None if there is no such registration."""
    return session.scalar(select(LtiPlatformRow).filter_by(issuer=issuer, client_id=client_id))


def platform_of_login(session: Session, issuer: str, client_id: str) -> LtiPlatformRow:
    """The registration that a platform means. Raises RefusedError if the platform does not identify a known one."""
    found = [each for each in platforms(session) if each.issuer == issuer and client_id in {"", each.client_id}]
    if not found:
        of = f" with the client id {showable(client_id)[:200]}" if client_id else ""
        raise RefusedError(
            f"This service has no registration of {showable(issuer)[:200] or 'your platform'}{of}. The operator adds "
            "it by `grader lti add`, and `grader lti list` shows what is registered."
        )
    if len(found) > 1:
        raise RefusedError(
            "Your platform did not say which of its registrations it means. It must send the client ID (client_id)."
        )
    return found[0]


def endpoints_of(row: LtiPlatformRow) -> Endpoints:
    """The addresses to which requests for a registration go."""
    return Endpoints(
        number=row.id,
        client_id=row.client_id,
        token_url=row.token_url,
        token_audience=row.token_audience,
        jwks_url=row.jwks_url,
    )


def contexts(session: Session) -> Sequence[LtiContextRow]:
    """All courses of platforms from which a launch has come, the connected ones first."""
    found = session.scalars(select(LtiContextRow).order_by(LtiContextRow.title, LtiContextRow.id)).all()
    return sorted(found, key=lambda each: each.connected is None)


def context_of(session: Session, number: int) -> LtiContextRow:
    """The course of a platform with this number. Raises NotFoundError if it does not exist."""
    found = session.get(LtiContextRow, number)
    if found is None:
        raise NotFoundError
    return found


def note_context(session: Session, platform: LtiPlatformRow, stated: StatedContext, now: datetime) -> LtiContextRow:
    """The course from which a launch comes, with the addresses of the launch. A new course waits until an instructor
    connects it. Raises RefusedError if too many are waiting.
    """
    named = {"platform_id": platform.id, "deployment": stated.deployment, "context": stated.context}
    row = session.scalar(select(LtiContextRow).filter_by(**named))
    if row is None:
        waiting = LtiContextRow.platform_id == platform.id, LtiContextRow.connected.is_(None)
        if (session.scalar(select(func.count(LtiContextRow.id)).where(*waiting)) or 0) >= MAX_WAITING_CONTEXTS:
            raise RefusedError(
                "Too many courses of your platform wait to be connected. Ask the instructor of this one."
            )
        row = LtiContextRow(**named, title="", seen=now, connected_by="", roster_words="", scopes="")
        row.memberships_url = row.line_items_url = ""
        session.add(row)
    row.seen = now
    row.title = stated.title or row.title or stated.context
    row.memberships_url = stated.memberships_url or row.memberships_url
    row.line_items_url = stated.line_items_url or row.line_items_url
    row.groups_url = stated.groups_url or row.groups_url or ""
    row.group_sets_url = stated.group_sets_url or row.group_sets_url or ""
    row.scopes = " ".join(stated.scopes) or row.scopes
    session.flush()
    return row


def connect(session: Session, row: LtiContextRow, who: str, now: datetime) -> None:
    """Let the people of a platform's course enter, and accept its deployment."""
    add_deployment(session, session.get_one(LtiPlatformRow, row.platform_id), row.deployment)
    row.connected, row.connected_by = now, who
    row.roster_due = now if row.memberships_url else None
    session.add(AuditRow(at=now, who=who, about="", what=f"connected {row.title} of {row.platform.name}"))


def disconnect(session: Session, row: LtiContextRow, who: str, now: datetime) -> None:
    """Stop launches from a course of a platform, and the delivery of its scores. People keep their accounts here."""
    row.connected, row.connected_by, row.roster_due = None, "", None
    session.add(AuditRow(at=now, who=who, about="", what=f"disconnected {row.title} of {row.platform.name}"))


def registration_link(session: Session, now: datetime) -> str:
    """Create a link with which a platform may register itself once, and return its token."""
    session.execute(delete(LtiRegistrationLinkRow).where(LtiRegistrationLinkRow.expires < now))
    token = fresh_token()
    session.add(LtiRegistrationLinkRow(token_sha256=token_hash(token), expires=now + REGISTRATION_LINK_LIFETIME))
    return token


def is_registration_link(session: Session, token: str, now: datetime) -> bool:
    """True if a platform may register itself with this token."""
    row = session.get(LtiRegistrationLinkRow, token_hash(token))
    return row is not None and row.expires > now


def use_registration_link(session: Session, token: str, now: datetime) -> None:
    """Use up a link. Raises RefusedError if it cannot be used."""
    if not is_registration_link(session, token, now):
        raise RefusedError(REGISTRATION_USED_UP)
    session.execute(delete(LtiRegistrationLinkRow).where(LtiRegistrationLinkRow.token_sha256 == token_hash(token)))
