"""y = A x for a sparse matrix in compressed rows."""

import numpy as np

from grader.oracle import Truth, csr


def inputs(generator, data, rows, columns, entries, **_):
    """Return a matrix whose rows differ in length, and a vector.

    Numbers are random, or small whole numbers other than 0.
    """
    starts, places = csr(generator, rows, columns, entries)
    numbers = _whole if data == "integers" else _real
    return {
        "starts": starts,
        "places": places,
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


def _real(generator, count):
    return generator.uniform(-1, 1, count).astype(np.float32)


def _whole(generator, count):
    return (generator.integers(1, 8, count, endpoint=True) * generator.choice([-1, 1], count)).astype(np.float32)
