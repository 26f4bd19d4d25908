"""coded = text with each letter 13 places further in the alphabet, which starts again after its end."""

import numpy as np

from grader.oracle import Truth, text

CAPITAL, SMALL = np.arange(ord("A"), ord("Z") + 1), np.arange(ord("a"), ord("z") + 1)

EDGES = np.frombuffer(b"AMNZamnz@[`{", dtype=np.uint8)
"""Characters at which a comparison is easily wrong."""

LETTERS = np.concatenate([CAPITAL, SMALL]).astype(np.uint8)

DRAWN = np.concatenate([np.tile(LETTERS, 5), np.tile(EDGES, 20), np.arange(256, dtype=np.uint8)])
"""Characters of a text, each as often as it should be drawn: a third of them are letters, a third edges, a third any
bytes."""


def inputs(generator, data, n, **_):
    """Return a text of n characters. The first is a letter, and the last is the letter that replaces it. So a text has
    letters of both halves of the alphabet, unless it has only one character.
    """
    made = text(generator, n, DRAWN.tobytes())
    made[0] = generator.choice(LETTERS)
    if n > 1:
        made[-1] = _moved(CAPITAL, SMALL)[made[0]]
    return {"text": made}


def expected(text, **_):
    """Text and coded have n bytes each."""
    return {"coded": Truth(value=_moved(CAPITAL, SMALL)[text])}


def mistakes(text, **_):
    """One alphabet left out, comparisons at their edges, and letters that leave the alphabet."""
    same, right = np.arange(256), _moved(CAPITAL, SMALL)
    between = np.arange(ord("Z") + 1, ord("a"))
    made = {
        "no letter is moved": same,
        "capital letters stay as they are": _moved(SMALL),
        "small letters stay as they are": _moved(CAPITAL),
        "the first letters, A and a, stay as they are": _changed(right, b"Aa", b"Aa"),
        "the last letters, Z and z, stay as they are": _changed(right, b"Zz", b"Zz"),
        "M and m are moved down, out of the alphabet": _changed(right, b"Mm", b"@T"),
        "N and n are moved up, out of the alphabet": _changed(right, b"Nn", b"[{"),
        "letters after M are moved up, out of the alphabet": _changed(same, LETTERS, LETTERS + 13),
        "letters before N are moved down, out of the alphabet": _changed(same, LETTERS, LETTERS - 13),
        "letters are moved by 12 places": _moved(CAPITAL, SMALL, by=12),
        "letters are moved by 14 places": _moved(CAPITAL, SMALL, by=14),
        "small letters become capital letters": _changed(right, SMALL, right[CAPITAL]),
        "capital letters become small letters": _changed(right, CAPITAL, right[SMALL]),
        "characters between Z and a count as letters": _changed(
            right, between, (between - ord("A") + 13) % 26 + ord("A")
        ),
    }
    return {words: {"coded": Truth(value=table[text])} for words, table in made.items()}


def _moved(*alphabets, by=13):
    """Return the table of what becomes of each byte, if the letters of these alphabets are moved."""
    table = np.arange(256)
    for alphabet in alphabets:
        table[alphabet] = np.roll(alphabet, -by)
    return table


def _changed(table, characters, values):
    """Return a copy of the table with other values for these characters."""
    changed = table.copy()
    changed[list(characters)] = list(values)
    return changed
