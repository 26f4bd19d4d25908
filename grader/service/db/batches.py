"""Changes many rows in several small transactions. SQLite allows only one writer at a time, so hand-ins would wait for
a long transaction.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy.orm import Session

from grader.service.db.session import Database

ROWS_PER_TRANSACTION = 25
"""Number of rows per transaction. Such a transaction takes about ten milliseconds."""

Row = TypeVar("Row")
Done = TypeVar("Done")


def in_batches(
    database: Database,
    rows: Sequence[Row],
    change: Callable[[Session, Sequence[Row]], Done],
    size: int = ROWS_PER_TRANSACTION,
) -> list[Done]:
    """Call `change` for each batch of rows and return the results. Each batch is committed before the next one begins.

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
