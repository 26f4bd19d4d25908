"""Access to the database (SQLite or PostgreSQL) in three kinds of transactions: `reading`, `writing` and `recording`.

On both databases, `writing` transactions run one at a time, so the rows that they read do not change until they end.
Stations use `recording` many times a minute. On PostgreSQL, these transactions run at the same time, so each change
must state the condition under which it is made.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select, text
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session

from grader.common.errors import InputError, SetupError

LOCK_TIMEOUT_SECONDS = 30.0
"""Seconds that a transaction waits for transactions of other processes, each of which takes milliseconds."""

BEGIN_OPTION = "grader_begin"
"""Execution option that contains the statement to begin a transaction of SQLite."""

WRITER_LOCK_NUMBER = 0x6772616465722031
"""Number of the advisory lock that makes the writing transactions of PostgreSQL run one at a time."""

POSTGRESQL_TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c statement_timeout=30s -c lock_timeout=30s -c idle_in_transaction_session_timeout=60s",
}
"""Limits on how long a process waits for PostgreSQL, and PostgreSQL for a process. A process that is stopped in the
middle of a transaction, or has lost its network connection, must not block the others.
"""

POOL_SIZE = 10
"""Number of connections to PostgreSQL that a process keeps open. It may temporarily open as many more. By default, a
server allows 100 connections in all.
"""

ROWS_PER_TRANSACTION = 25
"""Number of rows per transaction. Such a transaction takes about ten milliseconds."""

Row = TypeVar("Row")
Done = TypeVar("Done")


class Database:
    """The database of a service. Its engine must not cross a fork."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = _engine(_parsed(url))
        self._writer = self._engine.execution_options(**{BEGIN_OPTION: "BEGIN IMMEDIATE"})
        level = "REPEATABLE READ"
        self._reader = self._engine if self.embedded else self._engine.execution_options(isolation_level=level)

    @property
    def embedded(self) -> bool:
        """True if the database is a file, which the processes of one machine share."""
        return self._engine.dialect.name == "sqlite"

    @property
    def file(self) -> str | None:
        """The path of SQLite's file; None if the database is a server."""
        return self._engine.url.database if self.embedded else None

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction that sees one consistent state of all tables."""
        with Session(self._reader, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is committed when the block ends, and rolled back if the block raises. No other `writing`
        transaction runs at the same time.
        """
        with self.recording() as session:
            if not self.embedded:
                session.execute(select(func.pg_advisory_xact_lock(WRITER_LOCK_NUMBER)))
            yield session

    @contextmanager
    def recording(self) -> Iterator[Session]:
        """A transaction like `writing` that others may run alongside on PostgreSQL. Each change must state the
        condition under which it is made.
        """
        with Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def connecting(self) -> Iterator[Connection]:
        """A transaction that may change the tables themselves. No `writing` transaction runs at the same time. Raises
        SetupError if the database does not answer, and InputError if the file is not a database.
        """
        try:
            connection = self._writer.connect()
        except OperationalError as error:
            why = str(error.orig).strip().splitlines()[0].removesuffix(".")
            raise SetupError(f"the database does not answer ({why}); check its address, and that it runs.") from error
        except DatabaseError as error:
            raise InputError(
                f"{self._engine.url.database} is not a database of grader, or is damaged ({error.orig}); give another "
                "folder, or restore a backup."
            ) from error
        with connection, self._unchecked(connection), connection.begin():
            if not self.embedded:
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text("SET LOCAL lock_timeout = 0"))
                connection.execute(select(func.pg_advisory_xact_lock(WRITER_LOCK_NUMBER)))
            yield connection

    @contextmanager
    def _unchecked(self, connection: Connection) -> Iterator[None]:
        """Switch foreign keys off during an upgrade. SQLite changes a constraint by replacing the table, which foreign
        keys forbid (its manual, "Making Other Kinds Of Table Schema Changes").
        """
        if not self.embedded:
            yield
            return
        driver: Any = connection.connection.driver_connection
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            driver.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def time_of(session: Session) -> datetime:
    """Time of the database's clock, so that leases do not depend on the clocks of different machines."""
    if session.get_bind().dialect.name == "sqlite":
        return utc_now()
    now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now.astimezone(UTC)


def sqlite_url(folder: Path) -> str:
    """Address of the SQLite database in a folder. Creates the folder and the database file so that only this user can
    read them. Raises InputError if that fails.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder.resolve() / "service.sqlite"
        path.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"cannot keep data in {folder}: {error.strerror}; name another folder with --data.") from error
    return f"sqlite:///{path}"


def _parsed(url: str) -> URL:
    """Parse the address of a database. Raises InputError without the address, which contains a password."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InputError("the address of the database must look like postgresql://user@host/grader.") from error
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in {"sqlite", "postgresql"}:
        raise InputError(f"the database must be PostgreSQL, not {parsed.drivername}: postgresql://user@host/grader.")
    return parsed


def _engine(url: URL) -> Engine:
    """Create an engine whose messages never contain parameters, so that tokens and names do not get into a log."""
    if url.get_backend_name() != "sqlite":
        return _server(url)
    engine = create_engine(
        url,
        hide_parameters=True,
        connect_args={"timeout": LOCK_TIMEOUT_SECONDS, "isolation_level": None},
        pool_size=40,
        max_overflow=0,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _server(url: URL) -> Engine:
    """Create an engine for PostgreSQL. Each connection is tested before use because the server may have restarted."""
    try:
        return create_engine(
            url,
            hide_parameters=True,
            connect_args={**POSTGRESQL_TIMEOUTS, "client_encoding": "utf8"},  # otherwise the server's default
            isolation_level="READ COMMITTED",
            pool_size=POOL_SIZE,
            max_overflow=POOL_SIZE,
            pool_pre_ping=True,
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise InputError(
            "PostgreSQL needs psycopg: install it from a clone of grader with `pip install '.[postgresql]'`."
        ) from error


def _prepare(connection: Any, _record: object) -> None:
    """Configure SQLite so that readers do not wait for the writer (WAL) and commits survive a power failure (FULL)."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Begin the transaction explicitly. Python's driver would begin it late and without the lock, so that two writers
    could both read before one of them writes.
    """
    connection.exec_driver_sql(connection.get_execution_options().get(BEGIN_OPTION, "BEGIN"))


def utc_now() -> datetime:
    """The present time in UTC."""
    return datetime.now(UTC)


def in_batches(
    database: Database,
    rows: Sequence[Row],
    change: Callable[[Session, Sequence[Row]], Done],
    size: int = ROWS_PER_TRANSACTION,
) -> list[Done]:
    """Call `change` for each batch of rows and return the results. Each batch is committed before the next one begins,
    because hand-ins would wait for a long transaction.

    After each batch, this function pauses for as long as the batch took, so that others can write. SQLite's lock has no
    queue, and a process that waits for the lock only polls it from time to time.
    """
    done = []
    for start in range(0, len(rows), size):
        with database.writing() as session:
            began = time.monotonic()
            done.append(change(session, rows[start : start + size]))
        time.sleep(time.monotonic() - began)
    return done
