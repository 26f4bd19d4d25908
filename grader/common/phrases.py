"""Parts of sentences that many messages share."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from signal import Signals


def count(number: int, thing: str) -> str:
    """Return a number with its noun, for example "1 element" or "2,048 elements"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def listed(things: Iterable[object], word: str) -> str:
    """Return a list in words, for example "8, 16 or 32"."""
    *others, last = map(str, things)
    return f"{', '.join(others)} {word} {last}" if others else last


def quoted(name: str) -> str:
    """Put a name from a program in backquotes. A description in place of a name, such as "an array", is not changed."""
    return name if " " in name else f"`{name}`"


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question with the known name that is most similar to an unknown one, or other advice if none is."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def sizes_in_words(sizes: Mapping[str, str | int]) -> str:
    """Return sizes in words, for example "height 53, width 90"."""
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


NO_BREAK = "\xa0"
"""A blank at which `textwrap` does not break a line."""

INSEPARABLE = re.compile(r"(?<=\d) (?=[%A-Za-z])|(?:(?<=\()|(?<=, ))\w+ (?=\d)")
"""Matches the blank between a number and its unit, and a size with the blank before its number, as in "(n 320)"."""


def unbroken(text: str) -> str:
    """Return the text with blanks that `textwrap` does not break between numbers and their units or names."""
    return INSEPARABLE.sub(lambda found: found[0].replace(" ", NO_BREAK), text)


def kibibytes(number: int) -> str:
    """Return a size in words, such as "48 KiB" for local memory. A size below 1 KiB is given in bytes."""
    return f"{number / 1024:,.4g} KiB" if number >= 1024 else count(number, "byte")


def three_digits(number: float) -> str:
    """Return a number with three significant digits, for example 7.21, 98.5 or 1,220. Measurements are not more
    precise. Large numbers have no exponent.
    """
    return f"{float(f'{number:.3g}'):,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def two_decimals(number: float) -> str:
    """Return points with at most two decimals, for example 97.67 or 8."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with three digits."""
    return f"{three_digits(100 * fraction)} %"


TWICE = 1.995
"""Smallest fraction that is 2 if it is rounded to three digits."""


def share(fraction: float) -> str:
    """Return a speed as a percentage of another speed, such as "98.5 %". If it is at least twice as fast, return a
    multiple, such as "12.6 x", because 1,260 % is hard to read.
    """
    return percent(fraction) if fraction < TWICE else f"{three_digits(fraction)} x"


def share_of(fraction: float) -> str:
    """Return the words that precede the name of the other speed, such as "98.5 % of" or "12.6 times"."""
    return f"{percent(fraction)} of" if fraction < TWICE else f"{three_digits(fraction)} times"


def ending(signal: int | None, exit_code: int | None) -> str:
    """Return how a process ended: "with SIGSEGV" or, without a signal, "with exit code 3"."""
    if signal is None:
        return f"with exit code {exit_code}"
    return f"with {Signals(signal).name}" if signal in set(Signals) else f"with signal {signal}"


def capital(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


WORDS = ("the ", "line", "it ", "a ", "all ", "at ", "in ", "nothing ", "each ", "past ", "only ", "one ")
"""First words of messages, except names."""


def sentence(text: str) -> str:
    """Return a message as a sentence. The name of an array at its beginning keeps its case."""
    return capital(text) if text.startswith(WORDS) else text


def first_sentence(text: str) -> str:
    """Return the text up to the next sentence, which begins with a capital letter or a number."""
    return re.split(r"(?<=[.?!]) (?=[A-Z\d])", text, maxsplit=1)[0]


def numeral(value: float) -> str:
    """All digits of an int, six significant digits of a float."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def whole_numeral(value: float) -> str:
    """All digits of a whole number that its type represents exactly, six significant digits of any other number."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 2**53 else f"{value:.6g}"
