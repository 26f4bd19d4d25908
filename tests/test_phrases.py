"""phrases.py: small pieces of sentences."""

import pytest

from grader.phrases import capital, count


@pytest.mark.parametrize(("number", "words"), [(0, "0 elements"), (1, "1 element"), (2048, "2,048 elements")])
def test_things_are_counted(number, words):
    """One is one; all others are several, with commas."""
    assert count(number, "element") == words


def test_a_sentence_begins_with_a_capital():
    """Only its first letter changes."""
    assert capital("work-item (3, 0) of A") == "Work-item (3, 0) of A"
    assert capital("") == ""
