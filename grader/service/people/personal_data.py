"""The data that the service stores about a person, and their export as a zip archive with rows, files and reports.

    data.json                        their rows, by table
    files/<assignment>-<number>.cl   the files that they handed in, unchanged; -dry-run.cl for the file of a dry run
    reports/<assignment>-<number>-<id of the grading>.html

Fields are listed one by one, so that a new field is not exported until a developer decides about it. These data are
left out:

- secrets, which are hashes anyway;
- results with hidden checks, and results that are held back;
- faults, which concern the machines of the service;
- the text of the audit trail, which names other people and hidden points, and all its lines by stations, because a
  station adds a line when points change, including hidden points;
- the times when a grading begins, reports progress and ends, the times of mails, and the number of tries, because they
  reveal how long hidden checks took, or that they failed.
"""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from grader.service.course.groups import belongs_to
from grader.service.db.session import Database
from grader.service.db.tables.access import (
    ApiTokenRow,
    DeviceSignInRow,
    InvitationRow,
    PasswordRow,
    RepositoryRow,
    SessionRow,
)
from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.base import Base
from grader.service.db.tables.decisions import Decision, DecisionRow, ExclusionRow, ExtensionRow, RequestRow
from grader.service.db.tables.lti import LtiAccountRow, LtiMemberRow, LtiScoreRow, LtiSelectionRow
from grader.service.db.tables.outbox import MailChoiceRow, MailRow
from grader.service.db.tables.people import PersonRow, PseudonymRow
from grader.service.db.tables.stations import ProgressRow
from grader.service.db.tables.submissions import AttemptRow, DryRunRow, GradingRow, ShareRow

GRADING_STATE_FIELDS = "id", "attempt_id", "dry_run_id", "shown_state", "created"
GRADING_FIELDS = *GRADING_STATE_FIELDS, "shown_points", "max_points", "checks", "shown_speed", "device"
ENTRY_FIELDS = "entered", "entered_reason"
ATTEMPT_FIELDS = (
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
    *ENTRY_FIELDS,
)

FIELDS: Mapping[type[Base], tuple[str, ...]] = {
    PersonRow: ("key", "name", "role", "team", "created", "deactivated"),
    InvitationRow: ("expires", "used"),
    PasswordRow: ("changed",),
    SessionRow: ("expires",),
    ApiTokenRow: ("name", "scopes", "created", "expires"),
    DeviceSignInRow: ("name", "scopes", "expires", "polled", "answer"),
    LtiAccountRow: ("sub", "role", "departed"),
    LtiMemberRow: ("left",),
    LtiScoreRow: ("assignment", "points", "most", "comment", "submitted"),
    LtiSelectionRow: ("expires",),
    PseudonymRow: ("name",),
    RepositoryRow: ("issuer", "repository", "user", "created"),
    ExtensionRow: ("assignment", "due", "attempts", "reason", "at"),
    AttemptRow: ATTEMPT_FIELDS,
    DryRunRow: ("id", "assignment", "size", "sha256", "received"),
    GradingRow: GRADING_FIELDS,
    ShareRow: ("attempt_id",),
    DecisionRow: ("assignment", "kind", "points", "comment", "at"),
    ExclusionRow: ("attempt_id", "reason", "at"),
    MailRow: ("kind", "assignment"),
    MailChoiceRow: ("kind",),
    RequestRow: ("attempt_id", "asked", "at", "answer", "answered"),
    ProgressRow: ("grading_id", "turn", "data"),
    AuditRow: ("at",),
}
"""Fields of each table that are exported."""

PARSED = frozenset({"checks", "data"})
"""Fields that contain JSON."""


HELD_BACK_ROWS: Mapping[type[Base], ColumnElement[bool]] = {
    ProgressRow: ProgressRow.grading_id.in_(select(GradingRow.id).where(GradingRow.held)),
    DecisionRow: and_(DecisionRow.kind != Decision.EXCUSE, DecisionRow.assignment.in_(select(HoldRow.assignment))),
    LtiScoreRow: LtiScoreRow.assignment.in_(select(HoldRow.assignment)),
}
"""Conditions of rows that reveal results that are held back. Even the number of such rows would reveal them. Gradings
are not listed because the exported fields of a grading do not reveal a result that is held back.
"""


def row_counts(session: Session, person_id: int) -> dict[str, int]:
    """Number of rows of each table that belong to a person."""
    return {table.__tablename__: session.scalar(_counting(table, person_id)) or 0 for table in FIELDS}


def shown_counts(session: Session, person_id: int) -> dict[str, int]:
    """Number of rows of each table that are exported."""
    return {table.__tablename__: session.scalar(_shown(_counting(table, person_id), table)) or 0 for table in FIELDS}


def _counting(table: type[Base], person_id: int) -> Select[Any]:
    return _owned_by(select(func.count()).select_from(table), table, person_id)


def rows_of(session: Session, person_id: int) -> dict[str, list[dict[str, Any]]]:
    """The rows of a person, by table, oldest first."""
    return {table.__tablename__: _rows(session, table, person_id) for table in FIELDS}


def write_zip(database: Database, person_id: int, out: IO[bytes]) -> None:
    """Write the zip archive. Files are read one at a time because a person may have hundreds of files of 1 MiB."""
    with database.reading() as session:
        rows = rows_of(session, person_id)
    names = {each["id"]: f"{each['assignment']}-{each['number']}" for each in rows[AttemptRow.__tablename__]}
    tried = {each["id"]: f"{each['assignment']}-dry-run" for each in rows[DryRunRow.__tablename__]}
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("data.json", json.dumps(rows, indent=2, ensure_ascii=False))
        for number, name in names.items():
            data = _field(database, AttemptRow.data, AttemptRow.id == number)
            if data is not None:
                archive.writestr(f"files/{name}.cl", data)
        for number, name in tried.items():
            data = _field(database, DryRunRow.data, DryRunRow.id == number)
            if data is not None:
                archive.writestr(f"files/{name}.cl", data)
        for grading in rows[GradingRow.__tablename__]:
            drawn = _field(database, GradingRow.page, GradingRow.id == grading["id"])
            if drawn is not None:
                file = tried.get(grading["dry_run_id"]) or names[grading["attempt_id"]]
                name = f"{file}-{grading['id']}"
                archive.writestr(f"reports/{name}.html", zlib.decompress(drawn))


def _field(database: Database, column: Any, which: ColumnElement[bool]) -> bytes | None:
    with database.reading() as session:
        found: bytes | None = session.scalar(select(column).where(which))
    return found


def _rows(session: Session, table: type[Base], person_id: int) -> list[dict[str, Any]]:
    fields = FIELDS[table]
    wanted = _shown(_owned_by(select(*(getattr(table, name) for name in fields)), table, person_id), table)
    found = session.execute(wanted.order_by(table.__table__.c.id))
    return [{name: _plain(name, value) for name, value in zip(fields, row, strict=True)} for row in found]


def _shown(wanted: Select[Any], table: type[Base]) -> Select[Any]:
    """Restrict a query to the rows that are not held back."""
    return wanted.where(~HELD_BACK_ROWS[table]) if table in HELD_BACK_ROWS else wanted


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return json.loads(value) if name in PARSED and value is not None else value


def _owned_by(wanted: Select[Any], table: type[Base], person_id: int) -> Select[Any]:
    """Restrict a query to the rows that belong to a person."""
    attempts = select(AttemptRow.id).where(belongs_to([person_id]))
    dry_runs = select(DryRunRow.id).where(DryRunRow.person_id == person_id)
    owned_files = or_(GradingRow.attempt_id.in_(attempts), GradingRow.dry_run_id.in_(dry_runs))
    gradings = select(GradingRow.id).where(owned_files)
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
