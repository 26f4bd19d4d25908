"""Records about a grading that students see while it runs. They do not depend on the outcomes of hidden checks, because
a grading reports only other checks to its listener (results/withholding.shown_at_once).
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
from grader.results.result import Result
from grader.results.verdicts import shown_as
from grader.service.db.tables.stations import ProgressRow
from grader.service.db.tables.submissions import GradingRow
from grader.service.submissions.claims import ClaimedGrading

MAX_WORDS_LENGTH = 1000
"""Maximum length of a sentence that is stored here. The report contains the whole sentence."""

MAX_REMARKS = 50
"""Maximum number of stored remarks. A student would not read more at once."""


class ProgressNote(Record):
    """A note about a running grading: a step that begins, in which case `check` is empty, or a check that has been
    decided.
    """

    words: str
    check: str = ""
    verdict: str = ""
    reason: str = ""

    @property
    def shown_verdict(self) -> str:
        """The verdict that people read."""
        return shown_as(self.verdict, self.reason)


class CheckInBrief(Record):
    """A check of a result, in the form in which the student may see it."""

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
    """A mistake in these lines of the file, with the next step as `help` if one is known. Lines that only the help
    mentions are not wrong.
    """

    lines: tuple[int, ...]
    words: str
    help: str = ""


class ChecksInBrief(Record):
    """All checks of a result, the sentence to read first if a check failed, and remarks about lines of the file."""

    checks: tuple[CheckInBrief, ...]
    first_cause: str = ""
    remarks: tuple[LineRemark, ...] = ()


def note_of(event: str | Decided) -> ProgressNote:
    """Convert an event of a grading to a note."""
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
    """The checks of a result in brief. Hidden outcomes must have been removed from the result."""
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
    """Remarks for the issues whose lines are known, in the order in which students should read them."""
    said = (
        LineRemark(lines=each.marked_lines, words=each.message[:MAX_WORDS_LENGTH], help=each.help[:MAX_WORDS_LENGTH])
        for each in issues_of(shown)
        if each.marked_lines
    )
    return tuple(islice(said, MAX_REMARKS))


def keep_note(session: Session, claimed: ClaimedGrading, note: ProgressNote, now: datetime) -> None:
    """Store a note about a claimed grading."""
    row = ProgressRow(grading_id=claimed.grading_id, turn=claimed.turn, at=now, data=note.model_dump_json())
    session.add(row)


def notes_after(session: Session, grading: GradingRow, after: int) -> Sequence[tuple[int, ProgressNote]]:
    """The notes about the present try of a grading that follow the note with this number, each with its own number."""
    wanted = select(ProgressRow).where(
        ProgressRow.grading_id == grading.id, ProgressRow.turn == grading.tries, ProgressRow.id > after
    )
    rows = session.scalars(wanted.order_by(ProgressRow.id)).all()
    return [(row.id, ProgressNote.model_validate_json(row.data)) for row in rows]
