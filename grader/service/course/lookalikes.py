"""Names that look alike: by the names that Unicode gives to Latin letters, and by the confusables of its Technical
Standard 39, with each letter in both cases.
"""

import re
import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data

PSEUDONYM_PUNCTUATION = frozenset(" -_.'")
"""Characters that a pseudonym may have besides letters and digits."""

MARKED_LETTER = re.compile("LATIN (?:CAPITAL|SMALL) LETTER ([A-Z]) WITH ")
"""Unicode's name of a letter from A to Z with an accent, a stroke, a hook or another mark."""

OTHER_LETTERS = {"æ": "ae", "ð": "d", "ə": "e", "ı": "i", "ŋ": "n", "œ": "oe", "ß": "ss", "þ": "p"}  # noqa: RUF001 - dotless i is meant
"""Further letters of Latin alphabets, and the letters from A to Z that they are compared as."""

DIGITS = str.maketrans("0123456789", "olzeasgtbq")
"""Letters that digits are compared as, a different one for each digit."""


def is_pseudonym_character(character: str) -> bool:
    """True for a Latin letter, also one with a mark, for a digit, and for PSEUDONYM_PUNCTUATION."""
    plain = plain_letter(character)
    return character in PSEUDONYM_PUNCTUATION or (plain.isascii() and plain.isalnum())


@cache
def plain_letter(letter: str) -> str:
    """The letter or letters from A to Z, in lower case, that a marked or other Latin letter is compared as; any other
    character itself.
    """
    marked = MARKED_LETTER.match(unicodedata.name(letter, ""))
    return marked[1].lower() if marked else OTHER_LETTERS.get(letter.lower(), letter)


def folded_name(name: str) -> str:
    """Form of a name that is equal for names that look alike; marks and characters between letters do not matter."""
    return skeleton("".join(each for each in unicodedata.normalize("NFKC", name) if each not in PSEUDONYM_PUNCTUATION))


def skeleton(name: str) -> str:
    """Form of a name that is equal for names that look alike, also if only one of them has marks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    plain = "".join(map(plain_letter, folded))
    shapes = "".join(map(_shape, unicodedata.normalize("NFD", plain)))
    letters = (each for each in unicodedata.normalize("NFD", shapes) if not unicodedata.combining(each))
    return "".join(letters).translate(DIGITS).replace("vv", "w")


@cache
def _shape(letter: str) -> str:
    """The letter that a letter looks like: by its capital if that looks like another letter, else by itself."""
    capital = letter.upper()
    seen = _prototype(capital)
    return _prototype(letter) if seen == capital else _prototype(seen.casefold())


def _prototype(letter: str) -> str:
    """The prototype of a letter: the letter or letters that it is confused with, or itself if it is the prototype.

    The table lists both directions. A prototype has several letters that look like it; of a pair, the longer or lower
    one is the prototype.
    """
    alike: list[str] = [each["c"] for each in confusables_data.get(letter, ())]
    if len(alike) != 1:
        return letter
    (other,) = alike
    if len(confusables_data[other]) > 1:
        return other
    return max(letter, other, key=lambda each: (len(each), [-ord(one) for one in each]))
