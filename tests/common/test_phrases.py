"""phrases.py: parts of sentences in correct English."""

import pytest

from grader.common.phrases import capital, count, first_sentence, kibibytes


@pytest.mark.parametrize(("number", "words"), [(0, "0 elements"), (1, "1 element"), (2048, "2,048 elements")])
def test_things_are_counted(number, words):
    """The noun after a number is singular for one and plural for all other numbers. Thousands have commas."""
    assert count(number, "element") == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 bytes"), (1023, "1,023 bytes"), (8448, "8.25 KiB"), (1 << 21, "2,048 KiB")]
)
def test_local_memory_is_measured_in_kibibytes(number, words):
    """Sizes from 1 KiB are in KiB, as the limits of devices are. Smaller sizes are in bytes."""
    assert kibibytes(number) == words


def test_a_sentence_begins_with_a_capital():
    """Only the first letter of the text is capitalized."""
    assert capital("work-item (3, 0) of A") == "Work-item (3, 0) of A"
    assert capital("") == ""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("line 3 races. A barrier is missing.", "line 3 races."),
        ("stopped after 2.5 s: is there a loop? Look.", "stopped after 2.5 s: is there a loop?"),
        ("one", "one"),
        ("", ""),
    ],
)
def test_a_sentence_ends_where_the_next_begins(text, first):
    """The first sentence ends before the next one, and not at the decimal point of a number."""
    assert first_sentence(text) == first
