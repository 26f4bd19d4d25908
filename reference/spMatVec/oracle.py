"""y = A x for a sparse matrix in compressed rows."""

import numpy as np

from grader.oracle import Truth

EMPTY = 0.15
"""Share of the rows that have no entry, unless the others have no room."""


def inputs(generator, data, rows, columns, entries, **_):
    """Return a matrix with as many entries, in ascending columns within each row, and a vector.

    Rows differ: some are empty, and the longest are many times as long as the average. The columns of a row are spread
    over its whole length. Numbers are random, or small whole numbers other than 0.
    """
    lengths = _lengths(generator, rows, columns, entries)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    length = np.repeat(lengths, lengths)
    place = np.arange(entries) - np.repeat(starts[:-1], lengths)
    first, end = -(-place * columns // length), -(-(place + 1) * columns // length)  # each entry has some columns
    numbers = _whole if data == "integers" else _real
    return {
        "starts": starts.astype(np.uint32),
        "places": generator.integers(first, end).astype(np.uint32),
        "values": numbers(generator, entries),
        "x": numbers(generator, columns),
    }


def expected(starts, places, values, x, **_):
    """One sum per row, of as many products as the row has entries."""
    return _truth(starts, values.astype(np.float64) * x[places])


def mistakes(starts, places, values, x, entries, LANES, **_):
    """Entries that are left out or taken from elsewhere, and sums of a row that are not added."""
    products = values.astype(np.float64) * x[places]
    place = np.arange(entries) - np.repeat(starts[:-1], np.diff(starts))
    lengths = np.repeat(np.diff(starts), np.diff(starts))
    lane = place % LANES
    made = {
        "the values are added up without x": values.astype(np.float64),
        "x is added up without the values": x[places].astype(np.float64),
        "x is read at the place within the row, not at the entry's column": values * _at(x, place),
        "x is read at the number of the entry, not at its column": values * _at(x, np.arange(entries)),
        "the first entry of each row is left out": products * (place > 0),
        "the last entry of each row is left out": products * (place < lengths - 1),
        "only the first LANES entries of a row are added": products * (place < LANES),
        "the entries after the last whole LANES of a row are left out": products * (place < lengths // LANES * LANES),
        "only the sum of lane 0 counts, as if there were no tree": products * (lane == 0),
        "the tree lacks its first step: the upper half of the lanes is left out": products * (lane < LANES // 2),
        "the tree lacks its last step: lanes with odd numbers are left out": products * (lane % 2 == 0),
        "the tree has its first step only": products * (lane % (LANES // 2) == 0),
    }
    return {words: _truth(starts, each) for words, each in made.items()}


def _truth(starts, terms):
    """Return the sums of the rows: differences of the sums up to each row would lose digits, so rows are added."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    sums, sizes = (np.bincount(rows, weights=each, minlength=len(starts) - 1) for each in (terms, np.abs(terms)))
    return {"y": Truth(value=sums, magnitude=sizes)}


def _at(x, places):
    """Return the numbers of x at these places; NaN past its end."""
    return np.where(places < len(x), x[np.minimum(places, len(x) - 1)], np.nan).astype(np.float64)


def _lengths(generator, rows, columns, entries):
    """Return the numbers of entries of the rows, which add up to `entries`. No row has more than `columns`."""
    weights = generator.exponential(size=rows) ** 2
    weights[generator.random(rows) < EMPTY] = 0
    if not weights.any():
        weights[:] = 1
    lengths = np.minimum(generator.multinomial(entries, weights / weights.sum()), columns)
    while missing := entries - lengths.sum():
        room = columns - lengths
        lengths += np.minimum(generator.multinomial(missing, room / room.sum()), room)
    return lengths


def _real(generator, count):
    return generator.uniform(-1, 1, count).astype(np.float32)


def _whole(generator, count):
    return (generator.integers(1, 8, count, endpoint=True) * generator.choice([-1, 1], count)).astype(np.float32)
