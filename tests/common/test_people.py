"""people.py: a key or a name finds the same person in every spelling, and different people are never mixed up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.common.people import (
    KEY_CHARACTERS,
    AmbiguousPersonError,
    Person,
    Register,
    has_words,
    person_key,
    person_name,
    similar_person,
    sort_key,
)

MEI, OTHER = Person(names=("Lim, Mei",), key="a11", label="limmei"), Person(names=("Lim, Mei",), key="12")
ZOE = Person(names=("Zo\u00eb Stra\u00dfer",), key="Zoe@Example.org", label="Zo\u00eb Stra\u00dfer")
PEOPLE = Register((MEI, OTHER, ZOE))


@pytest.mark.whole
@given(st.text())
def test_a_key_does_not_depend_on_how_it_is_typed(text):
    """`person_key` ignores case, the encoding of accents and surrounding spaces. Applying it twice changes nothing."""
    key = person_key(text)
    assert key == person_key(key) == person_key(f" {key} ")
    assert person_key(text.casefold()) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ADA@Example.org ", "ada@example.org"),
        ("Zo\u00eb", "ZOE\u0308"),
        ("STRASSE", "stra\u00dfe"),
        ("\u01f0X", "J\u030cx"),
    ],
)
def test_keys_that_differ_in_case_and_form_are_one(one, other):
    """Keys that differ only in case and Unicode form are equal, even if the capital of a letter has two characters."""
    assert person_key(one) == person_key(other)


def test_a_name_may_be_turned_around():
    """A name with a comma may begin with the last name. Without a comma, a different order is a different name."""
    assert person_name("Lovelace,  Ada") == person_name("ada lovelace")
    assert person_name("Ada Lovelace") != person_name("Lovelace Ada")


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("A11", MEI),
        ("LimMei", MEI),
        ("12", OTHER),
        ("zoe@example.org", ZOE),
        ("stra\u00dfer, ZOE\u0308", ZOE),
        ("", None),
        ("Mei", None),
    ],
)
def test_a_person_is_found_by_label_key_and_name(text, person):
    """A person is found by label, key or name in every spelling. An empty text does not find anyone."""
    assert PEOPLE.find(text) == person


def test_a_name_of_two_people_is_refused_with_both_keys():
    """A name that two people share is refused with both of their keys.

    One of them may have no submission, and the name of one may be the label of the other.
    """
    with pytest.raises(AmbiguousPersonError, match="'mei lim' may be 2 people, key 12 and key a11; write the key"):
        PEOPLE.find("mei lim")
    labelled = Register((MEI, Person(names=("limmei",), label="Lim, Mei")))
    with pytest.raises(AmbiguousPersonError, match="key a11 and limmei without a key"):
        labelled.find("Lim, Mei")


def test_a_key_is_never_the_name_of_another():
    """A key finds its owner, even if it is also another student's name or the label of another student's files."""
    named, labelled = Person(names=("12",), key="34"), Person(names=("Ada",), key="56", label="12")
    people = Register((named, labelled, OTHER))
    assert people.find("12") == OTHER
    assert people.find("34") == named


def test_only_the_first_characters_of_a_key_are_compared():
    """Only the first KEY_CHARACTERS of a key count, because 64 KiB of accents would block the service for seconds."""
    accents = "\u0301\u0316" * KEY_CHARACTERS
    assert len(person_key(f"ada{accents}")) <= KEY_CHARACTERS
    assert person_key(f"ada{accents}") == person_key(f"ada{accents}x") != person_key("ada")


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


def test_digits_in_names_are_numbers():
    """Names with numbers are sorted by these numbers, in any script. Names that differ only in case or accents always
    have the same order.
    """
    names = [
        "7 up",
        "12",
        "Ada",
        "ada",
        "Group 2a",
        "Group 2b",
        "group 10",
        "Número",
        "Número 1",
        "Número 2",
        "Número 10",
    ]
    assert sorted({*names}, key=sort_key) == names
    assert sort_key("9" * KEY_CHARACTERS) > sort_key("8" * KEY_CHARACTERS)
    assert sort_key("\u0663") < sort_key("10")


@given(st.text(), st.text())
def test_only_equal_names_have_equal_sort_keys(one, other):
    """Every two names have an order, so that lists are the same in every run."""
    assert (sort_key(one) == sort_key(other)) is (one == other)


@pytest.mark.parametrize("words", ["", "LUKASZ", "zolc łuk", "Żółć", "s1@"])
def test_a_person_is_found_without_accents(words):
    """A search finds a person whose name and key contain all its words, with or without accents."""
    assert has_words("Łukasz Żółć s1@x", words)
    assert not has_words("Łukasz Żółć s1@x", f"{words} ada")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ada", "Ada Lovelace"),
        ("LOVELACE", "Ada Lovelace"),
        ("lovelace ada", "Ada Lovelace"),
        ("Adaa Lovelac", "Ada Lovelace"),
        ("lukas", "Łukasz Kowalski"),
        ("Nadia", "Nadia Adamska"),
        ("*", None),
        ("", None),
    ],
)
def test_a_similar_name_contains_the_words_or_is_spelt_alike(text, name):
    """A first name, a last name and a typing error suggest the right person. Case and accents make no difference."""
    assert similar_person(text, ["Ada Lovelace", "Łukasz Kowalski", "Nadia Adamska"]) == name
