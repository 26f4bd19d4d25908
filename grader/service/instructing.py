"""What instructors change: the roster, and gradings that are made again. The audit trail has a line of each."""

from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from grader.common.errors import InputError
from grader.common.phrases import count
from grader.lms.intake.reading.table import TableRow, table_of
from grader.protocol.text import showable
from grader.service.database.tables import AttemptRow, AuditRow, CourseRole, GradingRow, PersonRow, State
from grader.service.hand_ins import FIRST, REGRADED, new_grading
from grader.service.refusing import NotDoneError, NotFoundError

LONGEST_NAME = 200
"""Characters of a name and of a key."""

PEOPLE = 10_000
"""People of a roster."""

Which = Literal["latest", "best"]


def enrol(session: Session, data: bytes, who: str, now: datetime) -> int:
    """Take in a roster: a CSV with the columns key and name and, if need be, role. Known people get their new name
    and, where one is named, their new role; nobody is removed; how many were added. Raises NotDoneError, and then
    changes nothing.
    """
    known = {person.key: person for person in session.scalars(select(PersonRow))}
    added = 0
    for key, name, stated in _people(data):
        person = known.get(key)
        role = stated or (CourseRole.STUDENT if person is None else CourseRole(person.role))
        if person is None:
            known[key] = PersonRow(key=key, name=name, role=role, created=now)
            session.add(known[key])
            added += 1
        elif (person.name, person.role) != (name, role):
            if key == who and role != person.role:
                raise NotDoneError("The roster would change your own role; leave yourself out of it.")
            session.add(_line(now, who, key, f"{key}: name and role {person.name}, {person.role} -> {name}, {role}"))
            person.name, person.role = name, role
    session.add(_line(now, who, "", f"took in a roster: {count(added, 'person')} added"))
    return added


def _people(data: bytes) -> list[tuple[str, str, CourseRole | None]]:
    """Key, name and role, which is None where the roster names none."""
    try:
        rows = table_of("the file", data, "a roster", ("key", "name"))
    except InputError as error:
        raise NotDoneError(str(error)) from error
    found = [(_cell(row, "key"), _cell(row, "name"), _cell(row, "role")) for row in rows]
    for line, (key, name, role) in zip((row.line for row in rows), found, strict=True):
        if not key or not name or max(len(key), len(name)) > LONGEST_NAME:
            raise NotDoneError(f"Line {line} of the roster needs a key and a name, of {LONGEST_NAME} letters at most.")
        if role and role not in set(CourseRole):
            raise NotDoneError(f"Line {line} of the roster: role is student or instructor, not {role}.")
    if not 0 < len(found) <= PEOPLE:
        raise NotDoneError(f"The roster must name between 1 and {PEOPLE:,} people.")
    return [(key, name, CourseRole(role) if role else None) for key, name, role in found]


def _cell(row: TableRow, name: str) -> str:
    return showable(row.field(name)).strip()


def try_again(session: Session, grading_id: int, who: str, now: datetime) -> None:
    """Grade an attempt again whose grading ended by a fault of ours."""
    grading = session.get(GradingRow, grading_id)
    if grading is None:
        raise NotFoundError
    if grading.state != State.FAULTED:
        raise NotDoneError("This grading has not failed; there is nothing to try again.")
    if not _again(session, grading.attempt, "tried again", FIRST, now):
        raise NotDoneError("This attempt is being graded already.")
    session.add(_line(now, who, grading.attempt.person.key, f"{_named(grading.attempt)}: tries again after a fault"))


def regrade(session: Session, assignment: str, which: Which, who: str, now: datetime) -> int:
    """Grade everybody's latest or best attempt at an assignment again, behind everybody who hands in; how many. The old
    result counts until the new one is there.
    """
    loaded = selectinload(AttemptRow.gradings), selectinload(AttemptRow.counted), selectinload(AttemptRow.person)
    wanted = select(AttemptRow).where(AttemptRow.assignment == assignment).options(*loaded)
    by_person: dict[int, list[AttemptRow]] = {}
    for attempt in session.scalars(wanted.order_by(AttemptRow.number)):
        by_person.setdefault(attempt.person_id, []).append(attempt)
    chosen = [each for attempts in by_person.values() if (each := _chosen(attempts, which)) is not None]
    begun = [each for each in chosen if _again(session, each, "regraded", REGRADED, now)]
    session.add(_line(now, who, "", f"{assignment}: grades {count(len(begun), f'{which} attempt')} again"))
    return len(begun)


def _chosen(attempts: list[AttemptRow], which: Which) -> AttemptRow | None:
    graded = [each for each in attempts if each.counted is not None]
    if which == "latest":
        return graded[-1] if graded else None
    return max(graded, key=lambda each: each.counted.points or 0.0 if each.counted else 0.0, default=None)


def _again(session: Session, attempt: AttemptRow, why: str, priority: int, now: datetime) -> bool:
    """Put it in the queue; False if it is there already."""
    if any(State(each.state).open for each in attempt.gradings):
        return False
    attempt.gradings.append(new_grading(why, priority, now))
    session.flush()
    return True


def _line(now: datetime, who: str, about: str, what: str) -> AuditRow:
    return AuditRow(at=now, who=who, about=about, what=what)


def _named(attempt: AttemptRow) -> str:
    return f"{attempt.person.key}, {attempt.assignment}, attempt {attempt.number}"
