"""Moodle's grading worksheet with grades and comments filled in.

The rules come from Moodle's importer (mod/assign/feedback/offline: importgradeslib.php, locallib.php). A worksheet is
never written from scratch, because its headings are in the language of the user who downloaded it, and Moodle checks
its dates when it is uploaded.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from grader.common.errors import InputError
from grader.course.submissions.handin import Remark
from grader.lms.exports.columns import Filled, Placed, Slot, decimal_sign, mail_in, maximum_in, place, with_mails
from grader.lms.exports.feedback import SIGNATURE, comment
from grader.lms.exports.moodle_times import MODIFIED, read_moodle_time
from grader.lms.exports.sheet import Sheet, listed, same_words
from grader.lms.intake.owners import Owner
from grader.protocol.text import showable
from grader.results.gradebook import Gradebook, StudentRow, totals

GRADE = ("Grade", "Bewertung", "Note", "Calificación", "Nota")
NAME = ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo", "Nome completo")
EMAIL = ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo", "Endereço de email")
MAXIMUM = ("Maximum grade", "Bestwertung", "Note maximale", "Calificación máxima", "Nota máxima")
CHANGEABLE = (
    "Grade can be changed",
    "Bewertung kann geändert werden",
    "La note peut être modifiée",
    "La calificación puede ser cambiada",
    "La calificación puede cambiarse",
    "Nota pode ser alterada",
)
FEEDBACK = (
    "Feedback comments",
    "Feedback als Kommentar",
    "Feedback par commentaires",
    "Comentarios de retroalimentación",
    "Comentários de feedback",
)
STATUS = ("Status", "Statut", "Estado", "Estatus", "Situação")
LATE = re.compile(
    r"\b(?:late|später|verspätet|zu spät|retard|después|tarde|atraso|atrasad[oa]|depois do prazo|após o prazo)\b",
    re.IGNORECASE,
)
"""Words in a status such as "Submitted for grading - 2 days 3 hours late". Moodle computes them from the student's own
due date, so they take extensions into account.
"""

NO = ("No", "Nein", "Non", "Não")
"""Headings and words from Moodle's language packs, as they occur in worksheets: English, German, French, Spanish and
Brazilian Portuguese. For other languages, the instructor specifies the columns.
"""

PARTICIPANT = re.compile(r"(?:.*\D)?0*(?P<number>[0-9]{1,19})\s*", re.DOTALL)
"""Form of an identifier: a word in any language ("Participant ", "Teilnehmer/in"), followed by the participant's
number.
"""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Indices of a worksheet's columns, or None for a missing column."""

    grade: int
    maximum: int | None
    changeable: int | None
    feedback: int | None


@dataclass(frozen=True, kw_only=True)
class Remedies:
    """Advice for an unknown column, for the user who supplied the worksheet. Each is a sentence at the end of a
    message.
    """

    grade: str
    feedback: str


BY_OPTIONS = Remedies(
    grade="Give its heading with --moodle-grade-column.",
    feedback="To get them, give its heading with --moodle-feedback-column.",
)
"""Advice on the command line."""

IN_ENGLISH = "Set Moodle to English, and download the worksheet again."
"""Advice for a worksheet with headings in an unknown language on a page, which has no fields for the names of
columns.
"""


@dataclass(frozen=True, kw_only=True)
class MoodleWorksheet:
    """A grading worksheet from Moodle, the columns to fill if their headings are not known, and the advice for columns
    that are not found.
    """

    sheet: Sheet
    grade_column: str | None = None
    feedback_column: str | None = None
    remedies: Remedies = BY_OPTIONS
    name: str = "moodle-worksheet.csv"

    def roster(self) -> tuple[Owner, ...]:
        """Return all students of the course."""
        return tuple(participants(self.sheet))

    def late(self) -> frozenset[str]:
        """Return the keys of students who were late, since a download from Moodle does not mark them."""
        return late(self.sheet)

    def submitted(self) -> dict[str, datetime]:
        """Return the time at which each student handed in, by key."""
        return submitted(self.sheet)

    def fill(self, book: Gradebook) -> Filled:
        """Fill in the points. For a batch of several assignments, fill in the sum, since a worksheet belongs to one
        assignment.
        """
        rows = totals(book) if len(book.assignments) > 1 else book.rows
        return moodle_worksheet(self.sheet, rows, self.grade_column, self.feedback_column, self.remedies)


def upload(sheet: Sheet, columns: Mapping[str, str]) -> MoodleWorksheet:
    """Return the worksheet with the columns that the options specify."""
    return MoodleWorksheet(
        sheet=sheet,
        grade_column=columns.get("moodle_grade_column"),
        feedback_column=columns.get("moodle_feedback_column"),
    )


def from_page(sheet: Sheet) -> MoodleWorksheet:
    """Return the worksheet that was uploaded on a page."""
    return MoodleWorksheet(sheet=sheet, remedies=Remedies(grade=IN_ENGLISH, feedback=IN_ENGLISH))


def moodle_worksheet(
    sheet: Sheet,
    rows: tuple[StudentRow, ...],
    grade_column: str | None = None,
    feedback_column: str | None = None,
    remedies: Remedies = BY_OPTIONS,
) -> Filled:
    """Fill grades and comments into the worksheet, for those rows of one assignment that have a grade.

    Participants are found by number or mail address; either can be the student's key. Grades are scaled to the maximum
    in the worksheet. A comment that grader did not write stays, and so does the grade in a row that Moodle would not
    allow to change. Raises InputError if the column of grades is unknown or a specified column is missing.
    """
    columns = _columns(sheet, grade_column, feedback_column, remedies)
    sign = decimal_sign(sheet, columns.grade, columns.maximum)
    slots = with_mails(_slots(sheet, columns), participants(sheet))
    placed = place(sheet, rows, columns.grade, slots, sign)
    comments = {} if columns.feedback is None else _comments(sheet, placed, columns.feedback)
    kept = [line for line in placed.rows if columns.feedback is not None and (line, columns.feedback) not in comments]
    remarks = (
        *_about(sheet, columns, remedies),
        *placed.remarks,
        *(Remark(where=showable(sheet.lines[line].value(0)), why=KEPT) for line in kept),
    )
    return Filled(data=sheet.filled(placed.cells | comments), grades=len(placed.rows), remarks=remarks)


KEPT = "has a comment already, which stays; the grade is filled in."


def _comments(sheet: Sheet, placed: Placed, column: int) -> dict[tuple[int, int], str]:
    """Return the new comments, for rows without a comment or with a comment by grader."""
    before = {line: sheet.lines[line].value(column).strip() for line in placed.rows}
    ours = {line for line, text in before.items() if not text or text.startswith(SIGNATURE)}
    return {(line, column): comment(row) for line, row in placed.rows.items() if line in ours}


def _columns(sheet: Sheet, grade_column: str | None, feedback_column: str | None, remedies: Remedies) -> Columns:
    grade = _known(sheet, GRADE) if grade_column is None else _named(sheet, grade_column, "--moodle-grade-column")
    if grade is None:
        there = listed(sheet.headings)
        raise InputError(f"No column of {sheet.name} is recognised as the one for grades: {there}. {remedies.grade}")
    feedback = (
        _known(sheet, FEEDBACK)
        if feedback_column is None
        else _named(sheet, feedback_column, "--moodle-feedback-column")
    )
    return Columns(grade=grade, maximum=_known(sheet, MAXIMUM), changeable=_known(sheet, CHANGEABLE), feedback=feedback)


def _known(sheet: Sheet, names: tuple[str, ...]) -> int | None:
    """Return the index of the first column with one of these headings, in any language, or None if no heading
    matches.
    """
    headings = enumerate(sheet.headings)
    return next((index for index, heading in headings if any(same_words(heading, name) for name in names)), None)


def _named(sheet: Sheet, name: str, option: str) -> int:
    index = _known(sheet, (name,))
    if index is None:
        raise InputError(
            f'{sheet.name} has no column "{name}"; give one of these with {option}: {listed(sheet.headings)}.'
        )
    return index


def participants(sheet: Sheet) -> Iterator[Owner]:
    """Yield all participants in the worksheet by number. With blind marking, a name is "Participant 7"."""
    name, mail = _known(sheet, NAME), _known(sheet, EMAIL)
    for _, line in sheet.rows:
        if match := PARTICIPANT.fullmatch(line.value(0)):
            yield Owner(
                name=(line.value(name) if name is not None else "") or line.value(0).strip(),
                key=match["number"],
                mail=mail_in(line.value(mail)) if mail is not None else "",
            )


def late(sheet: Sheet) -> frozenset[str]:
    """Return the numbers of the participants who handed in late according to the worksheet."""
    status = _known(sheet, STATUS)
    return frozenset(
        match["number"]
        for _, line in sheet.rows
        if status is not None and LATE.search(line.value(status)) and (match := PARTICIPANT.fullmatch(line.value(0)))
    )


def submitted(sheet: Sheet) -> dict[str, datetime]:
    """Return the time at which each participant handed in, by number, as naive times, if the worksheet states it in a
    known form.
    """
    modified = _known(sheet, MODIFIED)
    rows = ((PARTICIPANT.fullmatch(line.value(0)), line) for _, line in sheet.rows if modified is not None)
    times = {match["number"]: read_moodle_time(line.value(modified or 0)) for match, line in rows if match}
    return {number: when for number, when in times.items() if when is not None}


def _slots(sheet: Sheet, columns: Columns) -> dict[str, Slot]:
    """Return the rows by participant number. Raises InputError if there are no rows, or two rows for one
    participant.
    """
    slots: dict[str, Slot] = {}
    for index, line in sheet.rows:
        match = PARTICIPANT.fullmatch(line.value(0))
        if match is None:
            continue
        if match["number"] in slots:
            rows = f"{slots[match['number']].line + 1} and {index + 1}"
            raise InputError(f"{sheet.name} has two rows for participant {match['number']}, {rows}; download it again.")
        maximum = None if columns.maximum is None else maximum_in(line.value(columns.maximum))
        fixed = columns.changeable is not None and any(same_words(line.value(columns.changeable), no) for no in NO)
        refusal = "the worksheet says that this grade cannot be changed" if fixed else ""
        slots[match["number"]] = Slot(line=index, maximum=maximum, refusal=refusal)
    if not slots:
        raise InputError(f"{sheet.name} has no participants in its first column; is it the grading worksheet?")
    return slots


def _about(sheet: Sheet, columns: Columns, remedies: Remedies) -> Iterator[Remark]:
    """Yield remarks on columns that an instructor may have expected."""
    if columns.maximum is None:
        why = (
            "no column with the maximum is known, so grades are not scaled; check that the maximum is the assignment's."
        )
        yield Remark(where=sheet.name, why=why)
    if columns.feedback is None:
        why = f"no column for comments is known, so no comments are filled in. {remedies.feedback}"
        yield Remark(where=sheet.name, why=why)
