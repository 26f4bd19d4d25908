"""Whether the database stores what comes now, for programs that watch the service."""

import shutil
import time
from pathlib import Path
from threading import Lock

from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from grader.service.database.connecting import Database

ROOM = 64 * 1024 * 1024
"""Bytes that must be free where SQLite keeps its file: some hundred attempts with their reports."""

FRESH = 10.0
"""Seconds for which an answer counts: anybody may ask, and each look writes."""

TOO_LITTLE_ROOM = f"less than {ROOM // 1024**2} MiB is free on the disk of the database"
STORES_NOTHING = "the database cannot store anything"

WRITES = {"sqlite": "PRAGMA user_version = 1", "postgresql": "SELECT pg_logical_emit_message(true, 'grader', 'health')"}
"""What each writes to the disk without a change of any table."""


class WriteProbe:
    """Keeps the latest answer. Only one thread looks at once; others get the answer before."""

    def __init__(self) -> None:
        self._looking, self._fault, self._looked = Lock(), "", float("-inf")

    def fault(self, database: Database) -> str:
        """Why nothing can be stored; empty if it can."""
        if time.monotonic() - self._looked >= FRESH and self._looking.acquire(blocking=False):
            try:
                self._fault = fault_of(database)
                self._looked = time.monotonic()
            finally:
                self._looking.release()
        return self._fault


def fault_of(database: Database) -> str:
    """Why nothing can be stored now; empty if it can."""
    if database.file is not None and shutil.disk_usage(Path(database.file).parent).free < ROOM:
        return TOO_LITTLE_ROOM
    try:
        with database.recording() as session:
            session.execute(text(WRITES[session.get_bind().dialect.name]))
    except (OperationalError, PoolTimeoutError):
        return STORES_NOTHING
    return ""
