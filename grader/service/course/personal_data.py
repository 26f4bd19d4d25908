"""What the service holds about somebody, and a zip of it: their rows, files and reports, and nobody else's.

    data.json                        their rows, by table
    files/<assignment>-<number>.cl   what they handed in, as it came
    reports/<assignment>-<number>-<id of the grading>.html

Fields are listed one by one, so that a new one is left out until somebody thinks about it. Left out are secrets, which
are hashes anyway; results with what is hidden in them, and results that are held back; faults, which are about our
machines; the words of the audit trail, which name other people and points with hidden ones among them; and all its
lines of stations, since there is one where points change, hidden ones among them. Left out are also the times when a
grading begins, tells something and ends, and when mails are sent: they tell how long hidden checks took.
"""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import Session

from grader.service.course.groups import belongs_to
from grader.service.db.models import (
    ApiTokenRow,
    AttemptRow,
    AuditRow,
    Base,
    Decision,
    DecisionRow,
    DeviceSignInRow,
    ExclusionRow,
    ExtensionRow,
    GradingRow,
    HoldRow,
    InvitationRow,
    MailChoiceRow,
    MailRow,
    PasswordRow,
    PersonRow,
    ProgressRow,
    PseudonymRow,
    RequestRow,
    SessionRow,
    ShareRow,
)
from grader.service.db.session import Database

STAGES = "id", "attempt_id", "state", "created", "tries"
GRADING = *STAGES, "shown_points", "max_points", "checks", "shown_speed", "device"
ENTRY = "entered", "entered_reason"
ATTEMPT = (
    "id",
    "public",
    "assignment",
    "number",
    "file_name",
    "size",
    "sha256",
    "received",
    "late",
    "counted_id",
    *ENTRY,
)

FIELDS: Mapping[type[Base], tuple[str, ...]] = {
    PersonRow: ("key", "name", "role", "team", "created", "deactivated"),
    InvitationRow: ("expires", "used"),
    PasswordRow: ("changed",),
    SessionRow: ("expires",),
    ApiTokenRow: ("name", "scopes", "created", "expires"),
    DeviceSignInRow: ("name", "scopes", "expires", "polled", "answer"),
    PseudonymRow: ("name",),
    ExtensionRow: ("assignment", "due", "attempts", "reason", "at"),
    AttemptRow: ATTEMPT,
    GradingRow: GRADING,
    ShareRow: ("attempt_id",),
    DecisionRow: ("assignment", "kind", "points", "comment", "at"),
    ExclusionRow: ("attempt_id", "reason", "at"),
    MailRow: ("kind", "assignment"),
    MailChoiceRow: ("kind",),
    RequestRow: ("attempt_id", "asked", "at", "answer", "answered"),
    ProgressRow: ("grading_id", "turn", "data"),
    AuditRow: ("at",),
}
"""What is told of each table."""

PARSED = frozenset({"checks", "data"})
"""Fields that hold JSON."""


HELD: Mapping[type[Base], ColumnElement[bool]] = {
    ProgressRow: ProgressRow.grading_id.in_(select(GradingRow.id).where(GradingRow.held)),
    DecisionRow: and_(DecisionRow.kind != Decision.EXCUSE, DecisionRow.assignment.in_(select(HoldRow.assignment))),
}
"""Rows that tell of results that are held back. They are counted, and not told. A grading does not tell its result."""


def amounts(session: Session, person_id: int) -> dict[str, int]:
    """How many rows of each table are somebody's."""
    return {
        table.__tablename__: session.scalar(_theirs(select(func.count()).select_from(table), table, person_id)) or 0
        for table in FIELDS
    }


def rows_of(session: Session, person_id: int) -> dict[str, list[dict[str, Any]]]:
    """Somebody's rows, by table, oldest first."""
    return {table.__tablename__: _rows(session, table, person_id) for table in FIELDS}


def export(database: Database, person_id: int, out: IO[bytes]) -> None:
    """Write the zip. Files are read one at a time: somebody may have hundreds of a mebibyte."""
    with database.reading() as session:
        rows = rows_of(session, person_id)
    names = {each["id"]: f"{each['assignment']}-{each['number']}" for each in rows[AttemptRow.__tablename__]}
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("data.json", json.dumps(rows, indent=2, ensure_ascii=False))
        for number, name in names.items():
            data = _field(database, AttemptRow.data, AttemptRow.id == number)
            if data is not None:
                archive.writestr(f"files/{name}.cl", data)
        for grading in rows[GradingRow.__tablename__]:
            drawn = _field(database, GradingRow.page, GradingRow.id == grading["id"])
            if drawn is not None:
                name = f"{names[grading['attempt_id']]}-{grading['id']}"
                archive.writestr(f"reports/{name}.html", zlib.decompress(drawn))


def _field(database: Database, column: Any, which: ColumnElement[bool]) -> bytes | None:
    with database.reading() as session:
        found: bytes | None = session.scalar(select(column).where(which))
    return found


def _rows(session: Session, table: type[Base], person_id: int) -> list[dict[str, Any]]:
    fields = FIELDS[table]
    wanted = _theirs(select(*(getattr(table, name) for name in fields)), table, person_id)
    if table in HELD:
        wanted = wanted.where(~HELD[table])
    found = session.execute(wanted.order_by(table.__table__.c.id))
    return [{name: _plain(name, value) for name, value in zip(fields, row, strict=True)} for row in found]


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return json.loads(value) if name in PARSED and value is not None else value


def _theirs(wanted: Select[Any], table: type[Base], person_id: int) -> Select[Any]:
    """Only the rows that are somebody's."""
    attempts = select(AttemptRow.id).where(belongs_to([person_id]))
    gradings = select(GradingRow.id).where(GradingRow.attempt_id.in_(attempts))
    owned: dict[type[Base], ColumnElement[bool]] = {
        **{each: each.person_id == person_id for each in FIELDS if hasattr(each, "person_id")},
        PersonRow: PersonRow.id == person_id,
        AttemptRow: belongs_to([person_id]),
        ExclusionRow: ExclusionRow.attempt_id.in_(attempts),
        GradingRow: GradingRow.id.in_(gradings),
        ProgressRow: ProgressRow.grading_id.in_(gradings),
        AuditRow: and_(
            AuditRow.by_station.is_(False),
            AuditRow.about == select(PersonRow.key).where(PersonRow.id == person_id).scalar_subquery(),
        ),
    }
    return wanted.where(owned[table])
