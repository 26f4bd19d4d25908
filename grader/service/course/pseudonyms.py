"""Names that students choose for leaderboards: one for the whole course, unlike anybody's, none until they choose."""

import unicodedata
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.service.course.lookalikes import BESIDE_LETTERS, folded_name
from grader.service.db.models import AuditRow, PersonRow, PseudonymRow
from grader.service.db.session import Database
from grader.service.errors import RefusalError

SHORTEST, LONGEST = 2, 30
"""Characters of a pseudonym."""

TYPED = 1000
"""Characters that are read of what was typed: normalising takes time that grows with the square of a run of accents."""

LOOK_ALIKE = ("LATIN", "CYRILLIC", "GREEK")
"""Scripts of which some letters look the same: a name has letters of one of these."""

TAKEN = "This name is taken; choose another."


def pseudonym_of(session: Session, person_id: int) -> str | None:
    """The name that somebody has chosen; None if none."""
    return session.scalar(select(PseudonymRow.name).where(PseudonymRow.person_id == person_id))


def choose(database: Database, person_id: int, text: str) -> None:
    """Call somebody by this from now on; by nothing, if it is empty: then no leaderboard has them. Raises RefusalError,
    and then changes nothing.
    """
    name = " ".join(unicodedata.normalize("NFKC", text[:TYPED]).split())
    if name:
        with database.reading() as session:  # all names of the course are compared: too long for a writer
            _check(session, person_id, name)
    with database.writing() as session:
        _keep(session, person_id, name)


def _keep(session: Session, person_id: int, name: str) -> None:
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
    except IntegrityError as error:  # somebody else took it at the same moment
        raise RefusalError(TAKEN) from error


def take_away(session: Session, person: PersonRow, who: str, now: datetime) -> None:
    """End a pseudonym that should not stand there; its owner may choose another."""
    row = _row(session, person.id)
    if row is not None:
        session.delete(row)
        words = f"{person.key}: takes the pseudonym {row.name} away"
        session.add(AuditRow(at=now, who=who, about=person.key, what=words))


def _row(session: Session, person_id: int) -> PseudonymRow | None:
    return session.scalar(select(PseudonymRow).where(PseudonymRow.person_id == person_id))


def _check(session: Session, person_id: int, name: str) -> None:
    if not SHORTEST <= len(name) <= LONGEST:
        raise RefusalError(f"A pseudonym has {SHORTEST} to {LONGEST} characters; choose another.")
    if not all(each.isalnum() or each in BESIDE_LETTERS for each in name) or not any(map(str.isalnum, name)):
        raise RefusalError("A pseudonym has letters, digits, blanks and - _ . ' alone; choose another.")
    described = [unicodedata.name(each, "") for each in name]
    if any("FILLER" in each for each in described):  # Hangul's are letters that nobody sees
        raise RefusalError("A pseudonym has no letter that cannot be seen; choose another.")
    if len({each.partition(" ")[0] for each in described} & {*LOOK_ALIKE}) > 1:
        raise RefusalError("A pseudonym has the letters of one script; choose another.")
    others = select(PersonRow.name, PersonRow.key, PseudonymRow.name).outerjoin(PseudonymRow)
    taken = session.execute(others.where(PersonRow.id != person_id))
    if folded_name(name) in {folded_name(each) for row in taken for each in row if each is not None}:
        raise RefusalError(TAKEN)
