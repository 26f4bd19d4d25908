"""Reaching the database, SQLite or PostgreSQL: transactions that read, that write one at a time, and that record.

On both, `writing` transactions are made one at a time, so whatever they read stays true until they end. What stations
do many times a minute is `recording`: on PostgreSQL these run beside each other, and each changes only rows of its own,
on conditions that it states.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session

from grader.common.errors import InputError, SetupError
from grader.service.db.clock import utc_now

BUSY = 30.0
"""Seconds that a transaction waits for another process's; each writes for milliseconds."""

BEGIN = "grader_begin"
"""The execution option that says how a transaction of SQLite begins."""

WRITERS = 0x6772616465722031
"""The number of the lock by which the writing transactions of PostgreSQL take turns."""

PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c statement_timeout=30s -c lock_timeout=30s -c idle_in_transaction_session_timeout=60s",
}
"""How long a process waits for PostgreSQL, and PostgreSQL for it: one that is stopped in the middle of a transaction,
or whose network is gone, must not keep the turn of the others.
"""

CONNECTIONS = 10
"""Connections that a process keeps to PostgreSQL; it may open as many again for a while. A server takes 100 in all."""


class Database:
    """The database of a service. Its engine must not cross a fork."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = _engine(_parsed(url))
        self._writer = self._engine.execution_options(**{BEGIN: "BEGIN IMMEDIATE"})
        level = "REPEATABLE READ"
        self._reader = self._engine if self.embedded else self._engine.execution_options(isolation_level=level)

    @property
    def embedded(self) -> bool:
        """Whether it is a file, which the processes of one machine share."""
        return self._engine.dialect.name == "sqlite"

    @property
    def file(self) -> str | None:
        """The path of SQLite's file; None if the database is a server."""
        return self._engine.url.database if self.embedded else None

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees one state of everything and changes nothing."""
        with Session(self._reader, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is stored for good when the block ends, and not at all if it raises. No other is made
        meanwhile.
        """
        with self.recording() as session:
            if not self.embedded:
                session.execute(select(func.pg_advisory_xact_lock(WRITERS)))
            yield session

    @contextmanager
    def recording(self) -> Iterator[Session]:
        """The same beside others of its kind: whatever it changes, it must change on conditions that it states."""
        with Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def connecting(self) -> Iterator[Connection]:
        """A transaction that may change the tables themselves; no other is made meanwhile. Raises SetupError where the
        database does not answer.
        """
        try:
            connection = self._writer.connect()
        except OperationalError as error:
            raise SetupError(f"the database does not answer: {str(error.orig).strip().splitlines()[0]}") from error
        with connection, self._unchecked(connection), connection.begin():
            if not self.embedded:
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text("SET LOCAL lock_timeout = 0"))
                connection.execute(select(func.pg_advisory_xact_lock(WRITERS)))
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
    """The time by the database's clock, so that leases are the same for machines whose own clocks differ."""
    if session.get_bind().dialect.name == "sqlite":
        return utc_now()
    now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now.astimezone(UTC)


def sqlite_url(folder: Path) -> str:
    """The address of the database in a folder of data, which is made for this user alone; raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder.resolve() / "service.sqlite"
        path.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"cannot keep data in {folder}: {error.strerror}; name another folder with --data.") from error
    return f"sqlite:///{path}"


def _parsed(url: str) -> URL:
    """Raises InputError, which does not quote the address: a password stands in it."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise InputError("the address of the database must be like postgresql://user@host/grader.") from error
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in {"sqlite", "postgresql"}:
        raise InputError(f"the database must be PostgreSQL, not {parsed.drivername}: postgresql://user@host/grader.")
    return parsed


def _engine(url: URL) -> Engine:
    """What is stored stands in no message: tokens and names would come into a log."""
    if url.get_backend_name() != "sqlite":
        return _server(url)
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": BUSY, "isolation_level": None}, pool_size=40, max_overflow=0
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _server(url: URL) -> Engine:
    """Connections are asked whether they still stand: the server may have been started again since."""
    try:
        return create_engine(
            url,
            hide_parameters=True,
            connect_args={**PATIENCE, "client_encoding": "utf8"},  # else what the server was made with
            isolation_level="READ COMMITTED",
            pool_size=CONNECTIONS,
            max_overflow=CONNECTIONS,
            pool_pre_ping=True,
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise InputError(
            "PostgreSQL needs psycopg: install it from a clone of grader with `pip install '.[postgresql]'`."
        ) from error


def _prepare(connection: Any, _record: object) -> None:
    """Readers do not wait for the writer (WAL); what is committed survives a power cut (FULL)."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Python's driver would begin late and without the lock: two writers could both read before either writes."""
    connection.exec_driver_sql(connection.get_execution_options().get(BEGIN, "BEGIN"))
