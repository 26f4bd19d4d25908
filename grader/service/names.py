"""Names of people in tables: in the order that people expect, and found by words without accents."""

import re
import unicodedata
from functools import cache

PLAIN = re.compile(r"LATIN SMALL (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?")
"""Unicode's name of a letter that is written by one or two plain letters, such as ł, ø, æ and œ."""


def sort_key(name: str) -> str:
    """Form of a name by which names are sorted: without case and accents, so that Łukasz stands beside Lukas."""
    return "".join(map(_plain, unicodedata.normalize("NFKD", name).casefold()))


def has_words(text: str, words: str) -> bool:
    """True if a text contains each of these words, whatever their case and accents."""
    searched = sort_key(text)
    return all(each in searched for each in sort_key(words).split())


@cache
def _plain(letter: str) -> str:
    """The letter without an accent or a stroke; nothing for an accent that stands alone."""
    if unicodedata.combining(letter):
        return ""
    found = PLAIN.fullmatch(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter
