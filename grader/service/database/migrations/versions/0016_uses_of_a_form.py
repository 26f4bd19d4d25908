"""Number of files that came by one form."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Count the files that came by a form: one each so far."""
    with op.batch_alter_table("attempts") as table:
        table.add_column(sa.Column("form_use", sa.Integer(), nullable=False, server_default="1"))
        table.drop_constraint("attempts_once_per_form", type_="unique")
        table.create_unique_constraint("attempts_once_per_use_of_a_form", ["person_id", "form_key", "form_use"])
