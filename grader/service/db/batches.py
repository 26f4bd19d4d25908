"""Changes of many rows, a few in each transaction: SQLite has one writer, and hand-ins wait for it."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy.orm import Session

from grader.service.db.session import Database

ROWS_PER_TRANSACTION = 25
"""Rows that one transaction changes, which takes some ten milliseconds."""

Row = TypeVar("Row")
Done = TypeVar("Done")


def in_batches(
    database: Database,
    rows: Sequence[Row],
    change: Callable[[Session, Sequence[Row]], Done],
    size: int = ROWS_PER_TRANSACTION,
) -> list[Done]:
    """Results of `change` for each batch of rows. Each batch is committed before the next one begins.

    After each batch, it pauses for as long as the batch took, so that others can write: SQLite's lock has no queue, and
    a process that waits for it only checks it from time to time.
    """
    done = []
    for start in range(0, len(rows), size):
        with database.writing() as session:
            began = time.monotonic()
            done.append(change(session, rows[start : start + size]))
        time.sleep(time.monotonic() - began)
    return done
