"""Records of similar sources, which the export process sends to the page, and the pool of other sources with which
attempts are compared.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.common.record import Record
from grader.lms.intake.reading.archive import DAMAGE, PACKINGS
from grader.protocol.text import showable
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.assignments import PoolRow
from grader.service.db.tables.audit import AuditRow
from grader.service.errors import RefusedError

MAX_SOURCE_BYTES, MAX_SOURCES = 64 * 1024, 1_000
"""Maximum number of bytes of a source in the pool, and of sources per assignment in the pool."""

SOURCES_PER_TRANSACTION = 16
"""Number of sources per transaction, which is about 1 MiB."""

NAME_LENGTH = 200
ENDINGS = frozenset({".cl", ".txt"})


class PoolKind(StrEnum):
    """Kind of a source in the pool: a submission of an earlier course, or code that all students may use."""

    EARLIER = "earlier"
    ALLOWED = "allowed"


class SimilarLine(Record):
    """A line of a source."""

    number: int
    text: str


class LinePair(Record):
    """Two lines that are shown side by side. A line without a counterpart has None."""

    one: SimilarLine | None
    other: SimilarLine | None
    same: bool


class SimilarSource(Record):
    """The label of a source, and the public name of its attempt, which is empty for a source in the pool."""

    label: str
    public: str


class SimilarPair(Record):
    """Two sources side by side."""

    sources: tuple[SimilarSource, SimilarSource]
    lines: tuple[LinePair, ...]


class SimilarGroup(Record):
    """Sources that are linked by similarity. `least` and `most` are the lowest and highest similarity, from 0 to 1."""

    sources: tuple[SimilarSource, ...]
    least: float
    most: float


class SimilarSources(Record):
    """Files that several students handed in with the same bytes, all groups of similar sources, and the first pairs. In
    a group, one source represents all sources with the same bytes.
    """

    identical: tuple[tuple[SimilarSource, ...], ...]
    groups: tuple[SimilarGroup, ...]
    pairs: tuple[SimilarPair, ...]


def add_to_pool(database: Database, added: PoolRow, data: bytes) -> int:
    """Add a source or the sources of a zip archive, and return their number. `added` contains the fields that they
    share. Raises RefusedError without a change if the file cannot be read or the pool is full.
    """
    found = list(_sources(added.name, data))
    if not found:
        raise RefusedError("The file does not contain any source: choose a .cl file, or a zip of such files.")
    what = f"{added.assignment}: added {count(len(found), 'source')} to the pool ({added.kind})"
    with database.writing() as session:
        there = session.scalar(select(func.count()).where(PoolRow.assignment == added.assignment)) or 0
        if there + len(found) > MAX_SOURCES:
            raise RefusedError(f"The pool of an assignment holds {MAX_SOURCES:,} sources at most; remove some first.")
        session.add(AuditRow(at=added.at, who=added.who, about="", what=what))
    common = {"assignment": added.assignment, "kind": added.kind, "who": added.who, "at": added.at}

    def add(session: Session, some: Sequence[tuple[str, bytes]]) -> None:
        session.add_all(PoolRow(name=showable(name)[:NAME_LENGTH], data=source, **common) for name, source in some)

    in_batches(database, found, add, SOURCES_PER_TRANSACTION)
    return len(found)


def _sources(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and sources in a file. From a zip archive, only as much is unpacked as may be stored."""
    if not data.startswith(b"PK\x03\x04"):
        if data.strip():
            yield name, data[:MAX_SOURCE_BYTES]
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [each for each in archive.infolist() if PurePosixPath(each.filename).suffix.lower() in ENDINGS]
            if any(each.compress_type not in PACKINGS for each in files):
                raise RefusedError("The zip uses an unsupported compression method. Create it again with deflate.")
            for each in files[: MAX_SOURCES + 1]:
                with archive.open(each) as file:
                    yield each.filename, file.read(MAX_SOURCE_BYTES)
    except DAMAGE as error:
        raise RefusedError("The zip cannot be read. Create it again, without a password.") from error


def empty_pool(database: Database, assignment: str, kind: PoolKind, who: str, now: datetime) -> None:
    """Remove all sources of this kind from the pool."""
    with database.reading() as session:
        numbers = session.scalars(
            select(PoolRow.id).where(PoolRow.assignment == assignment, PoolRow.kind == kind)
        ).all()
    with database.writing() as session:
        session.add(AuditRow(at=now, who=who, about="", what=f"{assignment}: emptied the pool ({kind})"))

    def remove(session: Session, some: Sequence[int]) -> None:
        session.execute(delete(PoolRow).where(PoolRow.id.in_(some)))

    in_batches(database, numbers, remove, SOURCES_PER_TRANSACTION)


def pool_sizes(session: Session, assignment: str) -> dict[PoolKind, int]:
    """Number of sources in the pool of each kind."""
    rows = session.execute(
        select(PoolRow.kind, func.count()).where(PoolRow.assignment == assignment).group_by(PoolRow.kind)
    )
    found = {PoolKind(kind): number for kind, number in rows}
    return {kind: found.get(kind, 0) for kind in PoolKind}
