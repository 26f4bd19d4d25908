"""Comparison of people's keys: which keys are equal, which must be kept apart, and which are refused.

A key that a person types, or that a university sends, signs in the person whose key has the same letters, in any case
and with any encoding of accents. A key that only looks the same does not sign anyone in. For example, Unicode treats
KELVIN SIGN as another way to write K, and ß as ss, but the system that assigns the keys may distinguish them. A course
contains only one of several keys that look alike.

    folded   equal for keys that look alike; no second person with such a key can be added
    same     true for keys with the same letters; such a key signs in
    plain    true for a key whose characters have only one spelling in Unicode; only such keys can be added
"""

import unicodedata

from grader.common.people import KEY_CHARACTERS

INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
"""Unicode categories of invisible characters."""


def folded_key(text: str) -> str:
    """Form of a key that is equal for keys that look alike. It is Unicode's NFKC_Casefold without invisible characters.

    Only the first KEY_CHARACTERS count.
    """
    seen = "".join(
        each for each in text.strip()[:KEY_CHARACTERS] if unicodedata.category(each) not in INVISIBLE_CATEGORIES
    )
    once = unicodedata.normalize("NFKC", seen).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", once).casefold()).strip()


def is_same_key(one: str, other: str) -> bool:
    """True if both keys have the same letters, ignoring case. A key that is not plain equals only itself."""
    return one == other or (is_plain_key(one) and is_plain_key(other) and _letters(one) == _letters(other))


def is_plain_key(text: str) -> bool:
    """True if Unicode has only one way to write each character, and all characters are visible."""
    return all(
        unicodedata.normalize("NFKC", each) == each and unicodedata.category(each) not in INVISIBLE_CATEGORIES
        for each in text.strip()
    )


def _letters(text: str) -> str:
    """The key in lower case. Letters whose lower case cannot be converted back to them stay as they are."""
    return "".join(map(_lower, unicodedata.normalize("NFC", text.strip()[:KEY_CHARACTERS])))


def _lower(letter: str) -> str:
    lower = letter.lower()
    return lower if lower.upper() == letter else letter
