"""y = a*x + y: the truth with which results are compared. It must share neither code nor rounding with a kernel."""

import numpy as np

from grader.oracle import Truth


def expected(x, y, a, **_):
    """Return the truth of y = a*x + y. x and y are float32 arrays of n elements.

    Use the arguments that you need as parameters: arrays, sizes, scalars, constants. Return a Truth for every buffer
    that is an output or updated, computed in double precision. A result may be off by factor * 2^-24 * magnitude. In
    this example, a kernel rounds twice, after the product and after the sum, each time by at most 2^-24 * (|a*x| +
    |y|). That sum is the magnitude, and the factor in assignment.yaml is 2. With fma, the kernel rounds only once.
    """
    x, y = x.astype(np.float64), y.astype(np.float64)
    return {"y": Truth(value=a * x + y, magnitude=np.abs(a * x) + np.abs(y))}


def mistakes(x, y, a, **_):
    """Return the values of y that common mistakes produce, the likeliest first. The words explain a result that equals
    one of them.
    """
    x, y = x.astype(np.float64), y.astype(np.float64)
    magnitude = np.abs(a * x) + np.abs(y)
    results = {
        "the old y is left out, so that y becomes a*x": a * x,
        "the factor a is left out, so that y becomes x + y": x + y,
        "the factor is applied to y, not to x": x + a * y,
        "a*x is subtracted": y - a * x,
    }
    return {words: {"y": Truth(value=value, magnitude=magnitude)} for words, value in results.items()}
