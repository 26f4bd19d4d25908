"""Keys of people in the form in which they are compared: without regard to case and to the encoding of accents.

The column is not unique: a course may have people whose keys differ only in case, and all of them are kept.
"""

import sqlalchemy as sa
from alembic import op

from grader.common.people import person_key

revision = "0015"
down_revision = "0014"

PEOPLE = sa.table("people", sa.column("id", sa.Integer), sa.column("key", sa.String), sa.column("folded", sa.String))


def upgrade() -> None:
    """Make the column, and fill it for all people."""
    op.add_column("people", sa.Column("folded", sa.String(), server_default="", nullable=False))
    for number, key in op.get_bind().execute(sa.select(PEOPLE.c.id, PEOPLE.c.key)).all():
        op.execute(PEOPLE.update().where(PEOPLE.c.id == number).values(folded=person_key(key)))
    op.create_index("people_folded", "people", ["folded"])
