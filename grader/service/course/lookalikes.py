"""Names that look alike, by the confusables of Unicode's Technical Standard 39, with each letter in both cases."""

import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data

PSEUDONYM_PUNCTUATION = frozenset(" -_.'")
"""Characters that a pseudonym may have besides letters and digits."""


def folded_name(name: str) -> str:
    """Form of a name that is equal for names that look alike; accents and characters between letters do not matter."""
    return skeleton("".join(each for each in unicodedata.normalize("NFKC", name) if each not in PSEUDONYM_PUNCTUATION))


def skeleton(name: str) -> str:
    """Form of a name that is equal for names that look alike, also if only one of them has accents."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    shapes = "".join(map(_shape, unicodedata.normalize("NFD", folded)))
    return "".join(each for each in unicodedata.normalize("NFD", shapes) if not unicodedata.combining(each))


@cache
def _shape(letter: str) -> str:
    """The letter that a letter looks like: by its capital if that looks like another letter, else by itself."""
    capital = letter.upper()
    seen = _prototype(capital)
    return _prototype(letter) if seen == capital else _prototype(seen.casefold())


def _prototype(letter: str) -> str:
    """The prototype of a letter: the letter or letters that it is confused with, or itself if it is the prototype.

    The table lists both directions. A prototype has several letters that look like it; of a pair, the longer or lower
    one is the prototype.
    """
    alike: list[str] = [each["c"] for each in confusables_data.get(letter, ())]
    if len(alike) != 1:
        return letter
    (other,) = alike
    if len(confusables_data[other]) > 1:
        return other
    return max(letter, other, key=lambda each: (len(each), [-ord(one) for one in each]))
