"""people.py: keys and names mean the same person however they are typed, and several people are never one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.common.people import KEY_CHARACTERS, AmbiguousPersonError, Person, Register, person_key, person_name

MEI, OTHER = Person(names=("Lim, Mei",), key="a11", label="limmei"), Person(names=("Lim, Mei",), key="12")
ZOE = Person(names=("Zo\u00eb Stra\u00dfer",), key="Zoe@Example.org", label="Zo\u00eb Stra\u00dfer")
PEOPLE = Register((MEI, OTHER, ZOE))


@given(st.text())
def test_a_key_does_not_depend_on_how_it_is_typed(text):
    """Neither on case nor on how accents are written; and it is its own key."""
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
    """Also where a letter has a capital of two."""
    assert person_key(one) == person_key(other)


def test_a_name_may_be_turned_around():
    """With a comma, and however it is spaced; other names stay others."""
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
    """However it is typed; nothing is nobody's name."""
    assert PEOPLE.find(text) == person


def test_a_name_of_two_people_is_refused_with_both_keys():
    """Also where one of them has handed in nothing, and where the name of one is the label of the other."""
    with pytest.raises(AmbiguousPersonError, match="'mei lim' may be 2 people, key 12 and key a11; write the key"):
        PEOPLE.find("mei lim")
    labelled = Register((MEI, Person(names=("limmei",), label="Lim, Mei")))
    with pytest.raises(AmbiguousPersonError, match="key a11 and limmei without a key"):
        labelled.find("Lim, Mei")


def test_a_key_is_never_the_name_of_another():
    """A student who is called like another's key, or whose hand-in is, does not hide that other."""
    named, labelled = Person(names=("12",), key="34"), Person(names=("Ada",), key="56", label="12")
    people = Register((named, labelled, OTHER))
    assert people.find("12") == OTHER
    assert people.find("34") == named


def test_only_the_first_characters_of_a_key_are_compared():
    """A typed key of 64 KiB of accents would stop the service for seconds."""
    accents = "\u0301\u0316" * KEY_CHARACTERS
    assert len(person_key(f"ada{accents}")) <= KEY_CHARACTERS
    assert person_key(f"ada{accents}") == person_key(f"ada{accents}x") != person_key("ada")
