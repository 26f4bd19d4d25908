"""Dry runs. The service grades a file with the checks that students see, without handing it in.

A dry run is not an attempt. It does not have a number, does not count, and is allowed after the due date and when no
attempts are left. Hidden checks do not run (grading/dry_run.py), so neither its result nor its time depends on them.
The service stores only the latest dry run of each person at each assignment, for a day. Only its owner sees it. People
who teach see only files that were handed in.

The database also stores the number of dry runs within an hour, so that all web processes together enforce the limit.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from grader.common.phrases import count
from grader.service.course.limits import HandInRules, is_open
from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.submissions import DryRunRow, GradingRow
from grader.service.errors import RefusedError
from grader.service.submissions.accept import DRY_RUN_PRIORITY, file_refusal, new_grading

KEPT_FOR = timedelta(days=1)
"""Time after which a dry run and its result are deleted."""

HOUR = timedelta(hours=1)

DRY_RUN = "dry run"
"""Reason (GradingRow.why) of the grading of a dry run."""


class TooManyDryRunsError(RefusedError):
    """The person has already made as many dry runs as are allowed within an hour."""

    def __init__(self, made: int, wait: timedelta) -> None:
        self.seconds = math.ceil(wait.total_seconds())
        minutes = count(math.ceil(wait / timedelta(minutes=1)), "minute")
        super().__init__(f"You have tried {count(made, 'kernel')} within an hour. Try the next one in {minutes}.")


@dataclass(frozen=True, kw_only=True)
class DryRunRequest:
    """A file that a person wants to try. The assignment allows `per_hour` dry runs within an hour."""

    person_id: int
    assignment: str
    data: bytes
    per_hour: int


def make(session: Session, asked: DryRunRequest, rules: HandInRules, now: datetime) -> DryRunRow:
    """Put a dry run in the queue. It replaces the person's earlier one at this assignment. Raises RefusedError without
    a change if the dry run is not allowed.
    """
    rows = session.scalars(select(DryRunRow).where(DryRunRow.person_id == asked.person_id)).all()
    for objection in _objections(session, asked, rules, now):
        raise RefusedError(objection)
    _require_few(rows, asked.per_hour, now)
    row = next((each for each in rows if each.assignment == asked.assignment), None)
    if row is None:
        row = DryRunRow(person_id=asked.person_id, assignment=asked.assignment, made=0, counted_since=now)
        session.add(row)
    else:
        session.execute(delete(GradingRow).where(GradingRow.dry_run_id == row.id))
    if not _is_counted(row, now):
        row.made, row.counted_since = 0, now
    row.made += 1
    row.data, row.size, row.received = asked.data, len(asked.data), now
    row.sha256 = hashlib.sha256(asked.data).hexdigest()
    session.flush()
    waiting = new_grading(DRY_RUN, DRY_RUN_PRIORITY, now)
    waiting.dry_run_id, waiting.round = row.id, _open_elsewhere(session, row)
    session.add(waiting)
    session.flush()
    return row


def _objections(session: Session, asked: DryRunRequest, rules: HandInRules, now: datetime) -> Iterator[str]:
    if rules.gone:
        yield "This assignment is no longer part of the course. Your attempts and points are kept."
    if not is_open(rules, now):
        yield "This assignment is not open yet. Try your kernel when it opens."
    if not asked.per_hour:
        yield "Your course does not allow you to try a kernel of this assignment. Hand it in to get a result."
    if session.get(HoldRow, asked.assignment) is not None:
        yield "Results are held back, so you cannot try a kernel until they are published. You can hand it in."
    if why := file_refusal(asked.data):
        yield why


def _require_few(rows: Sequence[DryRunRow], per_hour: int, now: datetime) -> None:
    """Raise TooManyDryRunsError if another dry run is not allowed now. The limit covers all assignments together."""
    counted = [each for each in rows if _is_counted(each, now)]
    made = sum(each.made for each in counted)
    if made >= per_hour:
        raise TooManyDryRunsError(made, min(each.counted_since for each in counted) + HOUR - now)


def _is_counted(row: DryRunRow, now: datetime) -> bool:
    """True if the dry runs of this row count towards the hourly limit."""
    return row.counted_since > now - HOUR


def _open_elsewhere(session: Session, row: DryRunRow) -> int:
    """Number of the person's open dry runs at other assignments. It is used as the round of a new dry run, so that the
    first dry runs of all students come before the second one of any student.
    """
    others = select(DryRunRow).where(DryRunRow.person_id == row.person_id, DryRunRow.id != row.id)
    return sum(each.grading.shown_state.open for each in session.scalars(others.options(joinedload(DryRunRow.grading))))


def dry_run_of(session: Session, person_id: int, assignment: str, now: datetime) -> DryRunRow | None:
    """A person's latest dry run at an assignment, with its grading; None if it is too old or does not exist."""
    own = DryRunRow.person_id == person_id, DryRunRow.assignment == assignment, DryRunRow.received > now - KEPT_FOR
    return session.scalar(select(DryRunRow).where(*own).options(joinedload(DryRunRow.grading)))


def delete_old(session: Session, now: datetime) -> None:
    """Delete dry runs that are too old, and their results."""
    session.execute(delete(DryRunRow).where(DryRunRow.received <= now - KEPT_FOR))
