"""Reasons why a request is refused, each a sentence for the person who made it."""

from grader.common.errors import GraderError


class RefusedError(GraderError):
    """A request that cannot be done. Nothing was changed."""


class FieldError(RefusedError):
    """A field of a form that cannot be used. The message says what was found and expected."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def length_in_words(name: str, text: str, most: int) -> str:
    """The length of a text that is empty or too long, and the limit. For example "The reason is empty. Write 500
    characters at most." for an empty reason.
    """
    found = f"has {len(text):,} characters" if text else "is empty"
    return f"The {name} {found}. Write {most:,} characters at most."


class NotFoundError(RefusedError):
    """A page that does not exist, or that this person may not see: the answer is the same."""

    def __init__(self) -> None:
        super().__init__("There is no such page.")
