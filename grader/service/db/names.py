"""Names of people in tables: sorted as people expect, and found without accents."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Protocol, TypeVar

from grader.common.people import KEY_CHARACTERS

PLAIN_LETTER = re.compile(r"LATIN SMALL (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?")
"""Unicode's name of a letter that is written by one or two plain letters, such as ł, ø, æ and œ."""


def sort_key(name: str) -> str:
    """Form of a name by which names are sorted: without case and accents, so that Łukasz comes next to Lukas.

    Only the first KEY_CHARACTERS count.
    """
    return "".join(map(_plain, unicodedata.normalize("NFKD", name[:KEY_CHARACTERS]).casefold()))


class Named(Protocol):
    """A person with a name."""

    @property
    def name(self) -> str:
        """The displayed name."""


Person = TypeVar("Person", bound=Named)


def by_name(people: Iterable[Person]) -> list[Person]:
    """People in the order of their names."""
    return sorted(people, key=lambda each: sort_key(each.name))


def has_words(text: str, words: str) -> bool:
    """True if a text contains each of these words, in any case and with any accents."""
    searched = sort_key(text)
    return all(each in searched for each in sort_key(words).split())


@cache
def _plain(letter: str) -> str:
    """The letter without an accent or a stroke; empty for a combining accent."""
    if unicodedata.combining(letter):
        return ""
    found = PLAIN_LETTER.fullmatch(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter
