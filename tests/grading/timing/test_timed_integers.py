"""The integers of timed rounds on a GPU (`performance.integers`): sums in single precision are exact, and numbers in
half precision are not.

Sums that cannot exceed 2^24 are exact in any order of additions. For other sums, numbers of both signs are used. Their
partial sums are just as small in any order that does not depend on the values, and no kernel sorts the values first.
"""

from math import exp, sqrt

import numpy as np
import pytest
from project import ASSIGNMENTS

from grader.course.elements import EXACT
from grader.course.truth.mistakes import rounded_to_half
from grader.grading.timing.device_data import RANGES

ROUNDS = 130
"""Largest number of timed rounds in a grading: 100 that count, and the warm-up rounds."""

RESULTS = 2**24
"""Largest number of sums in a product."""

ONCE_IN = 1e6
"""Number of gradings in which at most one sum is expected to be too large."""


def chance(variance, sums):
    """Return the probability that any of these sums of independent uniform numbers exceeds 2^24 at any time in any
    round.

    A uniform number of either sign is sub-Gaussian with its own variance (Arbel, Marchal and Nguyen, "On strict
    sub-Gaussianity", 2020). The probability that a partial sum exceeds a bound is at most twice the probability that
    the final sum does (Levy).
    """
    return ROUNDS * sums * 2 * 2 * exp(-(EXACT**2) / (2 * variance))


def of_product(terms):
    """Return a function that computes the probability for a product in which each sum has this number of terms."""

    def bound(ranges, sizes):
        wide, narrow = sorted(ranges.values(), key=lambda each: each[0])
        assert wide[0] == -wide[1]
        squares = np.arange(narrow[0], narrow[1] + 1) ** 2
        most = squares.mean() + 9 * squares.std() / sqrt(sizes[terms])  # the average of every row is smaller
        return chance(sizes[terms] * most * wide[1] * (wide[1] + 1) / 3, sums=RESULTS)

    return bound


def of_recurrence(ranges, sizes):
    """Return the probability for the recurrence accum = a*a - accum. It is 0 if the smallest and the largest possible
    value of each column fit.
    """
    ((low, high),) = set(ranges.values())
    least = largest = 0
    for _ in range(sizes["width"]):
        least, largest = low * low - largest, high * high - least
        assert max(-least, largest) <= EXACT
    return 0


def of_levels(ranges, sizes):
    """Return the probability for the levels of the tanks. It is 0 if the sum of all inflows, which have the same sign,
    fits.
    """
    assert sizes["days"] * max(map(abs, ranges["inflow"])) <= EXACT
    return 0


def of_sum(ranges, sizes):
    """Return the probability for one sum of many words, including all partial sums."""
    low, high = ranges["A"]
    assert low == -high
    return chance(sizes["n"] * high * (high + 1) / 3, sums=2**20)


def of_pairs(ranges, _):
    """Return the probability for sums of two words. It is 0 if each sum fits."""
    assert max(abs(end) for each in ranges.values() for end in each) * 2 <= EXACT
    return 0


def of_distances(ranges, _):
    """Return the probability for sums of four squared differences. It is 0 if each sum fits."""
    low, high = ranges.get("points", RANGES["float"])
    assert 4 * (high - low) ** 2 <= EXACT
    return 0


def of_mask(ranges, _):
    """Return the probability for sums of 49 products of pixels and a mask. It is 0 if each sum fits."""
    assert 49 * max(map(abs, ranges["image"])) * max(map(abs, ranges["mask"])) <= EXACT
    return 0


def of_whole_numbers(*_):
    """Return 0 for sums of whole numbers, which are equal in any order even if they do not fit."""
    return 0


def of_moves(*_):
    """Return 0 for kernels that move words or change single characters, and add nothing in single precision."""
    return 0


BOUNDS = {
    **dict.fromkeys(("blockMMM", "rgblkMMM", "rectMMM", "transMMM"), of_product("widthA")),
    "productLadder": of_product("n"),
    **dict.fromkeys(("coalsProgrm", "optimProgram"), of_recurrence),
    "loopNest": of_levels,
    "reduction": of_sum,
    "vectorAdd": of_pairs,
    "nearestNeighbour": of_distances,
    "convolution": of_mask,
    **dict.fromkeys(("prefixScan", "byteHistogram", "gameOfLife"), of_whole_numbers),
    **dict.fromkeys(("bitonicSort", "stablePartition", "rot13"), of_moves),
}
"""For each assignment, a function that returns the probability that any sum of a grading is too large."""


def timed(course, name):
    """Yield the parts of an assignment whose timed inputs are integers that are generated on the device, each with its
    sizes on a GPU.
    """
    for part in course.load(name).parts:
        if part.performance.verifier is None and any(
            each.data != "bits" for each in part.buffers.values() if each.data
        ):
            yield part, part.performance.classes["gpu"].sizes


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_no_sum_is_too_large_for_a_float(course, name):
    """No sum is too large for single precision in any order of additions, so correct results are equal bit by bit."""
    for part, sizes in timed(course, name):
        for ranges in part.performance.integers:
            assert BOUNDS[name](ranges, sizes) < 1 / ONCE_IN


FITS = {
    **dict.fromkeys(("byteHistogram", "gameOfLife", "rot13"), "a byte takes less memory than half precision"),
    "nearestNeighbour": "the handout promises integers from -8 to 8, so a kernel may store them in half precision",
    "reduction": "each word is read only once, as a float, and the sums do not fit into half precision",
}
"""Assignments whose numbers can be stored in half precision, with the reason why this is acceptable."""

MOST_NUMBERS = "vectorAdd"
"""Assignment that uses half of all integers that single precision can represent. Rounding them takes seconds."""


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.whole if name == MOST_NUMBERS else ()) for name in ASSIGNMENTS],
)
def test_half_floats_do_not_hold_them(course, name):
    """For every input, half precision rounds at least a third of the numbers in some timed round."""
    for part, _ in timed(course, name):
        fed = {name for name, buffer in part.buffers.items() if buffer.data}
        rounded = set()
        for turn in part.performance.integers:
            for array in fed:
                low, high = turn.get(array, RANGES["float"])
                numbers = np.arange(low, high + 1, dtype=np.float32)
                with np.errstate(over="ignore"):
                    in_half = rounded_to_half(numbers)
                if np.mean(in_half != numbers) > 1 / 3:
                    rounded.add(array)
        assert rounded == (set() if part.called in FITS else fed)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_product_in_floats_is_exact_in_several_orders_and_in_half_floats_is_not(product, turn):
    """A product in single precision is exact in several orders of additions, and a product of numbers in half precision
    is not. The test computes a few rows and columns of the timed length.
    """
    generator = np.random.default_rng(turn)
    ranges = product.performance.integers[turn]
    terms = product.performance.classes["gpu"].sizes["widthA"]
    a, b = (generator.integers(*ranges[name], (16, terms), endpoint=True).astype(np.float32) for name in ("A", "B"))
    right = a.astype(np.float64) @ b.astype(np.float64).T
    products = a[:, None] * b[None]
    for order in (slice(None), slice(None, None, -1), generator.permutation(terms)):
        assert np.array_equal(np.cumsum(products[..., order], axis=-1, dtype=np.float32)[..., -1], right)
    one, other = (rounded_to_half(a), b) if turn == 0 else (a, rounded_to_half(b))
    assert np.mean(one.astype(np.float64) @ other.astype(np.float64).T != right) > 0.9
