"""Keys of people in a form that is equal for keys that look alike, also if Unicode writes a letter in several ways."""

import sqlalchemy as sa
from alembic import op

from grader.service.keys import folded_key

revision = "0021"
down_revision = "0020"

PEOPLE = sa.table("people", sa.column("id", sa.Integer), sa.column("key", sa.String), sa.column("folded", sa.String))


def upgrade() -> None:
    """Fold the keys of all people."""
    for number, key in op.get_bind().execute(sa.select(PEOPLE.c.id, PEOPLE.c.key)).all():
        op.execute(PEOPLE.update().where(PEOPLE.c.id == number).values(folded=folded_key(key)))
