"""Exceptions for requests that are refused. Their messages are sentences for the person who made the request."""

from grader.common.errors import GraderError
from grader.protocol.text import showable


class RefusedError(GraderError):
    """A request that was refused without changing anything."""


class FieldError(RefusedError):
    """A form field with an invalid value. The message contains the value and what was expected."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def length_in_words(name: str, text: str, most: int) -> str:
    """Explain that a text is empty or too long. An example is "The reason is empty. Write 500 characters at most" for
    an empty reason.
    """
    found = f"has {len(text):,} characters" if text else "is empty"
    return f"The {name} {found}. Write {most:,} characters at most."


def text_within(field: str, name: str, text: str, most: int, more: str = "") -> str:
    """The text of a field of a form. Raises FieldError, with the sentence `more`, if it is empty or too long."""
    words = showable(text).strip()
    if not 0 < len(words) <= most:
        raise FieldError(field, f"{length_in_words(name, words, most)} {more}".strip())
    return words


class NotFoundError(RefusedError):
    """A page that does not exist, or that this person may not see. Both cases get the same answer."""

    def __init__(self) -> None:
        super().__init__("There is no such page.")
