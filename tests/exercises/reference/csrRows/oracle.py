"""The product of a sparse matrix and a vector. Rows are summed in long double, which is more precise than double on
most machines.
"""

import numpy as np

from grader.oracle import Truth, csr


def inputs(generator, data, rows, columns, entries, **_):
    """Return a sparse matrix with some empty and some long rows."""
    starts, places = csr(generator, rows, columns, entries)
    numbers = generator.integers(1, 8, entries) if data == "integers" else generator.uniform(0.5, 1, entries)
    return {"starts": starts, "places": places, "numbers": numbers * generator.choice([-1, 1], entries)}


def expected(starts, places, numbers, x, **_):
    """Return the product. The magnitude of each element is the sum of the absolute values of its terms."""
    return _truth(starts, numbers * x[places])


def mistakes(starts, places, numbers, x, **_):
    """Return products that ignore x, or that leave out the first entry of each row."""
    products = numbers * x[places]
    first = starts[:-1][np.diff(starts) > 0]
    without = products.copy()
    without[first] = 0
    return {
        "the values are added up without x": _truth(starts, numbers),
        "the first entry of each row is left out": _truth(starts, without),
    }


def _truth(starts, terms):
    sums = [_sum(terms[a:b]) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    sizes = [_sum(np.abs(terms[a:b])) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    return {"y": Truth(value=np.array(sums, np.float64), magnitude=np.array(sizes, np.float64))}


def _sum(terms):
    return terms.astype(np.longdouble).sum()
