"""The queue goes round by person: each grading has its round."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """What waits already is in the first round."""
    op.add_column("gradings", sa.Column("round", sa.Integer(), nullable=False, server_default="0"))
    op.drop_index("gradings_queue", "gradings")
    op.create_index("gradings_queue", "gradings", ["state", "priority", "round", "id"])
