"""Errors in fields of assignment.yaml, with the path of the field. loading.py finds its line."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic_core import PydanticCustomError

from grader.common.errors import InputError

Item = TypeVar("Item")


def placed(field: str, items: Sequence[Item]) -> dict[str, Item]:
    """Return the items of a list in the file by their paths, such as `launches.0`."""
    return {f"{field}.{number}": item for number, item in enumerate(items)}


@dataclass(frozen=True)
class Contradiction:
    """A field whose value cannot be used, and the reason."""

    place: str
    """Path of the field, such as `buffers.x.shape`."""

    words: str
    """The reason and the next step, without a full stop."""


class InvalidFieldError(InputError):
    """An error in the field with this path."""

    def __init__(self, place: str, words: str) -> None:
        super().__init__(words)
        self.place = place


@contextmanager
def at(place: str) -> Iterator[None]:
    """Add the path of a field to an error. An error that already has a path keeps it."""
    try:
        yield
    except InvalidFieldError:
        raise
    except InputError as error:
        raise InvalidFieldError(place, str(error)) from error


def invalid(place: str, words: str) -> PydanticCustomError:
    """Return the error with which a validator refuses a field."""
    return PydanticCustomError("field", "{words}", {"words": words.removesuffix("."), "place": place})
