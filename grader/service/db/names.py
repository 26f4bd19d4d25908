"""Sorting and searching of people's names, ignoring case and accents."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from grader.common.people import plain, sort_key


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
    searched = plain(text)
    return all(each in searched for each in plain(words).split())
