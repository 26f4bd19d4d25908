"""The tables of learning platforms: registrations, their courses, people and columns, and scores to send.

platforms -< deployments, accounts, contexts -< members, line items, scores   (accounts, members, scores: of people)
"""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.service.db.tables.base import NEVER_REUSED_NUMBERS, Base
from grader.service.db.tables.people import PersonRow


class LtiKeyRow(Base):
    """A key with which the service signs what it sends to learning platforms (lti/keys.py). `kid` is its public name,
    `pem` the private key.
    """

    __tablename__ = "lti_keys"

    kid: Mapped[str] = mapped_column(primary_key=True)
    pem: Mapped[str]
    created: Mapped[datetime]


class LtiPlatformRow(Base):
    """A registration at a learning platform. The issuer and the client together identify it, because all schools of a
    hosted platform may share an issuer. `matches` is the claim that contains the key of a person who is already in the
    course; empty if no claim does. After a failure, nothing is sent before `paused_until`. The platform has failed
    `failures` times in a row, since `failing_since`.
    """

    __tablename__ = "lti_platforms"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    issuer: Mapped[str]
    client_id: Mapped[str]
    authorization_url: Mapped[str]
    token_url: Mapped[str]
    token_audience: Mapped[str]
    jwks_url: Mapped[str]
    matches: Mapped[str]
    created: Mapped[datetime]
    paused_until: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(server_default="0", default=0)
    failing_since: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("issuer", "client_id", name="lti_platforms_once"),
        NEVER_REUSED_NUMBERS,  # the cookie of a launch contains the number
    )


class LtiDeploymentRow(Base):
    """A deployment of a registration from which launches are accepted."""

    __tablename__ = "lti_deployments"

    id: Mapped[int] = mapped_column(primary_key=True)
    platform_id: Mapped[int] = mapped_column(ForeignKey("lti_platforms.id"))
    deployment: Mapped[str]

    __table_args__ = (UniqueConstraint("platform_id", "deployment", name="lti_deployments_once"),)


class LtiContextRow(Base):
    """A course of a learning platform. It is used only after an instructor has `connected` it, because any teacher of
    the platform may launch from a course of their own. Its addresses and `scopes` come from the latest launch. The
    roster is due for reading at `roster_due` and was last read at `rostered`, with the result `roster_words`.
    `group_sets` contains the names of its sets of groups by id, as JSON. `group_set` is the id of the set whose groups
    hand in together (lti/services/groups.py).
    """

    __tablename__ = "lti_contexts"

    id: Mapped[int] = mapped_column(primary_key=True)
    platform_id: Mapped[int] = mapped_column(ForeignKey("lti_platforms.id"))
    deployment: Mapped[str]
    context: Mapped[str]
    title: Mapped[str]
    seen: Mapped[datetime]
    connected: Mapped[datetime | None]
    connected_by: Mapped[str]
    memberships_url: Mapped[str]
    groups_url: Mapped[str] = mapped_column(server_default="", default="")
    group_sets_url: Mapped[str] = mapped_column(server_default="", default="")
    group_sets: Mapped[str] = mapped_column(server_default="{}", default="{}")
    group_set: Mapped[str] = mapped_column(server_default="", default="")
    line_items_url: Mapped[str]
    scopes: Mapped[str]
    roster_due: Mapped[datetime | None]
    rostered: Mapped[datetime | None]
    roster_words: Mapped[str]
    platform: Mapped[LtiPlatformRow] = relationship()

    __table_args__ = (
        UniqueConstraint("platform_id", "deployment", "context", name="lti_contexts_once"),
        NEVER_REUSED_NUMBERS,
    )


class LtiAccountRow(Base):
    """A person's account at a learning platform, which the platform calls `sub`. `role` is the role that the platform
    last stated. `departed` is set if the person was deactivated because no connected course lists them any more.
    """

    __tablename__ = "lti_accounts"

    id: Mapped[int] = mapped_column(primary_key=True)
    platform_id: Mapped[int] = mapped_column(ForeignKey("lti_platforms.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    sub: Mapped[str]
    role: Mapped[str]
    departed: Mapped[datetime | None]
    person: Mapped[PersonRow] = relationship()

    __table_args__ = (
        UniqueConstraint("platform_id", "sub", name="lti_accounts_once"),
        UniqueConstraint("platform_id", "person_id", name="lti_accounts_one_per_person"),
    )


class LtiMemberRow(Base):
    """Membership of a person in a course of a learning platform. The person left the course at `left`."""

    __tablename__ = "lti_members"

    id: Mapped[int] = mapped_column(primary_key=True)
    context_id: Mapped[int] = mapped_column(ForeignKey("lti_contexts.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    left: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("context_id", "person_id", name="lti_members_once"),)


class LtiLineItemRow(Base):
    """An assignment that a course of a learning platform uses. `url` is the column of its gradebook; empty until it is
    known.
    """

    __tablename__ = "lti_line_items"

    id: Mapped[int] = mapped_column(primary_key=True)
    context_id: Mapped[int] = mapped_column(ForeignKey("lti_contexts.id"))
    assignment: Mapped[str]
    url: Mapped[str]

    __table_args__ = (UniqueConstraint("context_id", "assignment", name="lti_line_items_once"),)


class LtiScoreRow(Base):
    """The score of a person at an assignment for the gradebook of a learning platform (lti/services/scores.py). Without
    `points`, the gradebook must not contain a score. `changed` is the time of the latest change of the score.
    `sent_value` describes the last score that arrived, and `words` is the platform's message if it refused one. While a
    score is on its way, `begun` is the time at which sending began.
    """

    __tablename__ = "lti_scores"

    id: Mapped[int] = mapped_column(primary_key=True)
    context_id: Mapped[int] = mapped_column(ForeignKey("lti_contexts.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    assignment: Mapped[str]
    points: Mapped[float | None]
    most: Mapped[float]
    comment: Mapped[str]
    submitted: Mapped[datetime | None]
    changed: Mapped[datetime]
    state: Mapped[str]
    tries: Mapped[int]
    not_before: Mapped[datetime]
    begun: Mapped[datetime | None]
    sent: Mapped[datetime | None]
    sent_value: Mapped[str]
    words: Mapped[str]
    person: Mapped[PersonRow] = relationship()
    context: Mapped[LtiContextRow] = relationship()

    __table_args__ = (
        UniqueConstraint("context_id", "person_id", "assignment", name="lti_scores_once"),
        Index("lti_scores_due", "state", "not_before"),
        NEVER_REUSED_NUMBERS,
    )


class LtiNonceRow(Base):
    """The hash of a nonce from a launch, so that a message is not accepted twice. It is kept until the message has
    expired.
    """

    __tablename__ = "lti_nonces"

    nonce_sha256: Mapped[str] = mapped_column(primary_key=True)
    expires: Mapped[datetime] = mapped_column(index=True)


class LtiSelectionRow(Base):
    """A page on which an instructor chooses assignments for a course of a learning platform. Only the hash of the token
    in its form is stored. `settings` contains the data for the answer to the platform, as JSON (deep_linking.py).
    """

    __tablename__ = "lti_selections"

    id: Mapped[int] = mapped_column(primary_key=True)
    context_id: Mapped[int] = mapped_column(ForeignKey("lti_contexts.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    token_sha256: Mapped[str] = mapped_column(unique=True)
    settings: Mapped[str]
    expires: Mapped[datetime]
    context: Mapped[LtiContextRow] = relationship()


class LtiRegistrationLinkRow(Base):
    """A link with which a learning platform may register itself once. Only the hash of its token is stored."""

    __tablename__ = "lti_registration_links"

    token_sha256: Mapped[str] = mapped_column(primary_key=True)
    expires: Mapped[datetime]
