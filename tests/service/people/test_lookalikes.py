"""lookalikes.py: each letter of a pseudonym is compared as the letters that it looks like."""

import sys
import unicodedata
from functools import partial
from string import ascii_lowercase

from grader.service.people.lookalikes import OTHER_LETTERS, folded_name, is_pseudonym_character


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
