"""Lines of stations about new points after a change of an assignment, which were stored as lines of people."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

AUDIT = sa.table("audit", sa.column("who", sa.String), sa.column("by_station", sa.Boolean))


def upgrade() -> None:
    """Mark them."""
    op.execute(AUDIT.update().where(AUDIT.c.who == "a station").values(by_station=True))
