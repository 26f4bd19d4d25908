"""Bringing the tables up to date, and refusing those of another version of grader."""

import re
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from grader.common.errors import InputError
from grader.service.db.session import Database

UNICODE = "UTF8"
"""The name that PostgreSQL has for it."""

NEWER = "the tables of this database are newer than this grader; install the grader that made them, or a newer one."

UNRELEASED = re.compile(r"00(0[1-9]|1\d|2[0-7])")
"""Versions of the tables before the first release: 0001 to 0027."""

TOO_OLD = (
    "this database was made by a development version of grader (tables {version}), which was never released, so there "
    "is no upgrade from it; start with an empty database, or go on with the version of grader that made this one."
)


def migrate(database: Database) -> str:
    """Bring the tables up to date; what was done, in words. Raises InputError if they are newer than this grader or
    older than its first release, or if not every text can be stored.
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
    """Raises InputError, with the next step, unless the tables are those of this grader."""
    with database.connecting() as connection:
        before, latest = _versions(connection, _config())
    if before is None:
        raise InputError("this database has no tables of grader's yet; run `grader migrate` with the same database.")
    if before != latest:
        raise InputError(
            f"the tables of this database are of version {before}, and this grader needs {latest}; "
            "make a backup, stop the service, and run `grader migrate` with the same database."
        )


def _require_unicode(connection: Connection) -> None:
    """Names have letters of all the world's scripts; where no locale is set, PostgreSQL is made for ASCII alone."""
    if connection.dialect.name == "sqlite":
        return
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != UNICODE:
        raise InputError(
            f"this database stores text as {encoding}, not as {UNICODE}; make another with "
            f"`createdb --encoding={UNICODE} --locale=C --template=template0 NAME`."
        )


def _require_references(connection: Connection) -> None:
    """Raise RuntimeError, which undoes the upgrade, if a row refers to a missing row."""
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if lost:
        raise RuntimeError(f"the upgrade of the tables would lose rows that others refer to: {lost[:5]}")


def _versions(connection: Connection, config: Config) -> tuple[str | None, str]:
    """Version of the tables, and the latest; raises InputError if this grader does not know the former."""
    steps = ScriptDirectory.from_config(config)
    latest = steps.get_current_head()
    before = MigrationContext.configure(connection).get_current_revision()
    if before is not None and before not in {each.revision for each in steps.walk_revisions()}:
        raise InputError(TOO_OLD.format(version=before) if UNRELEASED.fullmatch(before) else NEWER)
    return before, latest or ""


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
