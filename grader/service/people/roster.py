"""The roster: the people of the course with their roles and groups. Each change is recorded in the audit trail."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.common.errors import InputError
from grader.common.record import Record
from grader.lms.intake.reading.table import table_of
from grader.protocol.text import showable
from grader.service.db.keys import folded_key, is_plain_key, is_same_key
from grader.service.db.session import Database, in_batches
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.lti import LtiAccountRow, LtiPlatformRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.errors import RefusedError

MAX_FIELD_LENGTH = 200
"""Maximum length of a name, a key and a group."""

MAX_PEOPLE = 10_000
"""Maximum number of people in a roster."""


OPEN_QUOTATION = (
    "The entry that ends in line {line} of the roster has a line break, as if a quotation mark were not closed. "
    "Close it, or remove the line break."
)


@dataclass(frozen=True, kw_only=True)
class RosterLine:
    """A line of a roster. If the role or the group is empty, a known person keeps their present one. The group `-`
    removes a person from their group.
    """

    line: int
    key: str
    name: str
    role: str
    group: str

    def role_of(self, known: PersonRow | None) -> CourseRole:
        """The role that the person has after the import."""
        if self.role:
            return CourseRole(self.role)
        return CourseRole.STUDENT if known is None else CourseRole(known.role)

    def team_of(self, known: PersonRow | None) -> str | None:
        """The group that the person has after the import."""
        if self.group == "-":
            return None
        return self.group or (None if known is None else known.team)


class RosterImport(Record):
    """Result of an import: the number of people in the file, and the numbers of people who were added, who were
    changed, and who are not in the file and were kept. All numbers are 0 if no file was imported.
    """

    listed: int = Field(default=0, ge=0, le=MAX_PEOPLE)
    added: int = Field(default=0, ge=0, le=MAX_PEOPLE)
    changed: int = Field(default=0, ge=0, le=MAX_PEOPLE)
    kept: int = Field(default=0, ge=0)

    @property
    def in_words(self) -> str:
        """For example "1 added, 1 changed, 3 not in this file and kept"."""
        return f"{self.added:,} added, {self.changed:,} changed, {self.kept:,} not in this file and kept"


def shared_names(session: Session) -> frozenset[str]:
    """Names that several people of the course share. Tables also show the keys of these people."""
    several = select(PersonRow.name).group_by(PersonRow.name).having(func.count() > 1)
    return frozenset(session.scalars(several))


def import_roster(database: Database, data: bytes, who: str, now: datetime) -> RosterImport:
    """Import a roster, which is a CSV file with the columns key and name and, optionally, role and group. Known people
    get the name, role and group of their line; empty fields leave the role and group unchanged. No person is removed.
    If a line is refused, raises RefusedError without a change. The exception is a line that becomes invalid because
    another user changes people during the import: then the batches before it have been imported.
    """
    people = _people(data)
    with database.reading() as session:
        _matched(session, people, who)
    done = in_batches(database, people, lambda session, some: _import_lines(session, some, who, now))
    added, changed = (sum(numbers) for numbers in zip(*done, strict=True))
    with database.reading() as session:  # after all changes, because another user may have added people meanwhile
        kept = _not_listed(session, people)
    taken_in = RosterImport(listed=len(people), added=added, changed=changed, kept=kept)
    with database.writing() as session:
        session.add(AuditRow(at=now, who=who, about="", what=f"took in a roster: {taken_in.in_words}"))
    return taken_in


def _not_listed(session: Session, people: Sequence[RosterLine]) -> int:
    """Number of people in the course who are not on this roster."""
    there = session.scalars(select(PersonRow.folded)).all()
    return len(there) - len({*there} & {folded_key(each.key) for each in people})


def _import_lines(session: Session, people: Sequence[RosterLine], who: str, now: datetime) -> tuple[int, int]:
    """Import some lines, and return the numbers of people who were added and changed."""
    changed, added = 0, 0
    for each, person in _matched(session, people, who):
        if person is None:
            added += 1
            team, role = each.team_of(None), each.role_of(None)
            session.add(PersonRow(key=each.key, name=each.name, role=role, team=team, created=now))
            continue
        before, after = in_words(person), _renewed(person, each)
        if before != after:
            changed += 1
            session.add(AuditRow(at=now, who=who, about=person.key, what=f"{person.key}: {before} -> {after}"))
    return added, changed


def _matched(session: Session, people: Sequence[RosterLine], who: str) -> list[tuple[RosterLine, PersonRow | None]]:
    """Each line with the person whose key it contains, or None for a new person. Raises RefusedError for a refused
    line.
    """
    known: dict[str, list[PersonRow]] = {}
    for row in session.scalars(
        select(PersonRow).where(PersonRow.folded.in_([folded_key(each.key) for each in people]))
    ):
        known.setdefault(row.folded, []).append(row)
    matched = [(each, _known(each, known)) for each in people]
    for each, person in matched:
        if person is not None and person.key == who and each.role_of(person) != person.role:
            raise RefusedError("The roster would change your own role; leave yourself out of it.")
    _require_proven(session, matched)
    return matched


def _require_proven(session: Session, matched: Sequence[tuple[RosterLine, PersonRow | None]]) -> None:
    """Raise RefusedError if a line lets a student teach whose key only a learning platform has stated. Users of some
    platforms can choose their mail address, so a student could have taken the key of a future instructor.
    """
    raised = {
        person.id: line
        for line, person in matched
        if person is not None and person.role == CourseRole.STUDENT != line.role_of(person)
    }
    unproven = select(LtiAccountRow.person_id).join(LtiPlatformRow, LtiPlatformRow.id == LtiAccountRow.platform_id)
    found = session.scalar(unproven.where(LtiAccountRow.person_id.in_(raised), LtiPlatformRow.matches == "").limit(1))
    if found is not None:
        raise RefusedError(
            f"Line {raised[found].line} of the roster lets {raised[found].key} teach, but only a learning platform has "
            "said that a student has this key. Make sure who this is, and change the role on the page People."
        )


def _known(listed: RosterLine, people: Mapping[str, Sequence[PersonRow]]) -> PersonRow | None:
    """The person with this key, ignoring case; None if the key is new. Raises RefusedError if the key only looks like
    another person's key.
    """
    alike = people.get(folded_key(listed.key), ())
    exact = [each for each in alike if each.key == listed.key]
    same = exact or [each for each in alike if is_same_key(each.key, listed.key)]
    if len(same) > 1 or (alike and not same):
        keys, one = (
            " and ".join(sorted(each.key for each in alike)),
            "this key" if len(alike) == 1 else "one of these keys",
        )
        raise RefusedError(f"Line {listed.line} of the roster: {listed.key} may be {keys}. Write {one}.")
    if not same and not is_plain_key(listed.key):
        raise RefusedError(f"Line {listed.line} of the roster: {not_plain(listed.key)}")
    return next(iter(same), None)


def not_plain(key: str) -> str:
    """Reason why a key that is not plain is refused."""
    return (
        f"the key {showable(key)} has a character that is invisible or looks like another one. Write the key as "
        f"{folded_key(key)}."
    )


def _renewed(person: PersonRow, listed: RosterLine) -> str:
    person.team, person.role, person.name = listed.team_of(person), listed.role_of(person), listed.name
    return in_words(person)


def in_words(person: PersonRow) -> str:
    """For example "Ada, student, group 7"."""
    return f"{person.name}, {person.role}" + (f", group {person.team}" if person.team else "")


def _people(data: bytes) -> list[RosterLine]:
    try:
        rows = table_of("the file", data, "a roster", ("key", "name"))
    except InputError as error:
        raise RefusedError(str(error)) from error
    for each in rows:
        if any("\n" in each.field(column) for column in ("key", "name")):
            raise RefusedError(OPEN_QUOTATION.format(line=each.line))
    found = [listed_as(each.line, each.field) for each in rows]
    for why in (*map(_fault_of, found), *_listed_twice(found)):
        if why:
            raise RefusedError(why)
    if not 0 < len(found) <= MAX_PEOPLE:
        raise RefusedError(f"The roster must list between 1 and {MAX_PEOPLE:,} people.")
    return found


def listed_as(line: int, field: Callable[[str], str]) -> RosterLine:
    """A person from the fields of a line or a form. Invisible characters are replaced, except in the key, where they
    are kept so that the key is refused.
    """
    name, role, group = (showable(field(each)).strip() for each in ("name", "role", "group"))
    return RosterLine(line=line, key=field("key").strip(), name=name, role=role, group=group)


def _listed_twice(people: list[RosterLine]) -> Iterator[str]:
    """A sentence for each line whose key is also in an earlier line, so that no line is silently lost."""
    lines: dict[str, int] = {}
    for each in people:
        first = lines.setdefault(folded_key(each.key), each.line)
        if first != each.line:
            yield f"Line {each.line} of the roster: the key {each.key} is already in line {first}. Remove one of them."


def _fault_of(listed: RosterLine) -> str:
    """Reason why a line is refused; empty if it is accepted."""
    where = f"Line {listed.line} of the roster"
    if not listed.key or not listed.name or max(map(len, (listed.key, listed.name, listed.group))) > MAX_FIELD_LENGTH:
        return f"{where} needs a key and a name. Neither they nor the group may exceed {MAX_FIELD_LENGTH} characters."
    if listed.role and listed.role not in set(CourseRole):
        return f"{where}: the role must be student, assistant or instructor, not {listed.role}."
    return ""
