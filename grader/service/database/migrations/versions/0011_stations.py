"""Stations say that they are there."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "stations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("device_class", sa.String(), nullable=False),
        sa.Column("grader", sa.String(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("started", Moment(), nullable=False),
        sa.Column("seen", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
