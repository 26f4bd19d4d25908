"""Extensions for single students: instructors give them a later due date or more attempts."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.common.record import Record
from grader.course.policies.rules import LateRule, in_words, moment, read_date
from grader.protocol.text import showable
from grader.service.course.assignment_view import AssignmentView
from grader.service.course.groups import team_at
from grader.service.course.limits import TRIAL, HandInRules
from grader.service.db.outbox import Mail, MailKind, put_mail
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.decisions import ExtensionRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import FieldError, text_within
from grader.service.grades.final import extension_in
from grader.service.grades.visibility import grades_of

MAX_EXTRA_ATTEMPTS = 100
"""Maximum number of extra attempts of a student at an assignment."""

MAX_REASON_LENGTH = 500
"""Maximum length of a reason."""

OWN_EXTENSION = select(ExtensionRow).where(
    ExtensionRow.person_id == bindparam("person"), ExtensionRow.assignment == bindparam("assignment")
)
"""Query for the extension of a person at an assignment. It is built once because each page of a student runs it."""


class ExtensionForm(Record):
    """The fields of the form, and the instructor who sends it. A form without a date and without attempts withdraws the
    student's extension.
    """

    who: str
    until: str
    attempts: str
    reason: str


def rules_for(session: Session, assignment: AssignmentView, person_id: int) -> HandInRules:
    """The present rules of an assignment for this person, without the late days spent on other assignments. The
    extension of one member applies to the whole group. People who teach make trial runs, which have no limits.
    """
    if session.get_one(PersonRow, person_id).role != CourseRole.STUDENT:
        return TRIAL
    team = team_at(session, assignment.policies, person_id)
    wanted = select(ExtensionRow).where(ExtensionRow.person_id.in_(team), ExtensionRow.assignment == assignment.name)
    return assignment.rules_for(*map(extension_in, session.scalars(wanted)))


def hand_in_rules(session: Session, assignments: Sequence[AssignmentView], name: str, person_id: int) -> HandInRules:
    """The rules by which a hand-in is accepted, including the late days spent on other assignments. `assignments` must
    contain all assignments of the course.
    """
    assignment = next(each for each in assignments if each.name == name)
    rules = rules_for(session, assignment, person_id)
    if rules is TRIAL or not isinstance(assignment.policies.late, LateRule):
        return rules
    return grades_of(session, assignments, person_id)[name].rules


def extension_of(session: Session, assignment: str, person_id: int) -> ExtensionRow | None:
    """The extension of this person at this assignment; None if they have none."""
    found: ExtensionRow | None = session.scalar(OWN_EXTENSION, {"person": person_id, "assignment": assignment})
    return found


class GivenExtension(Record):
    """A checked extension: the due date in UTC, or None, and the number of extra attempts."""

    who: str
    due: datetime | None
    attempts: int
    reason: str


class Withdrawal(Record):
    """The person who withdraws an extension, and the reason."""

    who: str
    reason: str


def extend(
    session: Session, assignment: AssignmentView, person: PersonRow, asked: ExtensionForm, now: datetime
) -> None:
    """Give a person an extension, which replaces an earlier one. It applies at once and also to earlier attempts.
    Raises FieldError without a change if a field cannot be read.
    """
    given = GivenExtension(
        who=asked.who,
        due=due_in(assignment, asked.until),
        attempts=attempts_in(assignment, asked.attempts),
        reason=reason_in(asked.reason),
    )
    if given.due is not None or given.attempts:
        give(session, assignment, person, given, now)
        return
    row = extension_of(session, assignment.name, person.id)
    if row is None:
        raise FieldError("until", "This extends nothing: choose a later date, or give extra attempts.")
    withdraw(session, row, Withdrawal(who=given.who, reason=given.reason), assignment.policies.zone, now)


def give(session: Session, assignment: AssignmentView, person: PersonRow, given: GivenExtension, now: datetime) -> None:
    """Store an extension in place of the person's earlier one, and add a line to the audit trail. All members of the
    group get a mail because the extension applies to all of them.
    """
    row, zone = extension_of(session, assignment.name, person.id), assignment.policies.zone
    before = "nothing" if row is None else extension_in_words(row.due, row.attempts, zone)
    values = {"due": given.due, "attempts": given.attempts, "reason": given.reason, "who": given.who, "at": now}
    if row is None:
        session.add(ExtensionRow(person_id=person.id, assignment=assignment.name, **values))
    else:
        row.due, row.attempts, row.reason, row.who, row.at = given.due, given.attempts, given.reason, given.who, now
    mail = Mail(kind=MailKind.EXTENDED, assignment=assignment.name, path=f"/assignments/{assignment.name}")
    for member in sorted(team_at(session, assignment.policies, person.id)):
        put_mail(session, member, mail, now)
    after = extension_in_words(given.due, given.attempts, zone)
    what = f"{person.key}, {assignment.name}: extension {before} -> {after}; reason: {given.reason}"
    session.add(AuditRow(at=now, who=given.who, about=person.key, what=what))


def withdraw(session: Session, row: ExtensionRow, by: Withdrawal, zone: tzinfo, now: datetime) -> None:
    """Delete an extension, and add a line to the audit trail."""
    key = session.get_one(PersonRow, row.person_id).key
    before = extension_in_words(row.due, row.attempts, zone)
    what = f"{key}, {row.assignment}: extension {before} -> nothing; reason: {by.reason}"
    session.delete(row)
    session.add(AuditRow(at=now, who=by.who, about=key, what=what))


def due_in(assignment: AssignmentView, text: str) -> datetime | None:
    """The new due date in a form, in UTC; None for an empty field. Raises FieldError if it is not a later date."""
    zone, usual = assignment.policies.zone, assignment.rules.due
    if not text.strip():
        return None
    if usual is None:
        raise FieldError("until", f"{assignment.name} has no due date to extend.")
    try:
        due = moment(read_date(text), zone)
    except (ValueError, OverflowError) as error:
        raise FieldError("until", f"The date cannot be read: {showable(str(error))}.") from error
    if due <= usual:
        found, limit = in_words(due, zone), in_words(usual, zone)
        raise FieldError("until", f"{found} is not after the usual due date, {limit}; choose a later date.")
    return due


def attempts_in(assignment: AssignmentView, text: str) -> int:
    """The number of extra attempts in a form. Raises FieldError if it cannot be read or given."""
    typed = text.strip() or "0"
    if not (typed.isascii() and typed.isdigit() and len(typed) <= 3 and int(typed) <= MAX_EXTRA_ATTEMPTS):
        found = f"{showable(typed)!r} is not a number of extra attempts"
        raise FieldError("attempts", f"{found}; write a whole number up to {MAX_EXTRA_ATTEMPTS}.")
    if int(typed) and assignment.rules.attempts is None:
        raise FieldError("attempts", f"{assignment.name} has no limit of attempts, so you cannot add any.")
    return int(typed)


def reason_in(text: str, field: str = "reason") -> str:
    """The reason in a field of a form. Raises FieldError if it is empty or too long."""
    return text_within(field, "reason", text, MAX_REASON_LENGTH, "The student sees it.")


def extension_in_words(due: datetime | None, attempts: int, zone: tzinfo) -> str:
    """For example "due 2026-12-03 23:59 CET and 2 extra attempts"."""
    parts = [] if due is None else [f"due {in_words(due, zone)}"]
    return " and ".join([*parts, count(attempts, "extra attempt")] if attempts else parts) or "nothing"
