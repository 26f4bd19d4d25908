"""Who is meant: keys and names of people, compared as people write them, and never guessed.

A key is what a platform or a university calls a person, such as a number, a login or a mail address. Systems differ in
capitals and in how they write accents, and so do people: two keys that differ in these alone are one.
"""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from grader.common.errors import InputError


def person_key(text: str) -> str:
    """Equal for keys that mean the same person: without regard to case, accents and spaces around it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text.strip()).casefold())


def person_name(text: str) -> str:
    """Equal for names that are read as the same: also for "Lovelace, Ada" and "ada  lovelace"."""
    last, comma, first = person_key(text).partition(",")
    return " ".join(f"{first} {last}".split() if comma else last.split())


class AmbiguousPersonError(InputError):
    """Several people are called so; the text names their keys."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person with every name that some list has. `label` is the one in the reports, None outside of them."""

    names: tuple[str, ...]
    key: str | None = None
    label: str | None = None

    @property
    def in_words(self) -> str:
        """Words that tell people of one name apart."""
        return f"{self.names[0]} without a key" if self.key is None else f"key {self.key}"


@dataclass(frozen=True)
class Register:
    """All people who are known: those who handed in and those whom lists name."""

    people: tuple[Person, ...]

    def named(self, name: str) -> tuple[Person, ...]:
        """All people of this name."""
        return tuple(self._by_name.get(person_name(name), ()))

    def find(self, text: str) -> Person | None:
        """The person of this label, key or name, or None. Raises AmbiguousPersonError if several are called so."""
        found = tuple(dict.fromkeys((*self._by_key.get(person_key(text), ()), *self.named(text))))
        if len(found) > 1:
            who = " and ".join(sorted(each.in_words for each in found))
            raise AmbiguousPersonError(f"{text!r} may be {len(found)} people, {who}; write the key.")
        return found[0] if found else None

    @cached_property
    def _by_key(self) -> dict[str, list[Person]]:
        """People by key and by label."""
        return _index(self.people, lambda each: (person_key(mark) for mark in (each.key, each.label) if mark))

    @cached_property
    def _by_name(self) -> dict[str, list[Person]]:
        return _index(self.people, lambda each: (person_name(name) for name in each.names if name))


def _index(people: Iterable[Person], called: Callable[[Person], Iterable[str]]) -> dict[str, list[Person]]:
    found: dict[str, list[Person]] = {}
    for each in people:
        for text in set(called(each)):
            found.setdefault(text, []).append(each)
    return found
