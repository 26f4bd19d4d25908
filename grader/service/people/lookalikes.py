"""Detection of names that look alike. It uses the Unicode names of Latin letters and the confusables of Unicode
Technical Standard 39, and compares each letter in both cases.
"""

import re
import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data

PSEUDONYM_PUNCTUATION = frozenset(" -_.'")
"""Characters that a pseudonym may contain besides letters and digits."""

MARKED_LETTER = re.compile("LATIN (?:CAPITAL|SMALL) LETTER ([A-Z]) WITH ")
"""Pattern of the Unicode name of a letter from A to Z with an accent, a stroke, a hook or another mark."""

OTHER_LETTERS = {"æ": "ae", "ð": "d", "ə": "e", "ı": "i", "ŋ": "n", "œ": "oe", "ß": "ss", "þ": "p"}  # noqa: RUF001 - dotless i is meant
"""Further letters of Latin alphabets, and the letters from A to Z that replace them in comparisons."""

DIGITS = str.maketrans("0123456789", "olzeasgtbq")
"""Letters that replace digits in comparisons, a different one for each digit."""


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
