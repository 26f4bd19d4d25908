"""Accounts of people at learning platforms, and their memberships in connected courses.

An account belongs to a registration. A platform's mail addresses may be changed by its users, so an account is joined
with a person who is already in the course only by a claim that the operator trusts. It is never joined if one of the
two teaches and the other does not, or if only the person here is an instructor.

Only roles in the platform's course count. Roles in the institution do not, because a professor may be a student in
another professor's course.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.protocol.text import showable
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiAccountRow, LtiContextRow, LtiMemberRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import FieldError, RefusedError
from grader.service.people.auth.sessions import person_named
from grader.service.people.members import activate, add
from grader.service.people.roster import MAX_FIELD_LENGTH, RosterLine

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"

NAMES = {
    "Instructor": CourseRole.INSTRUCTOR,
    "Administrator": CourseRole.INSTRUCTOR,
    "Learner": CourseRole.STUDENT,
}
"""Roles in the course. Others, such as Mentor and ContentDeveloper, may not enter."""

MAX_SUB_LENGTH = 255
"""Maximum length of the name of an account, as in the specification."""


def role_of(stated: Collection[str]) -> CourseRole | None:
    """The highest role among those that a platform states, or None if none of them may enter. Platforms also state the
    role Instructor for an assistant, so the role of an assistant comes first.
    """
    if ASSISTANT in stated or "TeachingAssistant" in stated:
        return CourseRole.ASSISTANT
    found = {NAMES.get(each.removeprefix(MEMBERSHIP)) for each in stated}
    return next((each for each in (CourseRole.INSTRUCTOR, CourseRole.STUDENT) if each in found), None)


@dataclass(frozen=True, kw_only=True)
class StatedPerson:
    """A member of a platform's course, as the platform describes them. `keys` contains the claims that may contain the
    key of the person (registrations.Match).
    """

    sub: str
    role: CourseRole
    name: str
    keys: Mapping[str, str]


def enrol(session: Session, context: LtiContextRow, stated: StatedPerson, now: datetime) -> PersonRow:
    """The person with this account, who is a member of the course from now on. A new person is added. Raises
    RefusedError if the account cannot be linked to a person.
    """
    if not 0 < len(stated.sub) <= MAX_SUB_LENGTH or not stated.sub.isprintable():
        raise RefusedError("Your platform does not say who you are (the claim sub).")
    account = session.scalar(select(LtiAccountRow).filter_by(platform_id=context.platform_id, sub=stated.sub))
    if account is None:
        person = _joined(session, context, stated, now)
        account = LtiAccountRow(platform_id=context.platform_id, person_id=person.id, sub=stated.sub, role=stated.role)
        session.add(account)
        session.flush()
    else:
        _follow(session, context, account, stated, now)
    _note_member(session, context, account.person_id)
    return session.get_one(PersonRow, account.person_id)


def _joined(session: Session, context: LtiContextRow, stated: StatedPerson, now: datetime) -> PersonRow:
    """The person to whom a new account is linked, or a new person."""
    matches = context.platform.matches
    key = stated.keys.get(matches, "") if matches else next(filter(None, stated.keys.values()), stated.sub)
    if not key:
        raise RefusedError(
            f"{context.platform.name} does not send your {matches}, by which this service knows you. Your platform's "
            "administrator can allow this in the privacy settings of the tool."
        )
    known = person_named(session, {key})
    if known is not None:
        _require_joinable(session, context, known, stated)
        session.add(
            AuditRow(at=now, who=context.platform.name, about=known.key, what=f"joined {known.key} ({stated.sub})")
        )
        return known
    name = (" ".join(showable(stated.name).split()) or showable(key))[:MAX_FIELD_LENGTH]
    line = RosterLine(line=1, key=key, name=name, role=stated.role, group="")
    try:
        person = add(session, line, context.platform.name, now)
    except FieldError as error:
        raise RefusedError(f"{context.platform.name} calls you {showable(key)[:200]}. {error}") from error
    session.flush()
    return person


def _require_joinable(session: Session, context: LtiContextRow, known: PersonRow, stated: StatedPerson) -> None:
    if not context.platform.matches:
        raise RefusedError(
            f"The key {known.key} is already in this course, and this service does not know whether it is yours. Ask "
            "the operator to choose the claim that proves it (`grader lti add --match`)."
        )
    outranks = known.role == CourseRole.INSTRUCTOR != stated.role
    if outranks or (known.role == CourseRole.STUDENT) != (stated.role == CourseRole.STUDENT):
        raise RefusedError(
            f"{known.key} is {_with_article(known.role)} here, but {_with_article(stated.role)} in "
            f"{context.title}. Ask an instructor to change the role on the page People."
        )
    taken = session.scalar(select(LtiAccountRow).filter_by(platform_id=context.platform_id, person_id=known.id))
    if taken is not None:
        raise RefusedError(f"The key {known.key} already belongs to another account of {context.platform.name}.")


def _with_article(role: str) -> str:
    return f"a {role}" if role == CourseRole.STUDENT else f"an {role}"


def _follow(
    session: Session, context: LtiContextRow, account: LtiAccountRow, stated: StatedPerson, now: datetime
) -> None:
    """Change the role if it has changed at the platform, and activate a person who has returned. A role that an
    instructor has changed here stays until it changes at the platform.
    """
    person, who = account.person, context.platform.name
    if account.departed is not None:
        account.departed = None
        activate(session, person, who, now)
    if account.role != stated.role:
        account.role = stated.role
        if person.role != stated.role and not is_last_instructor(session, person):
            session.add(
                AuditRow(at=now, who=who, about=person.key, what=f"{person.key}: {person.role} -> {stated.role}")
            )
            person.role = stated.role


def is_last_instructor(session: Session, person: PersonRow) -> bool:
    """True if the course would have no instructor without this person."""
    if person.role != CourseRole.INSTRUCTOR:
        return False
    others = PersonRow.role == CourseRole.INSTRUCTOR, PersonRow.deactivated.is_(None), PersonRow.id != person.id
    return not session.scalar(select(func.count(PersonRow.id)).where(*others))


def _note_member(session: Session, context: LtiContextRow, person_id: int) -> None:
    row = session.scalar(select(LtiMemberRow).filter_by(context_id=context.id, person_id=person_id))
    if row is None:
        session.add(LtiMemberRow(context_id=context.id, person_id=person_id))
        session.flush()
    else:
        row.left = None
