"""comparators.py: which elements each rule calls wrong."""

from typing import get_args

import numpy as np
import pytest
from pydantic import ValidationError

from grader.course.tolerance import Tolerance, ToleranceRule
from grader.course.truth.comparators import COMPARATORS, Standard, allowed_errors, wrong_elements
from grader.course.truth.oracle import Truth


def standard(rule, amount=None, data="random"):
    """Return the standard of a rule, with its limit if it has one."""
    return Standard(tolerance=Tolerance(rule=rule, at_most=amount), amount=amount or 0.0, data=data)


def wrong(got, right, rule, amount=None, defined=None):
    """Return the indices of wrong elements."""
    truth = Truth(value=np.asarray(right), defined=defined)
    return np.flatnonzero(wrong_elements(np.asarray(got), truth, standard(rule, amount))).tolist()


def test_the_rules_of_the_file_are_the_comparators():
    """Each rule that assignment.yaml accepts has a comparator."""
    assert set(get_args(ToleranceRule)) == set(COMPARATORS)


def test_units_in_the_last_place():
    """Two units are right and three are wrong, at any magnitude and sign."""
    right = np.array([1.0, -1e30, 1e-30], np.float32)
    unit = np.spacing(np.abs(right))
    assert wrong(right + 2 * unit, right, "ulp", 2) == []
    assert wrong(right + 3 * unit, right, "ulp", 2) == [0, 1, 2]


def test_relative_and_absolute_errors():
    """A relative limit grows with the right value, an absolute one does not. NaN is wrong by both."""
    right = np.array([1.0, 100.0, 0.0, 5.0])
    got = right + np.array([0.005, 0.5, 0.005, np.nan])
    assert wrong(got, right, "relative", 0.01) == [2, 3]
    assert wrong(got, right, "absolute", 0.01) == [1, 3]


def test_bytes_that_differ_by_one_are_within_an_absolute_limit():
    """Differences of unsigned bytes do not wrap around: 0 and 255 are far apart."""
    assert wrong(np.array([0, 10, 12], np.uint8), np.array([255, 11, 10], np.uint8), "absolute", 1) == [0, 2]


def test_a_share_of_elements_may_differ():
    """One of a hundred elements may differ at 1 %, two may not, and then both are shown."""
    right = np.arange(100, dtype=np.int32)
    got = right.copy()
    got[7] = -1
    assert wrong(got, right, "share", 0.01) == []
    got[90] = -1
    assert wrong(got, right, "share", 0.01) == [7, 90]


def test_elements_in_any_order():
    """The order does not matter, but each value must be there exactly as often as expected."""
    right = np.array([5, 1, 1, 9], np.uint32)
    assert wrong(np.array([1, 9, 5, 1], np.uint32), right, "multiset") == []
    assert wrong(np.array([1, 9, 1, 1], np.uint32), right, "multiset") == [3]
    assert wrong(np.array([2, 9, 5, 1], np.uint32), right, "multiset") == [0]
    assert wrong(np.array([np.nan, 2.0], np.float32), np.array([2.0, 1.0], np.float32), "multiset") == [0]


def test_undefined_elements_are_never_wrong():
    """Elements outside the defined part may have any value."""
    assert wrong(np.array([1, 2, 3]), np.array([1, 0, 0]), "exact", defined=np.array([True, True, False])) == [1]


@pytest.mark.parametrize("rule", ["ulp", "relative", "absolute", "share"])
def test_a_limit_is_required(rule):
    """A rule with a limit is refused without one, and a rule without a limit is refused with one."""
    with pytest.raises(ValidationError, match=f"the rule {rule} needs `at_most`"):
        Tolerance(rule=rule)
    with pytest.raises(ValidationError, match="the rule exact has no `at_most`"):
        Tolerance(rule="exact", at_most=1)


def test_long_numbers_are_compared_with_all_their_digits():
    """Two numbers of 64 bits that are equal as doubles differ."""
    big = np.array([2**62], np.uint64)
    assert wrong(big + np.uint64(1), big, "exact") == [0]
    assert allowed_errors(big, Truth(value=big), standard("exact")) is None
