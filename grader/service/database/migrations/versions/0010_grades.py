"""Groups, trial runs, what is decided by hand, requests, releases and regradings."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the tables, and the columns of others."""
    op.add_column("people", sa.Column("team", sa.String(), nullable=True))
    op.add_column("attempts", sa.Column("trial", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("gradings", sa.Column("regrading_id", sa.Integer(), nullable=True))
    op.add_column("gradings", sa.Column("full_checks", sa.String(), nullable=True))
    op.create_index("ix_gradings_regrading_id", "gradings", ["regrading_id"])
    _make("shares", _person(), _attempt(), sa.UniqueConstraint("attempt_id", "person_id", name="shares_once"))
    op.create_index("ix_shares_person_id", "shares", ["person_id"])
    op.create_table("releases", _text("assignment"), *_signed(), sa.PrimaryKeyConstraint("assignment"))
    once = sa.UniqueConstraint("person_id", "assignment", name="decisions_once")
    points: sa.Column[float] = sa.Column("points", sa.Double(), nullable=False)
    _make("decisions", _person(), _text("assignment"), _text("kind"), points, _text("comment"), *_signed(), once)
    _make("exclusions", _attempt(), _text("reason"), *_signed(), sa.UniqueConstraint("attempt_id"))
    answered: sa.Column[object] = sa.Column("answered", Moment(), nullable=True)
    _make("requests", _attempt(), _person(), *map(_text, ("asked", "answer", "answered_by")), _moment(), answered)
    op.create_index("ix_requests_attempt_id", "requests", ["attempt_id"])
    op.create_index("ix_requests_person_id", "requests", ["person_id"])
    _make("regradings", _text("assignment"), _text("which"), *_signed())


def _make(name: str, *parts: sa.schema.SchemaItem) -> None:
    op.create_table(name, sa.Column("id", sa.Integer(), primary_key=True), *parts)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _moment() -> sa.Column[object]:
    return sa.Column("at", Moment(), nullable=False)


def _signed() -> tuple[sa.Column[str], sa.Column[object]]:
    return _text("who"), _moment()


def _person() -> sa.Column[int]:
    return sa.Column("person_id", sa.Integer(), sa.ForeignKey("people.id"), nullable=False)


def _attempt() -> sa.Column[int]:
    return sa.Column("attempt_id", sa.Integer(), sa.ForeignKey("attempts.id"), nullable=False)
