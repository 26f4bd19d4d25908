"""pseudonyms.py: pseudonyms are valid and unique, and cannot be confused with another
person's name.
"""

import sys
import unicodedata
from functools import partial
from string import ascii_lowercase

import pytest

from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import PersonRow
from grader.service.errors import RefusedError
from grader.service.people.pseudonyms import (
    OTHER_LETTERS,
    choose_pseudonym,
    folded_name,
    is_pseudonym_character,
    pseudonym_of,
    remove_pseudonym,
)


def chosen(service, person, text):
    choose_pseudonym(service.database, person, text)
    with service.database.reading() as session:
        return pseudonym_of(session, person)


def test_nobody_has_one_until_they_choose_and_it_can_be_changed_and_ended(service):
    """People have no pseudonym until they choose one, and can change or delete it later. Extra blanks are removed."""
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) is None
    assert chosen(service, service.ada, "  Night   Owl ") == "Night Owl"
    assert chosen(service, service.ada, "Señor 42") == "Señor 42"
    assert chosen(service, service.ada, "señor 42") == "señor 42"
    assert chosen(service, service.ada, " ") is None
    assert chosen(service, service.ben, "Señor 42") == "Señor 42"


OTHERS = (
    "Fox\u3164",
    "\u1160\u1160",
    "F\u043ex",
    "\u0392\u0395\u039d",
    "\u13aa\u13aa",
    "fo\u0280",
    "\u0261ox",
    "42\u0663",
)
"""Names with invisible letters, letters of other scripts, a small capital R, a script G and an Arabic digit."""


@pytest.mark.sampled
@pytest.mark.parametrize(
    "text", ["x", "x" * 31, "<b>fox</b>", "a\x1bb", "a\u202eb", "--", "fox\u200bfox", "a@b", *OTHERS]
)
def test_what_is_no_name_is_refused_in_a_sentence(service, text):
    """An invalid pseudonym is refused with one sentence, and the previous pseudonym is kept."""
    chosen(service, service.ada, "Fox")
    with pytest.raises(RefusedError, match="choose another"):
        chosen(service, service.ada, text)
    assert chosen(service, service.ben, "Owl") == "Owl"
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) == "Fox"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "text",
    ["fox", "FOX", "\uff26ox", "F-o x", "Ben", "Ben.", "staff", "F0x", "B3n", "\uff22en", "\u0181en"],
)  # U+FF26 is the full-width F of Japanese keyboards
def test_nobody_is_called_like_another(service, text):
    """A pseudonym that equals another person's pseudonym or real name is refused. The answer does not reveal which of
    the two it was.
    """
    chosen(service, service.ben, "Fox")
    with pytest.raises(RefusedError, match="is taken"):
        chosen(service, service.ada, text)


ACCENTED = (("Björk", "Bjork"), ("Bjork", "Björk"), ("Łuk", "Luk"), ("Søren", "Soren"))
"""Pairs of names that differ only in accents or strokes."""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("taken", "text"),
    [
        ("lago", "Iago"),
        ("lago", "1ago"),
        ("modern", "rnodern"),
        ("Bob", "B0b"),
        ("owl", "ovvl"),
        ("SAGE", "5463"),
        *ACCENTED,
    ],
)
def test_nobody_is_called_by_a_name_that_looks_like_anothers(service, taken, text):
    """A pseudonym is refused if it resembles another person's, for example because of accents, digits or pairs of
    letters.
    """
    chosen(service, service.ben, taken)
    with pytest.raises(RefusedError, match="is taken"):
        chosen(service, service.ada, text)
    assert chosen(service, service.ben, taken.upper()) == taken.upper()


@pytest.mark.parametrize("name", ["Ŵ Șțẵ", "Ƙaɗuna", "Þórður", "Çağlayan", "Ĳsbrand", "Đặng", "Ħal Għaxaq"])
def test_names_of_latin_alphabets_are_pseudonyms(service, name):
    """Names in Latin alphabets with accents, strokes or hooks are valid pseudonyms."""
    assert chosen(service, service.ada, name) == unicodedata.normalize("NFKC", name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("\u041e\u0441\u0430", "Oca"), ("\u039d\u03b1\u03bd\u03b1", "Nana"), ("\u0181ala", "Bala"), ("Ay\u015fe", "Ayse")],
)
def test_nobody_is_called_like_a_person_whose_name_has_other_letters(service, name, text):
    """A pseudonym that looks like a name on the roster in another alphabet is refused."""
    with service.database.writing() as session:
        session.get_one(PersonRow, service.ben).name = name
    with pytest.raises(RefusedError, match="is taken"):
        chosen(service, service.ada, text)


def test_one_that_should_not_stand_there_is_taken_away(service):
    """If staff remove a pseudonym, the audit trail records who did it, and its owner may choose another one."""
    chosen(service, service.ada, "Rude")
    with service.database.writing() as session:
        remove_pseudonym(session, session.get_one(PersonRow, service.ada), "staff", service.now)
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) is None
        line = session.query(AuditRow).filter_by(who="staff").one()
        assert (line.about, "Rude" in line.what) == ("ada", True)
    assert chosen(service, service.ada, "Kind") == "Kind"


def test_every_letter_that_a_pseudonym_may_have_is_compared_as_letters_from_a_to_z():
    """Each allowed character is compared either as a letter from a to z or as one of few other letters, so that
    lookalikes do not make new names.
    """
    plain = {folded_name(each): each for each in ascii_lowercase}
    others = {folded_name(each): each for each in OTHER_LETTERS.values()}
    stored = filter(partial(unicodedata.is_normalized, "NFKC"), map(chr, range(sys.maxunicode + 1)))
    allowed = [each for each in stored if each.isalnum() and is_pseudonym_character(each)]
    assert len(allowed) > 700
    assert {each for each in allowed if folded_name(each) not in plain | others} == set()
    for each in allowed:
        base = unicodedata.normalize("NFKD", each)[0].lower()
        if base in ascii_lowercase:
            assert folded_name(each)[0] == folded_name(base)[0], each
