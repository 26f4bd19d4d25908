"""errors.py: a refusal names the value that was found and the expected value."""

import pytest

from grader.service.errors import FieldError, NotFoundError, RefusedError, length_in_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The reason is empty. Write 1,000 characters at most."),
        ("x" * 1234, "The reason has 1,234 characters. Write 1,000 characters at most."),
    ],
    ids=["empty", "long"],
)
def test_a_text_of_a_wrong_length_is_explained(text, words):
    """The message gives the length that was found and the limit."""
    assert length_in_words("reason", text, 1000) == words


def test_every_refusal_is_caught_as_one():
    """A wrong field and a missing page are refusals, so that code that catches refusals catches them, too. A missing
    page has the same words as one that a person may not see.
    """
    for error in (FieldError("points", "Write a number."), NotFoundError()):
        with pytest.raises(RefusedError):
            raise error
    assert str(NotFoundError()) == "There is no such page."
