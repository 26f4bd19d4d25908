"""Tokens of programs, and terminals that ask to be signed in."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("expires", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_api_tokens_person_id", "api_tokens", ["person_id"])
    op.create_table(
        "device_sign_ins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_sha256", sa.String(), nullable=False),
        sa.Column("user_code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("expires", Moment(), nullable=False),
        sa.Column("interval", sa.Integer(), nullable=False),
        sa.Column("polled", Moment(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("device_sha256"),
        sa.UniqueConstraint("user_code"),
    )
