"""Changes of many rows, a few in each transaction: SQLite has one writer, and everybody who hands in waits for it."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy.orm import Session

from grader.service.database.connecting import Database

BATCH = 25
"""Rows that one transaction changes: some ten milliseconds' work."""

Row = TypeVar("Row")
Done = TypeVar("Done")


def in_batches(
    database: Database, rows: Sequence[Row], change: Callable[[Session, Sequence[Row]], Done], size: int = BATCH
) -> list[Done]:
    """What `change` returns for each batch of rows. Each batch is stored for good before the next one begins.

    After each batch others write for as long: who waits for SQLite's lock looks at it now and then, and does not queue.
    """
    done = []
    for start in range(0, len(rows), size):
        with database.writing() as session:
            began = time.monotonic()
            done.append(change(session, rows[start : start + size]))
        time.sleep(time.monotonic() - began)
    return done
