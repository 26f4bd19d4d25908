"""Links that were asked for by mail, and passwords."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the column and the table."""
    op.add_column("invitations", sa.Column("by_mail", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "passwords",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("argon2", sa.String(), nullable=False),
        sa.Column("changed", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id"),
    )
