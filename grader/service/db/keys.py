"""Keys of people at sign-in: keys that are equal, keys that are kept apart, and keys that are refused.

A key that a person types, or that a university sends, signs in the person whose key has the same letters, in any case
and with any encoding of accents. A key that only looks like it does not sign in: to the system that gives out keys,
KELVIN SIGN is not the letter K, although Unicode treats it as another way to write K, and ß is not ss. A course has
only one of several keys that look alike.

    folded   equal for keys that look alike: no second person with such a key is added
    same     true for keys with the same letters: such a key signs in
    plain    true for a key whose letters are all written in one way: no other key is added
"""

import unicodedata

from grader.common.people import KEY_CHARACTERS

INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
"""Unicode categories of invisible characters."""


def folded_key(text: str) -> str:
    """Form of a key that is equal for keys that look alike: Unicode's NFKC_Casefold, without invisible characters.

    Only the first KEY_CHARACTERS count.
    """
    seen = "".join(
        each for each in text.strip()[:KEY_CHARACTERS] if unicodedata.category(each) not in INVISIBLE_CATEGORIES
    )
    once = unicodedata.normalize("NFKC", seen).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", once).casefold()).strip()


def is_same_key(one: str, other: str) -> bool:
    """True if both keys have the same letters, in any case. A key that is not plain is the same only as itself."""
    return one == other or (is_plain_key(one) and is_plain_key(other) and _letters(one) == _letters(other))


def is_plain_key(text: str) -> bool:
    """True if Unicode has only one way to write each character, and each is visible."""
    return all(
        unicodedata.normalize("NFKC", each) == each and unicodedata.category(each) not in INVISIBLE_CATEGORIES
        for each in text.strip()
    )


def _letters(text: str) -> str:
    """The key in lower case, except letters whose lower case is more than one letter."""
    return "".join(map(_lower, unicodedata.normalize("NFC", text.strip()[:KEY_CHARACTERS])))


def _lower(letter: str) -> str:
    lower = letter.lower()
    return lower if lower.upper() == letter else letter
