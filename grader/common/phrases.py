"""Small pieces of sentences that many messages share."""

import re
from collections.abc import Iterable, Mapping


def count(number: int, thing: str) -> str:
    """For example "1 element", "2,048 elements"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def listed(things: Iterable[object], word: str) -> str:
    """For example "8, 16 or 32"."""
    *others, last = map(str, things)
    return f"{', '.join(others)} {word} {last}" if others else last


def sizes_in_words(sizes: Mapping[str, str | int]) -> str:
    """For example "height 53, width 90"."""
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def kibibytes(number: int) -> str:
    """For example "48 KiB", as local memory is measured; what is less than one in bytes."""
    return f"{number / 1024:,.4g} KiB" if number >= 1024 else count(number, "byte")


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def first_sentence(text: str) -> str:
    """The text up to where a new sentence begins, with a capital."""
    return re.split(r"(?<=[.?!]) (?=[A-Z])", text, maxsplit=1)[0]
