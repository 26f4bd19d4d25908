"""Names of people in tables: sorted as people expect, and found without accents."""

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
    """People in the order of their names."""
    return sorted(people, key=lambda each: sort_key(each.name))


def has_words(text: str, words: str) -> bool:
    """True if a text contains each of these words, in any case and with any accents."""
    searched = plain(text)
    return all(each in searched for each in plain(words).split())
