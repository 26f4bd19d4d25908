"""Extensions in the whole course: the list of all extensions, and a form that extends several assignments for many
students at once.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from pydantic import Field
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from grader.common.phrases import count, listed
from grader.common.record import Record
from grader.course.policies.deadlines import read_extra
from grader.course.policies.rules import in_words, later
from grader.protocol.text import showable
from grader.service.course.assignment_view import AssignmentView
from grader.service.course.groups import belongs_to
from grader.service.course.limits import is_late
from grader.service.db.keys import folded_key
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.decisions import ExtensionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.grades.decisions.extensions import (
    MAX_REASON_LENGTH,
    GivenExtension,
    Withdrawal,
    attempts_in,
    due_in,
    extension_in_words,
    extension_of,
    give,
    reason_in,
    rules_for,
    withdraw,
)

LINES_PER_PAGE = 100
"""Number of extensions on a page of the list."""

MAX_AT_ONCE = 5_000
"""Maximum number of extensions that are given at once, which is students times assignments."""

MAX_NAMES_LISTED = 10
"""Maximum number of names in a message."""

BETWEEN_REASONS = "; "

WITHDRAWN = "withdrawn on the list of extensions"


class ExtensionFilter(Record):
    """Filter in the query string: extensions at an assignment, of people whose names or keys contain these words, and
    with numbers below `before`.
    """

    assignment: str = Field(default="", max_length=200)
    find: str = Field(default="", max_length=200)
    before: int | None = Field(default=None, ge=1, lt=2**31)


class GivenToMany(Record):
    """Result in the query string after many extensions were given: the number of new or changed extensions, and the
    number of extensions that were kept because they were already as generous.
    """

    given: int = Field(default=0, ge=0, le=MAX_AT_ONCE)
    kept: int = Field(default=0, ge=0, le=MAX_AT_ONCE)

    @property
    def in_words(self) -> str:
        """The result as a sentence; empty if no extension was requested."""
        kept = f" {count(self.kept, 'extension')} kept, as generous already." if self.kept else ""
        return f"{count(self.given, 'extension')} given.{kept}" if self.given or self.kept else ""


class ExtensionList(ExtensionFilter, GivenToMany):
    """Query string of the list: a filter, or the result after many extensions were given."""


class ManyExtensionsForm(Record):
    """Fields of the form: students as keys or names, one per line; the assignments; and a new date or more time."""

    who: str = ""
    students: str = ""
    assignments: tuple[str, ...] = ()
    until: str = ""
    extra: str = ""
    attempts: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ListedExtension:
    """An extension with its student."""

    row: ExtensionRow
    person: PersonRow


@dataclass(frozen=True, kw_only=True)
class ExtensionPage:
    """Extensions, the latest first. If earlier ones follow, `before` is the number of the last one."""

    lines: tuple[ListedExtension, ...]
    before: int | None


def extension_page(session: Session, wanted: ExtensionFilter) -> ExtensionPage:
    """The extensions that match a filter."""
    query = select(ExtensionRow, PersonRow).join(PersonRow, PersonRow.id == ExtensionRow.person_id)
    query = query.where(*_conditions(wanted)).order_by(ExtensionRow.id.desc()).limit(LINES_PER_PAGE + 1)
    found = [ListedExtension(row=row, person=person) for row, person in session.execute(query)]
    lines = tuple(found[:LINES_PER_PAGE])
    return ExtensionPage(lines=lines, before=lines[-1].row.id if len(found) > LINES_PER_PAGE else None)


def _conditions(wanted: ExtensionFilter) -> Iterator[ColumnElement[bool]]:
    text = PersonRow.name + " " + PersonRow.key
    yield from (text.icontains(word, autoescape=True) for word in wanted.find.split())
    if wanted.assignment:
        yield ExtensionRow.assignment == wanted.assignment
    if wanted.before is not None:
        yield ExtensionRow.id < wanted.before


def extend_many(
    database: Database, assignments: Sequence[AssignmentView], asked: ManyExtensionsForm, now: datetime
) -> GivenToMany:
    """Give each of these students this extension at each of these assignments. If an earlier extension of a student has
    a later date or more attempts, the student keeps that date or number. Raises FieldError before anything is stored if
    a line or a field cannot be read.
    """
    if not assignments:
        raise FieldError("assignment", "No assignment is chosen. Choose at least one.")
    given = {each.name: _given(each, asked) for each in assignments}
    with database.reading() as session:
        students = _students(session, asked.students)
    pairs = [(each, person) for each in assignments for person in students]
    if len(pairs) > MAX_AT_ONCE:
        words = f"You chose {len(pairs):,} extensions; give at most {MAX_AT_ONCE:,} at once."
        raise FieldError("students", words)

    def store(session: Session, some: Sequence[tuple[AssignmentView, int]]) -> int:
        return sum(_give_at_least(session, each, person, given[each.name], now) for each, person in some)

    number = sum(in_batches(database, pairs, store))
    return GivenToMany(given=number, kept=len(pairs) - number)


def _given(assignment: AssignmentView, asked: ManyExtensionsForm) -> GivenExtension:
    """The extension at one of the assignments. Raises FieldError, with the name of the assignment in the message."""
    try:
        due, attempts = _due(assignment, asked), attempts_in(assignment, asked.attempts)
    except FieldError as error:
        raise FieldError(error.field, f"{assignment.name}: {error}") from error
    if due is None and not attempts:
        raise FieldError("extra", "This extends nothing: give a later date, more time or more attempts.")
    return GivenExtension(who=asked.who, due=due, attempts=attempts, reason=reason_in(asked.reason))


def _due(assignment: AssignmentView, asked: ManyExtensionsForm) -> datetime | None:
    extra = asked.extra.strip()
    if not extra:
        return due_in(assignment, asked.until)
    if asked.until.strip():
        raise FieldError("extra", "You gave both a new date and more time; choose one of the two.")
    usual, zone = assignment.rules.due, assignment.policies.zone
    if usual is None:
        raise FieldError("extra", "There is no due date to extend.")
    try:
        due = later(usual, read_extra(extra), zone)
    except ValueError as error:
        raise FieldError("extra", f"More time is {showable(str(error))}.") from error
    return due if due > usual else None


def _students(session: Session, text: str) -> list[int]:
    """Numbers of the students in these lines. Raises FieldError, with the lines in the message, if a line matches no
    student or several.
    """
    lines = list(dict.fromkeys(filter(None, (line.strip() for line in text.splitlines()))))
    if not lines:
        raise FieldError("students", "No student is listed. List at least one student by key or name, one per line.")
    named: dict[str, dict[int, str]] = {}
    for person in session.scalars(select(PersonRow).where(PersonRow.role == CourseRole.STUDENT)):
        for word in {_plain(person.name), person.folded}:
            named.setdefault(word, {})[person.id] = person.key
    found: list[int] = []
    unknown, several = [], []
    for line in lines:
        people = {**named.get(_plain(line), {}), **named.get(folded_key(line), {})}
        if len(people) == 1:
            found += people
        elif people:
            several.append(f"{line} ({listed(sorted(people.values()), 'or')})")
        else:
            unknown.append(line)
    if unknown:
        raise FieldError("students", f"Nothing was stored. No student has this key or name: {_some(unknown)}.")
    if several:
        raise FieldError("students", f"Nothing was stored. A line may mean several students: {_some(several)}.")
    return list(dict.fromkeys(found))


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _some(names: Sequence[str]) -> str:
    shown = [showable(each) for each in names[:MAX_NAMES_LISTED]]
    return ", ".join(shown) + (f" and {len(names) - MAX_NAMES_LISTED} more" if len(names) > MAX_NAMES_LISTED else "")


def _give_at_least(
    session: Session, assignment: AssignmentView, person_id: int, given: GivenExtension, now: datetime
) -> int:
    """Give an extension unless the student already has as much, and return the number of extensions that were given (0
    or 1). The reason of an earlier extension is kept next to the new one.
    """
    row = extension_of(session, assignment.name, person_id)
    if row is not None:
        dates = [each for each in (row.due, given.due) if each is not None]
        due, attempts = max(dates, default=None), max(row.attempts, given.attempts)
        if (due, attempts) == (row.due, row.attempts):
            return 0
        reason = _both_reasons(row.reason, given.reason)
        given = GivenExtension(who=given.who, due=due, attempts=attempts, reason=reason)
    give(session, assignment, session.get_one(PersonRow, person_id), given, now)
    return 1


def _both_reasons(earlier: str, new: str) -> str:
    """Both reasons or, if they are too long together, the new one alone. The audit trail still contains the earlier
    one.
    """
    reasons = earlier.split(BETWEEN_REASONS)
    both = BETWEEN_REASONS.join(reasons if new in reasons else [*reasons, new])
    return both if len(both) <= MAX_REASON_LENGTH else new


def listed_extension(session: Session, extension_id: int) -> ListedExtension:
    """The extension with this number. Raises NotFoundError if it does not exist."""
    row = session.get(ExtensionRow, extension_id)
    if row is None:
        raise NotFoundError
    return ListedExtension(row=row, person=session.get_one(PersonRow, row.person_id))


def lost_by_withdrawal(
    session: Session, one: ListedExtension, assignments: Sequence[AssignmentView], zone: tzinfo
) -> Iterator[str]:
    """Consequences of a withdrawal, one sentence each."""
    yield f"{one.person.name} loses this: {extension_in_words(one.row.due, one.row.attempts, zone)}."
    shown = next((each for each in assignments if each.name == one.row.assignment), None)
    if shown is None:
        return
    if one.row.due is not None and shown.rules.due is not None:
        yield f"{shown.name} is then due {in_words(shown.rules.due, zone)}, unless a member of the group has more time."
    before = rules_for(session, shown, one.person.id)
    theirs = belongs_to([one.person.id]), AttemptRow.assignment == shown.name
    times = session.scalars(select(AttemptRow.received).where(*theirs)).all()
    late = sum(is_late(shown.rules, each) and not is_late(before, each) for each in times)
    yield f"{count(late, 'attempt')} that {'is' if late == 1 else 'are'} on time now may become late."


def withdraw_listed(session: Session, extension_id: int, who: str, zone: tzinfo, now: datetime) -> None:
    """Withdraw an extension by its number. Raises NotFoundError if it does not exist."""
    one = listed_extension(session, extension_id)
    withdraw(session, one.row, Withdrawal(who=who, reason=WITHDRAWN), zone, now)
