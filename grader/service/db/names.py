"""Sorting and searching of people's names, ignoring case and accents."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Protocol, TypeVar

from grader.common.people import KEY_CHARACTERS

PLAIN_LETTER = re.compile(r"LATIN SMALL (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?")
"""Pattern of the Unicode name of a letter that can be replaced by one or two plain letters, such as ł, ø, æ and œ."""


def sort_key(name: str) -> str:
    """Sort key of a name. It ignores case and accents, so that Łukasz is sorted next to Lukas.

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
    """Sort people by name."""
    return sorted(people, key=lambda each: sort_key(each.name))


def has_words(text: str, words: str) -> bool:
    """True if a text contains each of these words, ignoring case and accents."""
    searched = sort_key(text)
    return all(each in searched for each in sort_key(words).split())


@cache
def _plain(letter: str) -> str:
    """The letter without an accent or a stroke; empty for a combining accent."""
    if unicodedata.combining(letter):
        return ""
    found = PLAIN_LETTER.fullmatch(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter
