"""Who handed in an attempt on behalf of a student, why and when."""

import sqlalchemy as sa
from alembic import op

from grader.service.database.tables import Moment

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Make the columns, which stay empty for attempts that students handed in."""
    op.add_column("attempts", sa.Column("entered_by", sa.String(), nullable=True))
    op.add_column("attempts", sa.Column("entered_reason", sa.String(), nullable=True))
    op.add_column("attempts", sa.Column("entered", Moment(), nullable=True))
