"""What a student may see of a grading while it is made: only what may be shown whatever comes of hidden checks.

A grading tells its listener nothing else (results/withholding.shown_at_once), and here that is made into records.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.common.record import Record
from grader.grading.progress import Decided
from grader.protocol.text import showable
from grader.results.result import Result, Verdict, lines_named, shown_as
from grader.service.db.models import GradingRow, ProgressRow
from grader.service.submissions.queue import ClaimedGrading

WORDS_LENGTH = 1000
"""Characters of a sentence here; the report has all of it."""

REMARKS = 50
"""Remarks that are kept; nobody reads more at once."""


class ProgressNote(Record):
    """What begins (`check` is empty then), or a check that is decided."""

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
    """What is wrong in lines of the file, in a sentence."""

    lines: tuple[int, ...]
    words: str


class ChecksInBrief(Record):
    """All checks of a result, the sentence to read first, if one failed, and what was found in which lines."""

    checks: tuple[CheckInBrief, ...]
    first_cause: str = ""
    remarks: tuple[LineRemark, ...] = ()


def note_of(event: str | Decided) -> ProgressNote:
    """What a grading tells, as a record."""
    if isinstance(event, str):
        return ProgressNote(words=showable(event)[:WORDS_LENGTH])
    check = event.check
    return ProgressNote(
        words=showable(event.sentence)[:WORDS_LENGTH],
        check=showable(check.name),
        verdict=check.verdict,
        reason=check.reason or "",
    )


def in_brief(shown: Result) -> ChecksInBrief:
    """A result of which nothing is to be withheld any more."""
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
        first_cause="" if first is None else showable(first.message)[:WORDS_LENGTH],
        remarks=remarks_of(shown),
    )


def remarks_of(shown: Result) -> tuple[LineRemark, ...]:
    """What the checks that did not pass say of lines, each sentence once, in the order of the first line."""
    said = (
        LineRemark(lines=lines, words=showable(words)[:WORDS_LENGTH])
        for check in shown.checks
        if check.verdict in {Verdict.FAILED, Verdict.PARTIAL}
        for words in (check.message, *(finding.message for finding in check.findings))
        if (lines := tuple(sorted(set(lines_named(words)))))
    )
    return tuple(sorted(dict.fromkeys(said), key=lambda each: each.lines)[:REMARKS])


def keep_note(session: Session, claimed: ClaimedGrading, note: ProgressNote, now: datetime) -> None:
    """Store it for whoever watches."""
    row = ProgressRow(grading_id=claimed.grading_id, turn=claimed.turn, at=now, data=note.model_dump_json())
    session.add(row)


def notes_after(session: Session, grading: GradingRow, after: int) -> Sequence[tuple[int, ProgressNote]]:
    """What has been told in the grading's present turn since the note with this number, with the notes' numbers."""
    wanted = select(ProgressRow).where(
        ProgressRow.grading_id == grading.id, ProgressRow.turn == grading.tries, ProgressRow.id > after
    )
    rows = session.scalars(wanted.order_by(ProgressRow.id)).all()
    return [(row.id, ProgressNote.model_validate_json(row.data)) for row in rows]
