"""The version of the assignment by which each grading was made."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the columns; a station fills them in for what was graded before."""
    op.add_column("gradings", sa.Column("measured_sha256", sa.String(), nullable=True))
    op.add_column("gradings", sa.Column("scored_sha256", sa.String(), nullable=True))
