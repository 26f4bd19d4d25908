"""Health check for monitoring: checks that the database can store data now."""

import shutil
import time
from pathlib import Path
from threading import Lock

from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from grader.service.db.session import Database

MIN_FREE_BYTES = 64 * 1024 * 1024
"""Bytes that must be free on the disk of SQLite's file. This is enough for about a hundred attempts with their reports.
"""

REUSE_SECONDS = 10.0
"""Seconds for which an answer is reused. Anyone may ask, and each check writes to the disk."""

TOO_LITTLE_SPACE = f"less than {MIN_FREE_BYTES // 1024**2} MiB is free on the disk of the database"
STORES_NOTHING = "the database cannot store anything"

WRITES = {"sqlite": "PRAGMA user_version = 1", "postgresql": "SELECT pg_logical_emit_message(true, 'grader', 'health')"}
"""For each kind of database, a statement that writes to the disk without changing a table."""


DISK_FULL_CODES = frozenset({"SQLITE_FULL", "53100"})
"""Error codes of SQLite and PostgreSQL for a full disk."""


class WriteProbe:
    """Checks the database and keeps the latest answer. Only one thread checks at a time; others get the previous
    answer.
    """

    def __init__(self) -> None:
        self._looking, self._fault, self._looked = Lock(), "", float("-inf")

    def fault(self, database: Database) -> str:
        """Reason why nothing can be stored; empty if the database can store data."""
        if time.monotonic() - self._looked >= REUSE_SECONDS and self._looking.acquire(blocking=False):
            try:
                self._fault = fault_of(database)
                self._looked = time.monotonic()
            finally:
                self._looking.release()
        return self._fault


def fault_of(database: Database) -> str:
    """Reason why nothing can be stored now; empty if the database can store data."""
    if database.file is not None and shutil.disk_usage(Path(database.file).parent).free < MIN_FREE_BYTES:
        return TOO_LITTLE_SPACE
    try:
        with database.recording() as session:
            session.execute(text(WRITES[session.get_bind().dialect.name]))
    except (OperationalError, PoolTimeoutError):
        return STORES_NOTHING
    return ""


def is_disk_full(error: OperationalError) -> bool:
    """True if the error means that the disk of the database is full."""
    names = (getattr(error.orig, name, None) for name in ("sqlite_errorname", "sqlstate"))
    return not DISK_FULL_CODES.isdisjoint(names)
