"""What leaderboards need: speeds, devices, pseudonyms; and results as students may see them."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table, and the columns, which stay empty for what was graded before."""
    op.create_table(
        "pseudonyms",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", name="pseudonyms_once"),
        sa.UniqueConstraint("folded", name="pseudonyms_unique"),
    )
    op.add_column("gradings", sa.Column("shown_result", sa.LargeBinary(), nullable=True))
    op.add_column("gradings", sa.Column("speed", sa.Double(), nullable=True))
    op.add_column("gradings", sa.Column("shown_speed", sa.Double(), nullable=True))
    op.add_column("gradings", sa.Column("device", sa.String(), nullable=True))
