"""What the webhook was told."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("about", sa.Integer(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("sent", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("kind", "about", name="notices_once"),
    )
