"""names.py: people are sorted by name and found by name."""

import pytest

from grader.service.db.names import has_words


@pytest.mark.parametrize("words", ["", "LUKASZ", "zolc łuk", "Żółć", "s1@"])
def test_a_person_is_found_without_accents(words):
    """A search finds a person whose name and key contain all its words, with or without accents."""
    assert has_words("Łukasz Żółć s1@x", words)
    assert not has_words("Łukasz Żółć s1@x", f"{words} ada")
