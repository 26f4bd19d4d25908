"""comparison.py: which results count as right, and how a wrong array is described."""

import numpy as np
import pytest

from grader.common.errors import SolutionError
from grader.course.elements import ELEMENTS
from grader.course.poison import INPUT_POISON, POISON
from grader.course.tolerance import Tolerance
from grader.course.truth.comparators import Standard
from grader.course.truth.comparison import compare, first_stray_write, unchanged
from grader.course.truth.oracle import Truth

UNIT_ROUNDOFF = ELEMENTS["float"].unit_roundoff

EXACT = Standard(tolerance=Tolerance(rule="exact"), amount=1.0, data="random")


def rounding(factor=1.0, data="random"):
    return Standard(tolerance=Tolerance(rule="rounding", factor=factor), amount=factor, data=data)


def product(k, dtype=np.float32, drop=0, n=40):
    """Return a product computed in `dtype` without its last `drop` terms, and the truth."""
    generator = np.random.default_rng(k)
    a = generator.uniform(-1, 1, (n, k)).astype(np.float32)
    b = generator.uniform(-1, 1, (k, n)).astype(np.float32)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    truth = Truth(value=wide_a @ wide_b, magnitude=np.abs(wide_a) @ np.abs(wide_b))
    kept = k - drop
    got = np.zeros((n, n), dtype=np.float32)
    for i in range(kept):
        got += (a[:, i : i + 1].astype(dtype) * b[i : i + 1].astype(dtype)).astype(np.float32)
    return got, truth


@pytest.mark.parametrize("k", [1, 16, 100, 700])
def test_single_precision_sums_pass(k):
    """A product that is summed in fp32 is within 3 * u * sqrt(K) * |A||B|."""
    got, truth = product(k)
    assert compare("C", got, truth, rounding(3 * np.sqrt(k))) is None


@pytest.mark.parametrize("k", [16, 100, 700])
def test_half_precision_operands_fail(k):
    """A product of fp16 operands exceeds the limit, although allclose(rtol=1e-2) would accept it."""
    got, truth = product(k, dtype=np.float16)
    mismatch = compare("C", got, truth, rounding(3 * np.sqrt(k)))
    assert mismatch is not None
    assert mismatch.excess > 1


@pytest.mark.parametrize("k", [16, 100, 700])
def test_a_dropped_term_fails(k):
    """A product that lacks one term exceeds the limit by a factor of more than 10."""
    got, truth = product(k, drop=1)
    mismatch = compare("C", got, truth, rounding(3 * np.sqrt(k)))
    assert mismatch is not None
    assert mismatch.excess > 10


@pytest.mark.parametrize("standard", [EXACT, rounding(1e30), rounding(data="integers")])
def test_not_a_number_is_always_wrong(standard):
    """NaN is wrong under every tolerance."""
    got = np.array([[1.0, np.nan]], dtype=np.float32)
    truth = Truth(value=np.array([[1.0, 2.0]]), magnitude=np.ones((1, 2)))
    mismatch = compare("B", got, truth, standard)
    assert mismatch is not None
    assert mismatch.index == (0, 1)


def test_moved_data_is_compared_by_its_bits():
    """Moved data is compared bit by bit, so -0 differs from 0."""
    truth = Truth(value=np.array([0.0, 1.0], dtype=np.float32))
    assert compare("B", np.array([0.0, 1.0], dtype=np.float32), truth, EXACT) is None
    assert compare("B", np.array([-0.0, 1.0], dtype=np.float32), truth, EXACT) is not None


def test_integers_are_compared_for_equality():
    """For whole numbers, even the smallest error is wrong."""
    truth = Truth(value=np.array([1000.0, 7.0]), magnitude=np.full(2, 1e9))
    assert compare("C", np.array([1000.0, 7.0], dtype=np.float32), truth, rounding(data="integers")) is None
    assert compare("C", np.array([1000.0, 7.0000005], dtype=np.float32), truth, rounding(data="integers")) is not None


def test_a_mismatch_is_counted_and_located():
    """A mismatch counts the wrong and the unwritten elements, and contains the first wrong index with both values.

    It also contains the largest error and its excess over the tolerance.
    """
    value = np.arange(12, dtype=np.float64).reshape(3, 4)
    got = value.astype(np.float32)
    got[1, 2] += 1
    got[2, 0] -= 5
    got.view(np.uint32)[2, 3] = POISON
    mismatch = compare("C", got, Truth(value=value, magnitude=np.ones((3, 4))), rounding(0.5 / UNIT_ROUNDOFF))
    assert mismatch is not None
    assert (mismatch.wrong, mismatch.total, mismatch.unwritten) == (3, 12, 1)
    assert (mismatch.index, mismatch.got, mismatch.expected) == ((1, 2), 7.0, 6.0)
    assert (mismatch.largest_error, mismatch.excess) == (5.0, 10.0)


def test_elements_that_are_no_numbers_do_not_hide_the_errors_of_others():
    """The largest error ignores NaN and infinity. It is None if there is no finite element."""
    truth = Truth(value=np.zeros(3), magnitude=np.ones(3))
    mixed = compare("C", np.array([np.nan, 3.0, np.inf], dtype=np.float32), truth, rounding())
    assert (mixed.wrong, mixed.largest_error) == (3, 3.0)
    assert compare("C", np.full(3, np.nan, dtype=np.float32), truth, rounding()).largest_error is None


def test_the_rounding_rule_needs_a_magnitude():
    """A truth without a magnitude raises SolutionError under the rounding rule."""
    with pytest.raises(SolutionError, match="no magnitude"):
        compare("C", np.zeros(2, dtype=np.float32), Truth(value=np.zeros(2)), rounding())


def test_stray_writes_and_changed_inputs_are_found():
    """A single stray word, and a single changed bit of an input, are found."""
    band = np.full(1024, POISON, dtype=np.uint32)
    assert first_stray_write(band, POISON) is None
    band[17] = INPUT_POISON
    assert first_stray_write(band, POISON) == 17
    sent = np.arange(6, dtype=np.float32).reshape(2, 3)
    back = sent.copy().view(np.uint32).reshape(-1)
    assert unchanged(back, sent)
    back[5] ^= 1
    assert not unchanged(back, sent)


@pytest.mark.parametrize(("poisoned", "unwritten"), [(2, 0), (50, 50), (500, 500)])
def test_a_wrong_byte_may_hold_the_poison_by_chance(poisoned, unwritten):
    """Two of 500 wrong bytes that hold the poison do not count as unwritten, but 50 do."""
    right = np.zeros(500, dtype=np.uint8)
    got = right + 1
    got[:poisoned] = ELEMENTS["uchar"].poison
    assert compare("out", got, Truth(value=right), EXACT).unwritten == unwritten
