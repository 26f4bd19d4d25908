"""names.py: people are sorted by name and found by name."""

import pytest

from grader.service.db.names import has_words, sort_key


def test_names_are_in_the_order_that_people_expect():
    """Names with accents, strokes or ligatures are sorted among the letters from A to Z, regardless of case. Names in
    other scripts follow in code point order.
    """
    names = [
        "ada",
        "Ægir",
        "Émile",
        "İbrahim",
        "Lukas",
        "Łukasz",
        "Œuvre",
        "Øst",
        "Straße",
        "Zed",
        "Żofia",
        "\u5f20\u4f1f",
    ]
    assert sorted({*names}, key=sort_key) == names


@pytest.mark.parametrize("words", ["", "LUKASZ", "zolc łuk", "Żółć", "s1@"])
def test_a_person_is_found_without_accents(words):
    """A search finds a person whose name and key contain all its words, with or without accents."""
    assert has_words("Łukasz Żółć s1@x", words)
    assert not has_words("Łukasz Żółć s1@x", f"{words} ada")
