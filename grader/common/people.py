"""Keys and names of people. They are compared without regard to differences in spelling, but never by guessing.

A key identifies a person on a platform or at a university, such as a number, a login or a mail address. Systems and
people write the same key with different capitals and different encodings of accents, so keys that differ only in these
are equal.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from typing import Protocol, TypeVar

from grader.common.errors import InputError

KEY_CHARACTERS = 1000
"""Number of characters of a key that are compared. The time for normalising grows with the square of a run of
accents.
"""


def person_key(text: str) -> str:
    """Return a normalised form of a key, which is equal for the same person. It ignores case, the encoding of accents,
    and spaces around the key.

    Only the first KEY_CHARACTERS characters count.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text.strip()[:KEY_CHARACTERS]).casefold())


PLAIN_LETTER = re.compile(r"LATIN SMALL (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?")
"""Unicode's name of a letter that is written by one or two plain letters, such as ł, ø, æ and œ."""

TEXT_AND_NUMBER = re.compile(r"(\D*)(\d*)")


def plain(name: str) -> str:
    """Return a name without case and accents.

    Only the first KEY_CHARACTERS count.
    """
    return "".join(map(_plain, unicodedata.normalize("NFKD", name[:KEY_CHARACTERS]).casefold()))


@cache
def _plain(letter: str) -> str:
    """The letter without an accent or a stroke; empty for a combining accent."""
    if unicodedata.combining(letter):
        return ""
    found = PLAIN_LETTER.fullmatch(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter


SortKey = tuple[tuple[tuple[str, int], ...], str]
"""Key by which people are sorted."""


SORT_KEYS = 8192
"""Number of recent names whose keys are kept. A course sorts the same names for each assignment."""


@lru_cache(SORT_KEYS)
def sort_key(name: str) -> SortKey:
    """Return the key by which people are sorted: without case and accents, so that Łukasz comes next to Lukas, and
    with digits as numbers, so that "Group 10" comes after "Group 2".
    """
    pieces = TEXT_AND_NUMBER.findall(plain(name))
    return tuple((text, int(digits) if digits else -1) for text, digits in pieces), name


class Named(Protocol):
    """A person with a name."""

    @property
    def name(self) -> str:
        """The displayed name."""


SomeNamed = TypeVar("SomeNamed", bound=Named)


def by_name(people: Iterable[SomeNamed]) -> list[SomeNamed]:
    """Sort people by name."""
    return sorted(people, key=lambda each: sort_key(each.name))


def has_words(text: str, words: str) -> bool:
    """True if a text contains each of these words, ignoring case and accents."""
    searched = plain(text)
    return all(each in searched for each in plain(words).split())


def similar_person(text: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to a text, ignoring case and accents, or None if none is similar. A name
    that contains the words of the text, such as the first name, comes before a name with a similar spelling.
    """
    by_spelling = {plain(name): name for name in sorted(names)}
    containing = [each for each in by_spelling if text.strip() and has_words(each, text)]
    near = get_close_matches(plain(text), containing or by_spelling, n=1, cutoff=0.0 if containing else 0.4)
    return by_spelling[near[0]] if near else None


def person_name(text: str) -> str:
    """Return a normalised form of a name, which is equal for "Lovelace, Ada" and "ada  lovelace"."""
    last, comma, first = person_key(text).partition(",")
    return " ".join(f"{first} {last}".split() if comma else last.split())


class AmbiguousPersonError(InputError):
    """Several people have this name. The message lists their keys."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person with all their names from the lists. `label` is their name in the reports, or None if they have no
    reports.
    """

    names: tuple[str, ...]
    key: str | None = None
    label: str | None = None

    @property
    def in_words(self) -> str:
        """Words that distinguish people with the same name."""
        return f"{self.names[0]} without a key" if self.key is None else f"key {self.key}"


@dataclass(frozen=True)
class Register:
    """All known people: those who have handed in work, and those in the lists."""

    people: tuple[Person, ...]

    def named(self, name: str) -> tuple[Person, ...]:
        """Return all people with this name."""
        return tuple(self._by_name.get(person_name(name), ()))

    def find(self, text: str) -> Person | None:
        """Return the person with this key, or else the person with this label or name, or else None. Raises
        AmbiguousPersonError if several people match. Keys take precedence, because people choose their names but not
        their keys.
        """
        key = person_key(text)
        called = (*self._by_label.get(key, ()), *self.named(text))
        found = tuple(dict.fromkeys(self._by_key.get(key) or called))
        if len(found) > 1:
            who = " and ".join(sorted(each.in_words for each in found))
            raise AmbiguousPersonError(f"{text!r} may be {len(found)} people, {who}; write the key.")
        return found[0] if found else None

    @cached_property
    def _by_key(self) -> dict[str, list[Person]]:
        return _index(self.people, lambda each: [person_key(each.key)] if each.key else [])

    @cached_property
    def _by_label(self) -> dict[str, list[Person]]:
        return _index(self.people, lambda each: [person_key(each.label)] if each.label else [])

    @cached_property
    def _by_name(self) -> dict[str, list[Person]]:
        return _index(self.people, lambda each: (person_name(name) for name in each.names if name))


def _index(people: Iterable[Person], called: Callable[[Person], Iterable[str]]) -> dict[str, list[Person]]:
    found: dict[str, list[Person]] = {}
    for each in people:
        for text in set(called(each)):
            found.setdefault(text, []).append(each)
    return found
