"""What single students have beyond the others: a later due date or more attempts, which instructors give."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.common.record import Record
from grader.course.policies.rules import LateRule, in_words, moment, read_date
from grader.protocol.text import showable
from grader.service.courses import Shown
from grader.service.database.tables import AuditRow, CourseRole, ExtensionRow, PersonRow
from grader.service.policy import TRIAL, HandInRules
from grader.service.refusing import NotDoneError
from grader.service.settling import extension_in, grades_of
from grader.service.teams import team_at

MOST = 100
"""Attempts that can be given to a student at an assignment."""

LONGEST_REASON = 500
"""Characters."""

OWN_EXTENSION = select(ExtensionRow).where(
    ExtensionRow.person_id == bindparam("person"), ExtensionRow.assignment == bindparam("assignment")
)
"""What a person has at an assignment; built once, as each page of a student asks."""


class AskedExtension(Record):
    """What a form says, as it was typed, and who sends it; without a date and attempts, what the student had is taken
    back.
    """

    who: str
    until: str
    attempts: str
    reason: str


def rules_for(session: Session, assignment: Shown, person_id: int) -> HandInRules:
    """The rules of an assignment for this person, as they are now, but for late days: an extension of one member holds
    for a group. Whoever teaches makes trial runs, which have none.
    """
    if session.get_one(PersonRow, person_id).role != CourseRole.STUDENT:
        return TRIAL
    team = team_at(session, assignment.policies, person_id)
    wanted = select(ExtensionRow).where(ExtensionRow.person_id.in_(team), ExtensionRow.assignment == assignment.name)
    return assignment.rules_for(*map(extension_in, session.scalars(wanted)))


def hand_in_rules(session: Session, assignments: Sequence[Shown], name: str, person_id: int) -> HandInRules:
    """The same with the late days that are spent elsewhere, by which late work is refused; `assignments` are all."""
    assignment = next(each for each in assignments if each.name == name)
    rules = rules_for(session, assignment, person_id)
    if rules is TRIAL or not isinstance(assignment.policies.late, LateRule):
        return rules
    return grades_of(session, assignments, person_id)[name].rules


def extension_of(session: Session, assignment: str, person_id: int) -> ExtensionRow | None:
    """What this person has at this assignment."""
    found: ExtensionRow | None = session.scalar(OWN_EXTENSION, {"person": person_id, "assignment": assignment})
    return found


def extend(session: Session, assignment: Shown, person: PersonRow, asked: AskedExtension, now: datetime) -> None:
    """Give somebody this in place of what they had at the assignment; it holds at once, also for what was handed in
    before. Raises NotDoneError, and then changes nothing.
    """
    due, attempts, reason = _due(assignment, asked.until), _attempts(assignment, asked.attempts), _reason(asked.reason)
    row = extension_of(session, assignment.name, person.id)
    who = asked.who
    before = "nothing" if row is None else _in_words(assignment, row.due, row.attempts)
    if due is None and not attempts:
        if row is None:
            raise NotDoneError("This extends nothing: choose a later date, or say how many attempts more.")
        session.delete(row)
    elif row is None:
        values = {"due": due, "attempts": attempts, "reason": reason, "who": who, "at": now}
        session.add(ExtensionRow(person_id=person.id, assignment=assignment.name, **values))
    else:
        row.due, row.attempts, row.reason, row.who, row.at = due, attempts, reason, who, now
    after = _in_words(assignment, due, attempts)
    what = f"{person.key}, {assignment.name}: extension {before} -> {after}; reason: {reason}"
    session.add(AuditRow(at=now, who=who, about=person.key, what=what))


def _due(assignment: Shown, text: str) -> datetime | None:
    """The new due date, which is after everybody's, in UTC."""
    zone, usual = assignment.policies.zone, assignment.rules.due
    if not text.strip():
        return None
    if usual is None:
        raise NotDoneError(f"{assignment.name} has no due date, so there is none to extend.")
    try:
        due = moment(read_date(text), zone)
    except (ValueError, OverflowError) as error:
        raise NotDoneError(f"The date cannot be read: {showable(str(error))}.") from error
    if due <= usual:
        raise NotDoneError(f"The date is not after everybody's due date, {in_words(usual, zone)}; choose a later one.")
    return due


def _attempts(assignment: Shown, text: str) -> int:
    typed = text.strip() or "0"
    if not (typed.isascii() and typed.isdigit() and len(typed) <= 3 and int(typed) <= MOST):
        raise NotDoneError(f"The attempts must be a number up to {MOST}: how many more the student has.")
    if int(typed) and assignment.rules.attempts is None:
        raise NotDoneError(f"{assignment.name} has no limit of attempts, so there are none to add.")
    return int(typed)


def _reason(text: str) -> str:
    reason = showable(text).strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise NotDoneError(f"Give a reason, of {LONGEST_REASON} letters at most; the student sees it.")
    return reason


def _in_words(assignment: Shown, due: datetime | None, attempts: int) -> str:
    """For example "due 2026-12-03 23:59 CET and 2 attempts more"."""
    parts = [] if due is None else [f"due {in_words(due, assignment.policies.zone)}"]
    return " and ".join([*parts, f"{count(attempts, 'attempt')} more"] if attempts else parts) or "nothing"
