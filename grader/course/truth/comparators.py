"""Rules by which an array counts as right. COMPARATORS lists them by the names that assignment.yaml accepts.

A comparator decides which elements are wrong. Most of them allow an error for each element. A comparator of whole
arrays (`share`, `multiset`) may accept an array although elements differ.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.criteria import DataSet
from grader.course.elements import element_of
from grader.course.structs import Struct
from grader.course.tolerance import Tolerance, ToleranceRule
from grader.course.truth.fields import FieldPart, parts_of
from grader.course.truth.oracle import Truth

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Errors = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The standard of right results: the assignment's tolerance, its amount at these sizes, the kind of data, the
    numbers in an element, and the struct that an element is, if it is one.
    """

    tolerance: Tolerance
    amount: float
    data: DataSet
    lanes: int = 1
    struct: Struct | None = None


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
    """`amount` times the distance to the next number of the type, which is 1 for whole numbers."""
    if got.dtype.kind != "f":
        return np.full(got.shape, standard.amount)
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
    """True for each wrong element. Elements that the oracle leaves undefined are never wrong, and a struct is wrong if
    one of its numbers is.
    """
    if standard.struct is not None:
        wrongs = [wrong for _, _, _, wrong in by_part(got, truth, standard, standard.struct)]
        return np.asarray(np.logical_or.reduce(wrongs), dtype=np.bool_)
    wrong = COMPARATORS[standard.tolerance.rule].wrong(got, truth, standard)
    return wrong if truth.defined is None else wrong & truth.defined


def by_part(
    got: Array, truth: Truth, standard: Standard, struct: Struct
) -> Iterator[tuple[FieldPart, Array, Truth, Mask]]:
    """Yield each number of a struct, its array and its truth, and the mask of wrong elements."""
    for part in parts_of(struct):
        own, right = part.of(got), truth_of(part, truth)
        yield part, own, right, wrong_elements(own, right, of_numbers(standard))


def truth_of(part: FieldPart, truth: Truth) -> Truth:
    """Return the truth of one number of a struct."""
    magnitude, defined = truth.magnitude, truth.defined
    has_magnitude = magnitude is not None and part.member.name in (magnitude.dtype.names or ())
    return Truth(
        value=part.of(truth.value),
        magnitude=part.of(magnitude) if magnitude is not None and has_magnitude else None,
        defined=defined if defined is None or defined.dtype.names is None else part.of(defined),
    )


def of_numbers(standard: Standard) -> Standard:
    """Return the standard for the numbers that structs consist of."""
    return replace(standard, struct=None)


def allowed_errors(got: Array, truth: Truth, standard: Standard) -> Errors | None:
    """Largest error of each element that is not wrong; None if elements must be equal."""
    return COMPARATORS[standard.tolerance.rule].allowed(got, truth, standard)
