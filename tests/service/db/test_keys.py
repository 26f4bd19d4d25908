"""keys.py: a typed key finds its person, and a course refuses people whose keys look like another person's."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from services import post

from grader.common.errors import InputError
from grader.common.people import KEY_CHARACTERS
from grader.service.db.keys import folded_key, is_same_key
from grader.service.db.tables.people import PersonRow
from grader.service.people.auth.sessions import person_named

SAME = (
    ("kate@example.org", "KATE@Example.ORG"),
    ("\u00e9mile@x", "\u00c9MILE@X"),
    ("zo\u00eb", "ZOE\u0308"),
    ("\u0436\u0430\u043d", "\u0416\u0410\u041d"),
    ("ada ", "ada"),
)
ALIKE = (
    ("kate@example.org", "\u212aate@example.org"),
    ("\u00e5sa", "\u212bsa"),
    ("gross", "gro\u00df"),
    ("gro\u00df", "GROSS"),
    ("fi", "\ufb01"),
    ("ada", "\uff41da"),
    ("ada", "ad\u200ba"),
    ("ada", "ad\u00ada"),
    ("sam", "\u017fam"),
)
"""Pairs of keys whose second key could be mistaken for the first, by readers or by Unicode's rules."""


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_key_in_another_case_is_the_same(one, other):
    """Two keys are equal if they differ only in case or in the encoding of accents, also beyond ASCII."""
    assert is_same_key(one, other)
    assert folded_key(one) == folded_key(other)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_key_that_might_be_taken_for_another_is_not_the_same(one, other):
    """Keys that only look alike are different, in either order. However, a course accepts only one of them."""
    assert not is_same_key(one, other)
    assert not is_same_key(other, one)
    assert folded_key(one) == folded_key(other)


@given(st.text(), st.text())
def test_what_is_the_same_is_folded_to_the_same(one, other):
    """Equal keys have equal folded forms, so a sign-in can look its person up by the folded form."""
    for each in (other, one.upper(), one.lower(), unicodedata.normalize("NFD", one), f" {one} "):
        if is_same_key(one, each):
            assert folded_key(one) == folded_key(each)
    assert folded_key(folded_key(one)) == folded_key(one)


@pytest.mark.parametrize(("key", "other"), ALIKE)
def test_a_key_that_looks_like_anothers_signs_nobody_in(service, key, other):
    """A key that looks like another person's does not sign that person in. Only the person's own key does."""
    number = service.person(f"x{key}", "student")
    with service.database.reading() as session:
        assert person_named(session, {f"x{other}"}) is None
        assert person_named(session, {f"x{key}"}).id == number


@pytest.mark.parametrize(("key", "typed"), SAME)
def test_a_key_signs_in_however_it_is_typed(service, key, typed):
    """A key signs its person in with any case and any encoding of accents, on both databases."""
    number = service.person(f"x{key}", "student")
    with service.database.reading() as session:
        assert person_named(session, {f"X{typed}"}).id == number


def roster(staff, text):
    return post(staff, "/course/people/roster", file=("roster.csv", text.encode()))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("\u212aate", "Write the key as kate."),
        ("be\u200bn", "may be ben. Write this key."),
        ("gro\u00df", "may be gross. Write this key."),
    ],
)
def test_a_roster_adds_nobody_who_can_be_taken_for_another(service, staff, key, words):
    """A roster with a confusable key is refused as a whole. The error names the line and the key to write instead."""
    service.person("gross", "student")
    said = roster(staff, f"key,name\ncleo,Cleo\n{key},Somebody\n")
    assert said.status_code == 422
    assert "Line 3 of the roster" in said.text
    assert words in said.text
    with service.database.reading() as session:
        assert session.query(PersonRow).count() == 4


@pytest.fixture
def staff(service):
    return service.browser("staff")


def test_nothing_adds_a_person_who_can_be_taken_for_another(service):
    """A person with a confusable key cannot be stored, even by a page or command that does not check it."""
    for key in ("ADA", "a\u200bda"):
        with pytest.raises(InputError, match="could be mistaken for ada"):
            service.person(key, "student")


def test_only_the_first_characters_of_a_typed_key_are_compared():
    """Only the first KEY_CHARACTERS characters of a typed key are compared, as in common/people.py."""
    accents = "\u0301\u0316" * KEY_CHARACTERS
    assert len(folded_key(f"ada{accents}")) <= KEY_CHARACTERS
    assert not is_same_key(f"ada{accents}", "ada")
