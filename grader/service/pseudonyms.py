"""Names that students choose for leaderboards: one for the whole course, unlike anybody's, none until they choose."""

import unicodedata
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.service.database.tables import AuditRow, PersonRow, PseudonymRow
from grader.service.refusing import NotDoneError

SHORTEST, LONGEST = 2, 30
"""Characters of a pseudonym."""

BESIDE_LETTERS = frozenset(" -_.'")
"""Characters that it may have beside letters and digits."""

LOOK_ALIKE = ("LATIN", "CYRILLIC", "GREEK")
"""Scripts of which some letters look the same: a name has letters of one of these."""

TAKEN = "This name is taken; choose another."


def pseudonym_of(session: Session, person_id: int) -> str | None:
    """The name that somebody has chosen; None if none."""
    return session.scalar(select(PseudonymRow.name).where(PseudonymRow.person_id == person_id))


def choose(session: Session, person_id: int, text: str) -> None:
    """Call somebody by this from now on; by nothing, if it is empty: then no leaderboard has them. Raises NotDoneError,
    and then changes nothing.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    row = _row(session, person_id)
    if not name:
        if row is not None:
            session.delete(row)
        return
    _check(session, person_id, name)
    if row is None:
        session.add(PseudonymRow(person_id=person_id, name=name, folded=_folded(name)))
    else:
        row.name, row.folded = name, _folded(name)
    try:
        session.flush()
    except IntegrityError as error:  # somebody else took it at the same moment
        raise NotDoneError(TAKEN) from error


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
        raise NotDoneError(f"A pseudonym has {SHORTEST} to {LONGEST} characters; choose another.")
    if not all(each.isalnum() or each in BESIDE_LETTERS for each in name) or not any(map(str.isalnum, name)):
        raise NotDoneError("A pseudonym has letters, digits, blanks and - _ . ' alone; choose another.")
    described = [unicodedata.name(each, "") for each in name]
    if any("FILLER" in each for each in described):  # Hangul's are letters that nobody sees
        raise NotDoneError("A pseudonym has no letter that cannot be seen; choose another.")
    if len({each.partition(" ")[0] for each in described} & {*LOOK_ALIKE}) > 1:
        raise NotDoneError("A pseudonym has the letters of one script; choose another.")
    others = select(PersonRow.name, PersonRow.key).where(PersonRow.id != person_id)
    real = {_folded(each) for row in session.execute(others) for each in row}
    chosen = select(PseudonymRow.person_id).where(PseudonymRow.folded == _folded(name))
    if _folded(name) in real or session.scalar(chosen) not in {None, person_id}:
        raise NotDoneError(TAKEN)


def _folded(name: str) -> str:
    """The same for names that look alike but for the case, and for what stands between letters."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in folded if each not in BESIDE_LETTERS)
