"""Pseudonyms in a form that is equal for those that look alike. The earlier of two is kept; the owner of the later one
chooses again.
"""

import sqlalchemy as sa
from alembic import op

from grader.service.lookalikes import folded_name

revision = "0022"
down_revision = "0021"

NAMES = sa.table(
    "pseudonyms", sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("folded", sa.String)
)


def upgrade() -> None:
    """Fold all pseudonyms."""
    rows = op.get_bind().execute(sa.select(NAMES.c.id, NAMES.c.name).order_by(NAMES.c.id)).all()
    first: dict[str, int] = {}
    for number, name in rows:
        first.setdefault(folded_name(name), number)
    op.execute(NAMES.delete().where(NAMES.c.id.not_in(list(first.values()))))
    for number in first.values():  # while they change, no two are equal
        op.execute(NAMES.update().where(NAMES.c.id == number).values(folded=f"{number}\n"))
    for folded, number in first.items():
        op.execute(NAMES.update().where(NAMES.c.id == number).values(folded=folded))
