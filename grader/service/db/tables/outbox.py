"""The tables of messages that the service sends: notices, events for webhooks, and mails."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base


class NoticeRow(Base):
    """A notice to the people who teach, sent through the webhook. `about` is the number of a question or a grading,
    depending on `kind` (notifier.py). Sending began at `at`, and the notice arrived at `sent`.
    """

    __tablename__ = "notices"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    about: Mapped[int]
    at: Mapped[datetime]
    sent: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("kind", "about", name="notices_once"),)


class WebhookRow(Base):
    """An address to which events of the course are sent. Each request is signed with `secret`, so a hash of it would
    not suffice.
    """

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str]
    secret: Mapped[str]
    who: Mapped[str]
    created: Mapped[datetime]

    __table_args__ = (NEVER_REUSED_NUMBERS,)


class DeliveryRow(Base):
    """An event for a webhook (db/outbox.py). `public` is its name for the receiver, and `path` the page about it.
    It is sent at `not_before` or later, for the (`tries` + 1)-th time. `words` is the last answer.
    """

    __tablename__ = "deliveries"

    id: Mapped[int] = mapped_column(primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"), index=True)
    public: Mapped[str]
    event: Mapped[str]
    path: Mapped[str]
    data: Mapped[str]
    at: Mapped[datetime]
    state: Mapped[str]
    tries: Mapped[int]
    not_before: Mapped[datetime]
    words: Mapped[str]
    webhook: Mapped[WebhookRow] = relationship()

    __table_args__ = (Index("deliveries_to_send", "state", "not_before"), NEVER_REUSED_NUMBERS)


class RegradingEndRow(Base):
    """Record that the end of a regrading was noticed, so that its event is sent once."""

    __tablename__ = "regrading_ends"

    regrading_id: Mapped[int] = mapped_column(ForeignKey("regradings.id"), primary_key=True)
    at: Mapped[datetime]


class MailRow(Base):
    """A mail to a student about a page, at `path` (db/outbox.py). Sending began at `begun` and ended at `sent`."""

    __tablename__ = "mails"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    kind: Mapped[str]
    assignment: Mapped[str]
    path: Mapped[str]
    at: Mapped[datetime]
    begun: Mapped[datetime | None]
    sent: Mapped[datetime | None]

    __table_args__ = (Index("mails_to_send", "sent", "at"),)


class MailChoiceRow(Base):
    """A kind of mail that a person has switched off."""

    __tablename__ = "mail_choices"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    kind: Mapped[str]

    __table_args__ = (UniqueConstraint("person_id", "kind", name="mail_choices_once"),)
