"""Pseudonyms that students choose for leaderboards. A student has one for the whole course, and it must not look like
another name in the course.
"""

import unicodedata
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.service.db.session import Database
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import PersonRow, PseudonymRow
from grader.service.errors import RefusedError
from grader.service.people.lookalikes import folded_name, is_pseudonym_character

MIN_LENGTH, MAX_LENGTH = 2, 30
"""Minimum and maximum length of a pseudonym."""

TYPED_CHARACTERS = 1000
"""Number of typed characters that are read. The time to normalise a run of combining accents grows with the square of
its length.
"""

TAKEN = "This name is taken; choose another."

UNSUITABLE = "A pseudonym may contain only Latin letters, digits, blanks and - _ . ' characters; choose another."


def pseudonym_of(session: Session, person_id: int) -> str | None:
    """The pseudonym of a person; None if they have not chosen one."""
    return session.scalar(select(PseudonymRow.name).where(PseudonymRow.person_id == person_id))


def choose_pseudonym(database: Database, person_id: int, text: str) -> None:
    """Give a person this pseudonym. An empty text removes the pseudonym and takes the person off all leaderboards.
    Raises RefusedError if the name is not allowed or is taken.
    """
    name = " ".join(unicodedata.normalize("NFKC", text[:TYPED_CHARACTERS]).split())
    if name:
        with (
            database.reading() as session
        ):  # comparing the name with all names of the course takes too long for a writing transaction
            _check(session, person_id, name)
    with database.writing() as session:
        _store(session, person_id, name)


def _store(session: Session, person_id: int, name: str) -> None:
    row = _row(session, person_id)
    if not name:
        if row is not None:
            session.delete(row)
        return
    if row is None:
        session.add(PseudonymRow(person_id=person_id, name=name, folded=folded_name(name)))
    else:
        row.name, row.folded = name, folded_name(name)
    try:
        session.flush()
    except IntegrityError as error:  # another person took the name at the same moment
        raise RefusedError(TAKEN) from error


def remove_pseudonym(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """Remove an unsuitable pseudonym. Its owner may choose another."""
    row = _row(session, person.id)
    if row is not None:
        session.delete(row)
        words = f"{person.key}: takes the pseudonym {row.name} away"
        session.add(AuditRow(at=now, who=who, about=person.key, what=words))


def _row(session: Session, person_id: int) -> PseudonymRow | None:
    return session.scalar(select(PseudonymRow).where(PseudonymRow.person_id == person_id))


def _check(session: Session, person_id: int, name: str) -> None:
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise RefusedError(f"A pseudonym has {MIN_LENGTH} to {MAX_LENGTH} characters; choose another.")
    if not all(map(is_pseudonym_character, name)) or not any(map(str.isalnum, name)):
        raise RefusedError(UNSUITABLE)
    others = select(PersonRow.name, PersonRow.key, PseudonymRow.name).outerjoin(PseudonymRow)
    taken = session.execute(others.where(PersonRow.id != person_id))
    if folded_name(name) in {folded_name(each) for row in taken for each in row if each is not None}:
        raise RefusedError(TAKEN)
