"""names.py: the order of names, and search in them."""

import pytest

from grader.service.db.names import has_words, sort_key


def test_names_are_in_the_order_that_people_expect():
    """Case, accents, strokes and joined letters do not put a name behind Z; other scripts follow as they are."""
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
    """By each of the words, with or without them."""
    assert has_words("Łukasz Żółć s1@x", words)
    assert not has_words("Łukasz Żółć s1@x", f"{words} ada")
