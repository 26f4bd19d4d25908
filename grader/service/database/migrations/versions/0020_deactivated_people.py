"""Time since when a person cannot sign in."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Make the column."""
    op.add_column("people", sa.Column("deactivated", Moment(), nullable=True))
