"""Mails to students, and the kinds that a student has switched off."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "mails",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("begun", Moment(), nullable=True),
        sa.Column("sent", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_mails_person_id", "mails", ["person_id"])
    op.create_index("mails_to_send", "mails", ["sent", "at"])
    op.create_table(
        "mail_choices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "kind", name="mail_choices_once"),
    )
