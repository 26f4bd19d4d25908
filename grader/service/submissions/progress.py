"""Records that students see of a grading while it runs. They do not depend on the outcome of hidden checks.

A grading reports nothing else to its listener (results/withholding.shown_at_once).
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.grading.progress import Decided
from grader.protocol.text import showable
from grader.reports.issues import issues_of
from grader.results.check import shown_as
from grader.results.result import Result
from grader.service.db.models import GradingRow, ProgressRow
from grader.service.submissions.queue import ClaimedGrading

MAX_WORDS_LENGTH = 1000
"""Characters of a sentence that are stored here. The report has the whole sentence."""

MAX_REMARKS = 50
"""Remarks that are stored: as many as a student can read at once."""


class ProgressNote(Record):
    """A step that begins (then `check` is empty), or a check that is decided."""

    words: str
    check: str = ""
    verdict: str = ""
    reason: str = ""

    @property
    def shown_verdict(self) -> str:
        """The verdict that people read."""
        return shown_as(self.verdict, self.reason)


class CheckInBrief(Record):
    """A check of a result, as far as the student may see it."""

    name: str
    verdict: str
    reason: str
    points: float
    max_points: float

    @property
    def shown_verdict(self) -> str:
        """The verdict that people read."""
        return shown_as(self.verdict, self.reason)


class LineRemark(Record):
    """A mistake in lines of the file, and the next step, if one is known. Lines that the help names are not wrong."""

    lines: tuple[int, ...]
    words: str
    help: str = ""


class ChecksInBrief(Record):
    """All checks of a result, the sentence to read first if a check failed, and remarks about lines of the file."""

    checks: tuple[CheckInBrief, ...]
    first_cause: str = ""
    remarks: tuple[LineRemark, ...] = ()


def note_of(event: str | Decided) -> ProgressNote:
    """An event of a grading as a note."""
    if isinstance(event, str):
        return ProgressNote(words=showable(event)[:MAX_WORDS_LENGTH])
    check = event.check
    return ProgressNote(
        words=showable(event.sentence)[:MAX_WORDS_LENGTH],
        check=showable(check.name),
        verdict=check.verdict,
        reason=check.reason or "",
    )


def in_brief(shown: Result) -> ChecksInBrief:
    """The checks of a result from which hidden outcomes were already removed."""
    first = shown.first_cause
    return ChecksInBrief(
        checks=tuple(
            CheckInBrief(
                name=showable(check.name),
                verdict=check.verdict,
                reason=check.reason or "",
                points=check.points,
                max_points=check.max_points,
            )
            for check in shown.checks
        ),
        first_cause="" if first is None else showable(first.message)[:MAX_WORDS_LENGTH],
        remarks=remarks_of(shown),
    )


def remarks_of(shown: Result) -> tuple[LineRemark, ...]:
    """The issues whose lines are known, in the order of reading."""
    said = (
        LineRemark(lines=each.marked_lines, words=each.message[:MAX_WORDS_LENGTH], help=each.help[:MAX_WORDS_LENGTH])
        for each in issues_of(shown)
        if each.marked_lines
    )
    return tuple(islice(said, MAX_REMARKS))


def keep_note(session: Session, claimed: ClaimedGrading, note: ProgressNote, now: datetime) -> None:
    """Store a note of a claimed grading."""
    row = ProgressRow(grading_id=claimed.grading_id, turn=claimed.turn, at=now, data=note.model_dump_json())
    session.add(row)


def notes_after(session: Session, grading: GradingRow, after: int) -> Sequence[tuple[int, ProgressNote]]:
    """The notes of the grading's present try after the note with this number, each with its number."""
    wanted = select(ProgressRow).where(
        ProgressRow.grading_id == grading.id, ProgressRow.turn == grading.tries, ProgressRow.id > after
    )
    rows = session.scalars(wanted.order_by(ProgressRow.id)).all()
    return [(row.id, ProgressNote.model_validate_json(row.data)) for row in rows]
