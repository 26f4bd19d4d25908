"""Keys of people at sign-in: which are the same, which are kept apart, and which are refused.

A key that is typed, or that a university tells, signs in as the person whose key has the same letters, in any case and
however accents are written. Anything else that might be taken for that key signs nobody in: a letter such as KELVIN
SIGN, which Unicode has as another way to write K, is another letter to the system that gives out keys, and so are ß and
ss. Of keys that might be taken for one another a course has one.

    folded   equal for keys that might be taken for one another: such people are not added
    same     equal in letters: such a key signs in
    plain    has only letters that are written in one way: others are not added
"""

import unicodedata

UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
"""Categories of characters that nobody sees."""


def folded_key(text: str) -> str:
    """Equal for keys that might be taken for one another, by Unicode's NFKC_Casefold without what nobody sees."""
    seen = "".join(each for each in text.strip() if unicodedata.category(each) not in UNSEEN)
    once = unicodedata.normalize("NFKC", seen).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", once).casefold()).strip()


def is_same_key(one: str, other: str) -> bool:
    """Whether both have the same letters, in any case; not if one is not plain, unless they are equal."""
    return one == other or (is_plain_key(one) and is_plain_key(other) and _letters(one) == _letters(other))


def is_plain_key(text: str) -> bool:
    """Whether each character is one that Unicode writes in this way alone, and can be seen."""
    return all(
        unicodedata.normalize("NFKC", each) == each and unicodedata.category(each) not in UNSEEN
        for each in text.strip()
    )


def _letters(text: str) -> str:
    """In lower case, as far as that is one letter for one letter."""
    return "".join(map(_lower, unicodedata.normalize("NFC", text.strip())))


def _lower(letter: str) -> str:
    lower = letter.lower()
    return lower if lower.upper() == letter else letter
