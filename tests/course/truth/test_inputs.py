"""inputs.py: secret input data that is determined by a key."""

import numpy as np
import pytest

from grader.course.elements import INTEGER_BOUND
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import load_oracle


def test_the_same_key_gives_the_same_inputs_and_another_gives_others(transposition):
    """Equal keys give equal inputs and other keys different ones, so a grading can be repeated from its seed."""
    sizes = {"height": 20, "width": 30}
    first = make_inputs(transposition, load_oracle(transposition), sizes, "random", (1, 0, 2))["A"]
    assert np.array_equal(
        first, make_inputs(transposition, load_oracle(transposition), sizes, "random", (1, 0, 2))["A"]
    )
    for key in ((2, 0, 2), (1, 1, 2), (1, 0, 3)):
        assert not np.array_equal(
            first, make_inputs(transposition, load_oracle(transposition), sizes, "random", key)["A"]
        )


def test_moved_data_is_finite_normal_and_hardly_ever_the_same(transposition):
    """Data to be moved has no NaN, infinity or subnormal. Words hardly ever repeat, so each can be identified in the
    output.
    """
    array = make_inputs(transposition, load_oracle(transposition), {"height": 1000, "width": 700}, "random", (3,))["A"]
    assert array.dtype == np.float32
    assert array.shape == (1000, 700)
    assert np.unique(array.view(np.uint32)).size > array.size - 500
    assert np.isfinite(array).all()
    assert (np.abs(array) >= np.finfo(np.float32).tiny).all()
    assert 0.4 < (array > 0).mean() < 0.6


@pytest.mark.whole
def test_moved_data_is_no_progression(transposition):
    """Differences between neighbouring words hardly ever repeat, so two words do not determine a third."""
    array = make_inputs(transposition, load_oracle(transposition), {"height": 1000, "width": 700}, "random", (3,))["A"]
    words = array.view(np.uint32).reshape(-1).astype(np.int64)
    for _ in range(2):
        words = np.diff(words)
        assert np.unique(words).size > 0.99 * words.size


def test_numbers_fill_their_range_and_buffers_differ(product):
    """Random numbers are uniform in [-1, 1), and the two operands differ."""
    inputs = make_inputs(product, load_oracle(product), {"heightA": 100, "widthB": 100, "widthA": 100}, "random", (4,))
    assert not np.array_equal(inputs["A"], inputs["B"])
    for array in inputs.values():
        assert -1 <= array.min() < -0.99
        assert 0.99 < array.max() < 1


def test_integers_are_whole_and_small_enough_to_sum_exactly(product):
    """Integers are so small that a sum of K products stays below 2^24 and is therefore exact in fp32."""
    for case in product.correctness.cases:
        if case.data == "integers":
            inputs = make_inputs(product, load_oracle(product), case.sizes, "integers", (5,))
            assert case.sizes["widthA"] * INTEGER_BOUND**2 < 2**24
            for array in inputs.values():
                assert np.array_equal(array, np.round(array))
                assert np.abs(array).max() == INTEGER_BOUND
