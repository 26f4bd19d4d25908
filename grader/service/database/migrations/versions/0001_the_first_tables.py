"""The first tables."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("form_key", sa.String(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("received", Moment(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("counted_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "assignment", "number", name="attempts_numbers"),
        sa.UniqueConstraint("person_id", "form_key", name="attempts_once_per_form"),
        sa.UniqueConstraint("public"),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("expires", Moment(), nullable=False),
        sa.Column("used", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_invitations_person_id", "invitations", ["person_id"])

    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("form_token", sa.String(), nullable=False),
        sa.Column("expires", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_sessions_person_id", "sessions", ["person_id"])

    op.create_table(
        "gradings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("not_before", Moment(), nullable=False),
        sa.Column("started", Moment(), nullable=True),
        sa.Column("ended", Moment(), nullable=True),
        sa.Column("claimed_by", sa.String(), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("max_points", sa.Double(), nullable=True),
        sa.Column("shown_points", sa.Double(), nullable=True),
        sa.Column("shown_max", sa.Double(), nullable=True),
        sa.Column("checks", sa.String(), nullable=True),
        sa.Column("result", sa.String(), nullable=True),
        sa.Column("page", sa.LargeBinary(), nullable=True),
        sa.Column("full_page", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "gradings_one_open",
        "gradings",
        ["attempt_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('waiting', 'running')"),
        postgresql_where=sa.text("state IN ('waiting', 'running')"),
    )
    op.create_index("gradings_queue", "gradings", ["state", "priority", "id"])
    op.create_index("ix_gradings_attempt_id", "gradings", ["attempt_id"])

    op.create_table(
        "progress",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("grading_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["grading_id"],
            ["gradings.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_progress_grading_id", "progress", ["grading_id"])
