"""Rules by which an array counts as right. COMPARATORS lists them by the names that assignment.yaml accepts.

A comparator decides which elements are wrong. Most of them allow an error for each element. A comparator of whole
arrays (`share`, `multiset`) may accept an array although elements differ.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.criteria import DataSet
from grader.course.elements import element_of
from grader.course.tolerance import Tolerance, ToleranceRule
from grader.course.truth.oracle import Truth

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Errors = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The standard of right results: the assignment's tolerance, its amount at these sizes, the kind of data, and the
    numbers in an element.
    """

    tolerance: Tolerance
    amount: float
    data: DataSet
    lanes: int = 1


@dataclass(frozen=True)
class Comparator:
    """A rule: `wrong` gives the mask of wrong elements, `allowed` the largest error that is not wrong for each element,
    or None if elements must be equal.
    """

    wrong: Callable[[Array, Truth, Standard], Mask]
    allowed: Callable[[Array, Truth, Standard], Errors | None] = lambda *_: None


def bits(array: Array) -> NDArray[np.unsignedinteger[Any]]:
    """The bits of each element, as a whole number."""
    return array.view(f"u{array.dtype.itemsize}")


def _differs(got: Array, truth: Truth, _: Standard) -> Mask:
    """Other bits than the right element; for whole numbers, another value."""
    if got.dtype.kind != "f":
        return np.asarray(got != truth.value, dtype=np.bool_)
    return np.asarray(bits(got) != bits(np.ascontiguousarray(truth.value, dtype=got.dtype)), dtype=np.bool_)


def _exceeds(allowed: Callable[[Array, Truth, Standard], Errors | None]) -> Callable[[Array, Truth, Standard], Mask]:
    """Return the function that finds errors above the allowed ones. NaN is always wrong."""

    def wrong(got: Array, truth: Truth, standard: Standard) -> Mask:
        most = allowed(got, truth, standard)
        with np.errstate(invalid="ignore"):  # a kernel may have produced NaN and infinities
            if most is None:
                return np.asarray(~(got == truth.value), dtype=np.bool_)
            return np.asarray(~(np.abs(_real(got) - _real(truth.value)) <= most), dtype=np.bool_)

    return wrong


def _real(array: Array) -> Array:
    """Floats unchanged, whole numbers as doubles, so that differences cannot overflow."""
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _rounding(got: Array, truth: Truth, standard: Standard) -> Errors | None:
    """`amount` units of u * magnitude. Whole numbers, and sums of the data set `integers`, must be equal."""
    unit = element_of(got.dtype.name).unit_roundoff
    if unit is None or standard.data == "integers" or truth.value.dtype.kind in "iu":
        return None
    if truth.magnitude is None:
        raise SolutionError("the oracle gives no magnitude, which the rule `rounding` needs.")
    return standard.amount * unit * truth.magnitude


def _ulp(got: Array, truth: Truth, standard: Standard) -> Errors:
    """`amount` times the distance to the next number of the type."""
    return np.asarray(standard.amount * np.spacing(np.abs(truth.value.astype(got.dtype))).astype(np.float64))


def _relative(_: Array, truth: Truth, standard: Standard) -> Errors:
    """`amount` times the absolute value of the right element."""
    return np.asarray(standard.amount * np.abs(truth.value.astype(np.float64)))


def _absolute(got: Array, _: Truth, standard: Standard) -> Errors:
    """`amount`, for each element."""
    return np.full(got.shape, standard.amount)


def _share(got: Array, truth: Truth, standard: Standard) -> Mask:
    """All elements that differ, if they are more than the share `amount` of the array; otherwise none."""
    wrong = _differs(got, truth, standard)
    return wrong if wrong.mean() > standard.amount else np.zeros_like(wrong)


def _multiset(got: Array, truth: Truth, _: Standard) -> Mask:
    """Elements that the right array does not have, or has less often. The order of elements does not matter."""
    values, group, counts = np.unique(got.reshape(-1), return_inverse=True, return_counts=True, equal_nan=False)
    right, right_counts = np.unique(truth.value.astype(got.dtype), return_counts=True)
    places = np.minimum(np.searchsorted(right, values), right.size - 1)
    wanted = np.where(right[places] == values, right_counts[places], 0)
    order = np.argsort(group, kind="stable")
    rank = np.empty(group.size, dtype=np.intp)
    rank[order] = np.arange(group.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray((rank >= wanted[group]).reshape(got.shape), dtype=np.bool_)


def _none(got: Array, *_: Any) -> Mask:
    """No element: the function `check` of oracle.py decides about the array as a whole."""
    return np.zeros(got.shape, dtype=np.bool_)


COMPARATORS: Mapping[ToleranceRule, Comparator] = {
    "exact": Comparator(_differs),
    "rounding": Comparator(_exceeds(_rounding), _rounding),
    "ulp": Comparator(_exceeds(_ulp), _ulp),
    "relative": Comparator(_exceeds(_relative), _relative),
    "absolute": Comparator(_exceeds(_absolute), _absolute),
    "share": Comparator(_share),
    "multiset": Comparator(_multiset),
    "judge": Comparator(_none),
}
"""Comparators by the names of the rules."""


def wrong_elements(got: Array, truth: Truth, standard: Standard) -> Mask:
    """True for each wrong element. Elements that the oracle leaves undefined are never wrong."""
    wrong = COMPARATORS[standard.tolerance.rule].wrong(got, truth, standard)
    return wrong if truth.defined is None else wrong & truth.defined


def allowed_errors(got: Array, truth: Truth, standard: Standard) -> Errors | None:
    """Largest error of each element that is not wrong; None if elements must be equal."""
    return COMPARATORS[standard.tolerance.rule].allowed(got, truth, standard)
