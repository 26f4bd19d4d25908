"""Row numbers that are given once, although rows are removed: a page that is still open must not act on another row."""

from alembic import op

revision = "0027"
down_revision = "0026"

TABLES = "people", "sessions", "api_tokens", "extensions"


def upgrade() -> None:
    """Make the tables of SQLite anew, since it cannot change this; PostgreSQL gives a number once in any case."""
    if op.get_bind().dialect.name == "sqlite":
        for name in TABLES:
            with op.batch_alter_table(name, recreate="always", table_kwargs={"sqlite_autoincrement": True}):
                pass
