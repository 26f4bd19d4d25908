"""The tables of the first release. Until then, they are the tables that the classes describe."""

from alembic import op

from grader.service.db.tables import METADATA

revision = "v1"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    METADATA.create_all(op.get_bind())
