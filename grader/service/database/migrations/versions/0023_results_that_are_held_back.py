"""Assignments whose results are held back."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "holds",
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("assignment"),
    )
