"""Functions that add, change, deactivate and remove a person of the course. Each change is recorded in the audit trail.

A deactivated person cannot sign in, but keeps all attempts and grades. A person who has handed in something cannot be
removed.
"""

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from grader.common.phrases import count
from grader.service.course.groups import belongs_to
from grader.service.db.keys import folded_key, is_plain_key
from grader.service.db.tables import METADATA
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, DryRunRow
from grader.service.errors import FieldError, RefusedError, length_in_words
from grader.service.people.auth.sessions import end_all_access
from grader.service.people.personal_data import row_counts
from grader.service.people.roster import MAX_FIELD_LENGTH, RosterLine, in_words, not_plain

REMOVED_DATA = {
    "dry_runs": "dry run",
    "extensions": "extension",
    "decisions": "decision by hand",
    "mails": "mail",
    "mail_choices": "kind of mail that is switched off",
    "pseudonyms": "pseudonym",
    "lti_accounts": "account of a learning platform",
    "lti_members": "membership in a course of a learning platform",
    "lti_scores": "score for a learning platform",
    "lti_selections": "choice of assignments for a learning platform",
    "repositories": "repository",
    "sessions": "browser that is signed in",
    "api_tokens": "token",
    "passwords": "password",
    "invitations": "sign-in link",
}
"""Words for the data that are removed together with a person, by table."""


def add(session: Session, listed: RosterLine, who: str, now: datetime) -> PersonRow:
    """Add a person. Raises RefusedError if another person has the key."""
    _require_valid(listed)
    _require_free(session, listed.key, None)
    role, team = listed.role_of(None), listed.team_of(None)
    person = PersonRow(key=listed.key, name=listed.name, role=role, team=team, created=now)
    session.add(person)
    session.flush()
    session.add(AuditRow(at=now, who=who, about=person.key, what=f"added {person.key}: {in_words(person)}"))
    return person


def change(session: Session, person: PersonRow, listed: RosterLine, who: str, now: datetime) -> None:
    """Give a person this name, key, role and group. If the key changes, existing lines of the audit trail about the
    person change with it. Raises RefusedError if another person has the key, or if `who` would change their own role.
    """
    _require_valid(listed)
    if person.key == who and listed.role_of(person) != person.role:
        raise FieldError("role", "You cannot change your own role; another instructor can.")
    before, old = f"{person.key}: {in_words(person)}", person.key
    if listed.key != person.key:
        _require_free(session, listed.key, person)
    person.key, person.name = listed.key, listed.name
    person.role, person.team = listed.role_of(person), listed.team_of(None)  # an empty field removes the group
    session.execute(update(AuditRow).where(AuditRow.about == old).values(about=person.key))
    what = f"{before} -> {in_words(person)}" + (f", key {person.key}" if person.key != old else "")
    session.add(AuditRow(at=now, who=who, about=person.key, what=what))


def deactivate(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """End all access of a person until they are activated again, and delete their dry runs. Raises RefusedError if
    `who` is that person.
    """
    _require_other(person, who)
    if person.deactivated is None:
        end_all_access(session, person, who, now)
        person.deactivated = now
        session.execute(delete(DryRunRow).where(DryRunRow.person_id == person.id))
        session.add(AuditRow(at=now, who=who, about=person.key, what=f"deactivated {person.key}"))


def activate(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """Allow a person to sign in again, with a new link or in another way that the service offers."""
    if person.deactivated is not None:
        person.deactivated = None
        session.add(AuditRow(at=now, who=who, about=person.key, what=f"activated {person.key}"))


def removed_with(session: Session, person: PersonRow) -> tuple[str, ...]:
    """The data that are removed together with a person, in words, such as "1 extension"."""
    found = row_counts(session, person.id)
    return tuple(count(found[table], name) for table, name in REMOVED_DATA.items() if found[table])


def attempts_of(session: Session, person: PersonRow) -> int:
    """Number of attempts of a person and of their group. A person with attempts cannot be removed."""
    return session.scalar(select(func.count(AttemptRow.id)).where(belongs_to([person.id]))) or 0


def require_removable(session: Session, person: PersonRow, who: str) -> None:
    """Raise RefusedError if the person is `who`, or if the person or their group has attempts."""
    _require_other(person, who)
    attempts = attempts_of(session, person)
    if attempts:
        handed_in = f"{count(attempts, 'attempt')} of {person.name} {'is' if attempts == 1 else 'are'} kept"
        raise RefusedError(f"{handed_in}, so {person.name} cannot be removed. Deactivate {person.name} instead.")


def remove(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """Remove a person and the data that belong only to them. The audit trail keeps its lines. Raises RefusedError if
    the person cannot be removed.
    """
    require_removable(session, person, who)
    session.add(AuditRow(at=now, who=who, about=person.key, what=f"removed {person.key}: {in_words(person)}"))
    for table in METADATA.sorted_tables:
        if any(key.column.table is PersonRow.__table__ for key in table.foreign_keys):
            session.execute(delete(table).where(table.c.person_id == person.id))
    session.delete(person)


def _require_valid(listed: RosterLine) -> None:
    """Raise FieldError if a field is empty or too long, or if the role is unknown."""
    for field, text in (("key", listed.key), ("name", listed.name), ("group", listed.group)):
        if len(text) > MAX_FIELD_LENGTH or (not text and field != "group"):
            raise FieldError(field, length_in_words(field, text, MAX_FIELD_LENGTH))
    if listed.role and listed.role not in set(CourseRole):
        raise FieldError("role", f"The role must be student, assistant or instructor, not {listed.role}.")


def _require_free(session: Session, key: str, person: PersonRow | None) -> None:
    """Raise FieldError if the key looks like the key of another person."""
    if not is_plain_key(key):
        raise FieldError("key", f"The form: {not_plain(key)}")
    for each in session.scalars(select(PersonRow).where(PersonRow.folded == folded_key(key))):
        if each is not person:
            raise FieldError("key", f"The key {key} belongs to {each.name} ({each.key}).")


def _require_other(person: PersonRow, who: str) -> None:
    if person.key == who:
        raise RefusedError("You cannot do this to yourself; another instructor can.")
