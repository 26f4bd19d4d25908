"""Access to the service: links, passwords, sessions, tokens, and repositories whose jobs hand in."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base
from grader.service.db.tables.people import PersonRow


class InvitationRow(Base):
    """A link that signs a person in once. It was created by an instructor or, if `by_mail` is true, requested by mail.
    Only the hash of its token is stored.
    """

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    expires: Mapped[datetime]
    used: Mapped[datetime | None]
    by_mail: Mapped[bool] = mapped_column(default=False, server_default=false())


class PasswordRow(Base):
    """The hash of a person's password."""

    __tablename__ = "passwords"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), unique=True)
    argon2: Mapped[str]
    changed: Mapped[datetime]


class SessionRow(Base):
    """A browser that is signed in. Each of its forms contains `form_token`."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    form_token: Mapped[str]
    expires: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (NEVER_REUSED_NUMBERS,)


class ApiTokenRow(Base):
    """A token with which a program acts for a person. Only its hash is stored. `scopes` is a list of words separated by
    blanks.
    """

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    name: Mapped[str]
    token_sha256: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[str]
    created: Mapped[datetime]
    expires: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (NEVER_REUSED_NUMBERS,)


class DeviceSignInRow(Base):
    """A terminal that wants to sign in (RFC 8628). `person_id` is the person who has answered, and `answer` the answer.
    `polled` is the time of the last poll, and `interval` the seconds between two polls.
    """

    __tablename__ = "device_sign_ins"

    id: Mapped[int] = mapped_column(primary_key=True)
    device_sha256: Mapped[str] = mapped_column(unique=True)
    user_code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    scopes: Mapped[str]
    expires: Mapped[datetime]
    interval: Mapped[int]
    polled: Mapped[datetime | None]
    answer: Mapped[str]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))


class RepositoryRow(Base):
    """A repository whose CI jobs hand in for a person. `issuer` is the CI provider. A `user` restricts it to jobs that
    this user of the provider has started. `number` is the provider's number of the repository, stored at the first job.
    Staff created the row if it is `by_staff`, otherwise the person.
    """

    __tablename__ = "repositories"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    issuer: Mapped[str]
    repository: Mapped[str]
    user: Mapped[str]
    number: Mapped[str]
    by_staff: Mapped[bool]
    created: Mapped[datetime]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (
        UniqueConstraint("person_id", "issuer", "repository", name="repositories_once"),
        Index("repositories_named", "issuer", "repository"),
        NEVER_REUSED_NUMBERS,
    )
