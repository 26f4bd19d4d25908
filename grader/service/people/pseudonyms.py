"""Pseudonyms that students choose for leaderboards. A student has one for the whole course, and it must not look like
another name in the course.

Names are compared by the Unicode names of Latin letters and the confusables of Unicode Technical Standard 39, each
letter in both cases.
"""

import re
import unicodedata
from datetime import datetime
from functools import cache

from confusable_homoglyphs.confusables import confusables_data
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.service.db.session import Database
from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import PersonRow, PseudonymRow
from grader.service.errors import RefusedError

PSEUDONYM_PUNCTUATION = frozenset(" -_.'")
"""Characters that a pseudonym may contain besides letters and digits."""

MARKED_LETTER = re.compile("LATIN (?:CAPITAL|SMALL) LETTER ([A-Z]) WITH ")
"""Pattern of the Unicode name of a letter from A to Z with an accent, a stroke, a hook or another mark."""

OTHER_LETTERS = {"æ": "ae", "ð": "d", "ə": "e", "ı": "i", "ŋ": "n", "œ": "oe", "ß": "ss", "þ": "p"}  # noqa: RUF001 - dotless i is meant
"""Further letters of Latin alphabets, and the letters from A to Z that replace them in comparisons."""

DIGITS = str.maketrans("0123456789", "olzeasgtbq")
"""Letters that replace digits in comparisons, a different one for each digit."""

MIN_LENGTH, MAX_LENGTH = 2, 30
"""Minimum and maximum length of a pseudonym."""

TYPED_CHARACTERS = 1000
"""Number of typed characters that are read. The time to normalise a run of combining accents grows with the square of
its length.
"""

TAKEN = "This name is taken; choose another."

UNSUITABLE = "A pseudonym may contain only Latin letters, digits, blanks and - _ . ' characters; choose another."


def is_pseudonym_character(character: str) -> bool:
    """True for a Latin letter, with or without a mark, for a digit, and for a character of PSEUDONYM_PUNCTUATION."""
    plain = plain_letter(character)
    return character in PSEUDONYM_PUNCTUATION or (plain.isascii() and plain.isalnum())


@cache
def plain_letter(letter: str) -> str:
    """The letter or letters from A to Z, in lower case, that replace a marked or other Latin letter in comparisons. Any
    other character is returned unchanged.
    """
    marked = MARKED_LETTER.match(unicodedata.name(letter, ""))
    return marked[1].lower() if marked else OTHER_LETTERS.get(letter.lower(), letter)


def folded_name(name: str) -> str:
    """Form of a name that is equal for names that look alike. It ignores marks, and punctuation between letters."""
    return skeleton("".join(each for each in unicodedata.normalize("NFKC", name) if each not in PSEUDONYM_PUNCTUATION))


def skeleton(name: str) -> str:
    """Form of a name that is equal for names that look alike, even if only one of them has marks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    plain = "".join(map(plain_letter, folded))
    shapes = "".join(map(_shape, unicodedata.normalize("NFD", plain)))
    letters = (each for each in unicodedata.normalize("NFD", shapes) if not unicodedata.combining(each))
    return "".join(letters).translate(DIGITS).replace("vv", "w")


@cache
def _shape(letter: str) -> str:
    """The letter that this letter is confused with. If its capital looks like another letter, the capital decides."""
    capital = letter.upper()
    seen = _prototype(capital)
    return _prototype(letter) if seen == capital else _prototype(seen.casefold())


def _prototype(letter: str) -> str:
    """The prototype of a letter: the letter or letters that it is confused with, or itself if it is the prototype.

    The table lists both directions of each pair. A character with several lookalikes is a prototype. If two characters
    look only like each other, the longer one or, at equal length, the one with the lower code point is the prototype.
    """
    alike: list[str] = [each["c"] for each in confusables_data.get(letter, ())]
    if len(alike) != 1:
        return letter
    (other,) = alike
    if len(confusables_data[other]) > 1:
        return other
    return max(letter, other, key=lambda each: (len(each), [-ord(one) for one in each]))


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
