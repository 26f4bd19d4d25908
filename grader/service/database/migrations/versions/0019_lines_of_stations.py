"""Author of each line of the audit trail: a person or a station."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

AUDIT = sa.table("audit", sa.column("who", sa.String), sa.column("by_station", sa.Boolean))


def upgrade() -> None:
    """Make the column, and mark the lines that stations have noted so far."""
    op.add_column("audit", sa.Column("by_station", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute(AUDIT.update().where(AUDIT.c.who == "a station").values(by_station=True))
    op.create_index("audit_by", "audit", ["by_station", "id"])
