"""pseudonyms.py: whose name is whose."""

import pytest

from grader.service.course.pseudonyms import choose_pseudonym, pseudonym_of, remove_pseudonym
from grader.service.db.models import AuditRow, PersonRow
from grader.service.errors import RefusedError


def chosen(service, person, text):
    choose_pseudonym(service.database, person, text)
    with service.database.reading() as session:
        return pseudonym_of(session, person)


def test_nobody_has_one_until_they_choose_and_it_can_be_changed_and_ended(service):
    """Blanks around and between words are as people mean them."""
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) is None
    assert chosen(service, service.ada, "  Night   Owl ") == "Night Owl"
    assert chosen(service, service.ada, "Señor 42") == "Señor 42"
    assert chosen(service, service.ada, "señor 42") == "señor 42"
    assert chosen(service, service.ada, " ") is None
    assert chosen(service, service.ben, "Señor 42") == "Señor 42"


HIDING = ("Fox\u3164", "Ben\u115f", "\u1160\u1160", "F\u043ex", "\u0392en")
"""With letters that are not to be seen, and with a Cyrillic or Greek letter among Latin ones."""


@pytest.mark.parametrize(
    "text", ["x", "x" * 31, "<b>fox</b>", "a\x1bb", "a\u202eb", "--", "fox\u200bfox", "a@b", *HIDING]
)
def test_what_is_no_name_is_refused_in_a_sentence(service, text):
    """And what was chosen before stays."""
    chosen(service, service.ada, "Fox")
    with pytest.raises(RefusedError, match="choose another"):
        chosen(service, service.ada, text)
    assert chosen(service, service.ben, "Owl") == "Owl"
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) == "Fox"


@pytest.mark.parametrize(
    "text",
    ["fox", "FOX", "\uff26ox", "F-o x", "Ben", "Ben.", "staff", "F0x", "\u0392\u0395\u039d", "\uff22en"],
)  # the F of Japanese keyboards
def test_nobody_is_called_like_another(service, text):
    """Neither by their pseudonym nor by their own name: the answer does not tell which it was."""
    chosen(service, service.ben, "Fox")
    with pytest.raises(RefusedError, match="is taken"):
        chosen(service, service.ada, text)


ACCENTED = (("Björk", "Bjork"), ("Bjork", "Björk"), ("Łuk", "Luk"), ("Søren", "Soren"))
"""Names that only accents or strokes distinguish."""


@pytest.mark.parametrize(
    ("taken", "text"),
    [
        ("lago", "Iago"),
        ("lago", "1ago"),
        ("modern", "rnodern"),
        ("oxo", "\u043e\u0445\u043e"),
        ("Bob", "B0b"),
        *ACCENTED,
    ],
)
def test_nobody_is_called_by_a_name_that_looks_like_anothers(service, taken, text):
    """By letters of other alphabets, digits, or two letters that look like one."""
    chosen(service, service.ben, taken)
    with pytest.raises(RefusedError, match="is taken"):
        chosen(service, service.ada, text)
    assert chosen(service, service.ben, taken.upper()) == taken.upper()


def test_one_that_should_not_stand_there_is_taken_away(service):
    """The audit trail says by whom; its owner may choose another."""
    chosen(service, service.ada, "Rude")
    with service.database.writing() as session:
        remove_pseudonym(session, session.get_one(PersonRow, service.ada), "staff", service.now)
    with service.database.reading() as session:
        assert pseudonym_of(session, service.ada) is None
        line = session.query(AuditRow).filter_by(who="staff").one()
        assert (line.about, "Rude" in line.what) == ("ada", True)
    assert chosen(service, service.ada, "Kind") == "Kind"
