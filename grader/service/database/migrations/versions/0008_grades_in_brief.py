"""Grades in brief beside results, so that pages about a course read no whole ones."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; what was graded before has none."""
    op.add_column("gradings", sa.Column("brief", sa.String(), nullable=True))
