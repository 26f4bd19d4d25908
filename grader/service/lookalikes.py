"""Names that look alike, by the confusables of Unicode's Technical Standard 39, in either case of each letter."""

import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data

BESIDE_LETTERS = frozenset(" -_.'")
"""Characters that a pseudonym may have beside letters and digits."""


def folded_name(name: str) -> str:
    """Equal for names that look alike, but for what is between letters."""
    return skeleton("".join(each for each in unicodedata.normalize("NFKC", name) if each not in BESIDE_LETTERS))


def skeleton(name: str) -> str:
    """Equal for names that look alike."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return unicodedata.normalize("NFC", "".join(map(_shape, unicodedata.normalize("NFD", folded))))


@cache
def _shape(letter: str) -> str:
    """What a letter looks like: as a capital, if that looks like another letter, else as it is."""
    capital = letter.upper()
    seen = _prototype(capital)
    return _prototype(letter) if seen == capital else _prototype(seen.casefold())


def _prototype(letter: str) -> str:
    """The letter, or letters, that it is confused with; itself if the others are confused with it.

    The table has both ways. A prototype has all that look like it; of a pair, it is the longer, or the lower.
    """
    alike: list[str] = [each["c"] for each in confusables_data.get(letter, ())]
    if len(alike) != 1:
        return letter
    (other,) = alike
    if len(confusables_data[other]) > 1:
        return other
    return max(letter, other, key=lambda each: (len(each), [-ord(one) for one in each]))
