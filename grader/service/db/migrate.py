"""Upgrades the tables to the version that this grader needs, and refuses tables of another version."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from grader.common.errors import InputError
from grader.service.db.session import Database

UNICODE = "UTF8"
"""PostgreSQL's name for UTF-8."""

NEWER = "the tables of this database are newer than this grader; install the grader that created them, or a newer one."


def migrate(database: Database) -> str:
    """Bring the tables up to date, and return a description of the changes. Raises InputError if the tables are newer
    than this grader, or if the database cannot store Unicode text.
    """
    config = _config()
    with database.connecting() as connection:
        _require_unicode(connection)
        before, latest = _versions(connection, config)
        if before == latest:
            return f"the tables are up to date (version {latest})."
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if database.embedded:
            _require_references(connection)
    return f"brought the tables from version {before or 'none'} to {latest}."


def require_current(database: Database) -> None:
    """Raise InputError, with the next step, unless the tables have the version that this grader needs."""
    with database.connecting() as connection:
        before, latest = _versions(connection, _config())
    if before is None:
        raise InputError("this database has no grader tables yet; run `grader migrate` with the same database.")
    if before != latest:
        raise InputError(
            f"the tables of this database have version {before}, but this grader needs version {latest}; "
            "make a backup, stop the service, and run `grader migrate` with the same database."
        )


def _require_unicode(connection: Connection) -> None:
    """Raise InputError unless the database can store Unicode text. PostgreSQL stores only ASCII if it was set up
    without a locale.
    """
    if connection.dialect.name == "sqlite":
        return
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != UNICODE:
        raise InputError(
            f"this database stores text as {encoding}, not as {UNICODE}; make another with "
            f"`createdb --encoding={UNICODE} --locale=C --template=template0 NAME`."
        )


def _require_references(connection: Connection) -> None:
    """Raise RuntimeError if a row refers to a missing row. The error rolls the upgrade back."""
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if lost:
        raise RuntimeError(f"the upgrade of the tables would lose rows that others refer to: {lost[:5]}")


def _versions(connection: Connection, config: Config) -> tuple[str | None, str]:
    """Version of the tables (None for an empty database) and the latest version. Raises InputError if this grader does
    not know the version of the tables.
    """
    steps = ScriptDirectory.from_config(config)
    latest = steps.get_current_head()
    before = MigrationContext.configure(connection).get_current_revision()
    if before is not None and before not in {each.revision for each in steps.walk_revisions()}:
        raise InputError(NEWER)
    return before, latest or ""


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
