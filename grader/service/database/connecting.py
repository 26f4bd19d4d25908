"""Reaching the database: transactions that read, and transactions that write, of which SQLite makes one at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session

from grader.common.errors import InputError

BUSY = 30.0
"""Seconds that a transaction waits for another process's; each writes for milliseconds."""

BEGIN = "grader_begin"
"""The execution option that says how a transaction of SQLite begins."""


class Database:
    """The database of a service. Its engine must not cross a fork."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = _engine(url)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees one state of everything and changes nothing."""
        with Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is stored for good when the block ends, and not at all if it raises."""
        engine = self._engine.execution_options(**{BEGIN: "BEGIN IMMEDIATE"})
        with Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    def migrate(self) -> None:
        """Bring the tables up to date."""
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self._engine.execution_options(**{BEGIN: "BEGIN IMMEDIATE"}).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def sqlite_url(folder: Path) -> str:
    """The address of the database in a folder of data, which is made for this user alone; raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder.resolve() / "service.sqlite"
        path.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"cannot keep data in {folder}: {error.strerror}; name another folder with --data.") from error
    return f"sqlite:///{path}"


def _engine(url: str) -> Engine:
    """What is stored stands in no message: tokens and names would come into a log."""
    if not url.startswith("sqlite:"):
        return create_engine(url, hide_parameters=True)
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": BUSY, "isolation_level": None}, pool_size=40, max_overflow=0
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    """Readers do not wait for the writer (WAL); what is committed survives a power cut (FULL)."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Python's driver would begin late and without the lock: two writers could both read before either writes."""
    connection.exec_driver_sql(connection.get_execution_options().get(BEGIN, "BEGIN"))
