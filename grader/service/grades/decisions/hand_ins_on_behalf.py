"""Files that an instructor hands in on behalf of a student. Each is recorded in the audit trail.

Dates and attempt limits do not apply. The attempt belongs to the student, and counts as received at the stated time. No
other attempt supersedes it.
"""

from dataclasses import dataclass
from datetime import datetime, tzinfo

from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.course.policies.rules import in_words, moment, read_date
from grader.protocol.text import showable
from grader.service.course.groups import history_of, team_at
from grader.service.course.limits import HandInRules, is_late
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow
from grader.service.errors import FieldError, RefusedError
from grader.service.grades.decisions.extensions import reason_in
from grader.service.submissions.accept import (
    HandInRequest,
    is_repeated,
    previous_of,
    require_usable,
    slot_after,
    store,
)


@dataclass(frozen=True, kw_only=True)
class HandInFor:
    """The instructor who hands in for a student, the reason, and the stated time of arrival."""

    who: str
    reason: str
    arrived: datetime


def arrived_in(text: str, zone: tzinfo, now: datetime) -> datetime:
    """The time of arrival in a form; now if it is empty. Raises FieldError if it cannot be read or is in the future."""
    if not text.strip():
        return now
    try:
        arrived = moment(read_date(text), zone)
    except (ValueError, OverflowError) as error:
        raise FieldError("arrived", f"The time of arrival cannot be read: {showable(str(error))}.") from error
    if arrived > now:
        found, limit = in_words(arrived, zone), in_words(now, zone)
        raise FieldError("arrived", f"The time of arrival, {found}, is in the future; it is now {limit}.")
    return arrived


def require_student(person: PersonRow) -> None:
    """Raise RefusedError if the person is not a student."""
    if person.role != CourseRole.STUDENT:
        raise RefusedError(
            f"{person.name} is not a student. Instructors and assistants hand in on the assignment's page."
        )


def enter(session: Session, offer: HandInRequest, entry: HandInFor, rules: HandInRules, now: datetime) -> AttemptRow:
    """Store an attempt of a student and put it in the queue. It does not supersede other attempts. If a form is sent
    twice with the same file, only one attempt is stored. Raises RefusedError without a change if the file is refused.
    """
    person = session.get_one(PersonRow, offer.person_id)
    require_student(person)
    previous = previous_of(session, offer)
    if previous is not None and is_repeated(previous, offer):
        return previous
    reason = reason_in(entry.reason)
    if rules.gone:
        raise RefusedError("This assignment is no longer part of the course, so nothing can be graded.")
    require_usable(offer.data)
    team = team_at(session, rules.policies, offer.person_id)
    if len(team) > rules.policies.groups:
        most = count(rules.policies.groups, "member")
        raise RefusedError(f"The group has {len(team)} members, and this assignment allows {most}; change the group.")
    attempts = history_of(session, team, offer.assignment)
    attempt = store(session, offer, slot_after(attempts, previous, team), rules, now)
    attempt.received, attempt.late = entry.arrived, is_late(rules, entry.arrived)
    attempt.entered, attempt.entered_by, attempt.entered_reason = now, entry.who, reason
    arrival = in_words(entry.arrived, rules.dates.zone)
    what = f"{attempt.in_words}: handed in for {person.key}, arrived {arrival}"
    session.add(AuditRow(at=now, who=entry.who, about=person.key, what=f"{what}; reason: {reason}"))
    return attempt
