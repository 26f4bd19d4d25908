"""Pure comparisons of arrays with the oracle's values. grading/explain/problem.py describes the outcome for
students.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.criteria import DataSet, Tolerance
from grader.course.elements import element_of
from grader.course.truth.oracle import Truth


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """Difference of an array from the truth, with the number of wrong elements and the first of them.

    `largest_error` is the largest error among the finite wrong elements, or None if there is no such element. `excess`
    is the largest ratio of such an error to the allowed error, or None if only equality is allowed. `whole` is true if
    the right elements are whole numbers.
    """

    buffer: str
    wrong: int
    total: int
    unwritten: int
    index: tuple[int, ...]
    first_unwritten: bool
    got: float
    expected: float
    largest_error: float | None
    excess: float | None
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Standard:
    """The standard that right results must meet: the assignment's tolerance, its factor at these sizes, and the kind of
    data.
    """

    tolerance: Tolerance
    factor: float
    data: DataSet


def compare(buffer: str, got: NDArray[Any], truth: Truth, standard: Standard) -> Mismatch | None:
    """Return None if `got` is right, otherwise its difference from the truth."""
    wrong = wrong_elements(buffer, got, truth, standard)
    return _describe(buffer, got, truth, wrong, _allowed(buffer, got, truth, standard)) if wrong.any() else None


def wrong_elements(buffer: str, got: NDArray[Any], truth: Truth, standard: Standard) -> NDArray[np.bool_]:
    """Return True for each element that is wrong by this standard. NaN is always wrong, and so is any whole number
    other than the right one.
    """
    if got.dtype.kind != "f":
        wrong = got != truth.value
    elif standard.tolerance.rule == "exact":
        wrong = bits(got) != bits(np.ascontiguousarray(truth.value, dtype=got.dtype))
    else:
        allowed = _allowed(buffer, got, truth, standard)
        with np.errstate(invalid="ignore"):  # a kernel may have produced NaN and infinities
            wrong = ~(got == truth.value if allowed is None else np.abs(got - truth.value) <= allowed)
    return np.asarray(wrong, dtype=np.bool_)


def _allowed(buffer: str, got: NDArray[Any], truth: Truth, standard: Standard) -> NDArray[np.float64] | None:
    """Return the largest error of each element that counts as rounding, or None if results must be equal."""
    if standard.tolerance.rule == "exact" or standard.data == "integers" or truth.value.dtype.kind in "iu":
        return None
    if truth.magnitude is None:
        raise SolutionError(f"the oracle gives no magnitude for {buffer}, which the rule `rounding` needs.")
    unit = element_of(got.dtype.name).unit_roundoff
    return None if unit is None else standard.factor * unit * truth.magnitude


def _describe(
    buffer: str,
    got: NDArray[Any],
    truth: Truth,
    wrong: NDArray[np.bool_],
    allowed: NDArray[np.float64] | None,
) -> Mismatch:
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    unwritten = unwritten_elements(got)
    measurable = wrong & np.isfinite(got)
    errors = np.abs(got[measurable].astype(np.float64) - truth.value[measurable].astype(np.float64))
    with np.errstate(divide="ignore"):  # if only equality is allowed, the excess is infinite
        excess = errors / allowed[measurable] if allowed is not None else None
    return Mismatch(
        buffer=buffer,
        wrong=int(np.count_nonzero(wrong)),
        total=wrong.size,
        unwritten=int(np.count_nonzero(unwritten)),
        index=index,
        first_unwritten=bool(unwritten[index]),
        got=float(got[index]),
        expected=float(truth.value[index]),
        largest_error=float(errors.max()) if errors.size else None,
        excess=float(excess.max()) if excess is not None and excess.size else None,
        whole=bool((truth.value == np.trunc(truth.value)).all()),
    )


def bits(array: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    """Return the bits of each element as a whole number."""
    return array.view(f"u{array.dtype.itemsize}")


def unwritten_elements(got: NDArray[Any]) -> NDArray[np.bool_]:
    """Return True for each element that still has its value from before the launch."""
    return np.asarray(bits(got) == element_of(got.dtype.name).poison, dtype=np.bool_)


def first_stray_write(band: NDArray[np.uint32], poison: int) -> int | None:
    """Return the index of the first word of a guard band that has lost its poison, or None if no word has."""
    changed = np.flatnonzero(band != np.uint32(poison))
    return int(changed[0]) if changed.size else None


def unchanged(got: NDArray[np.uint32], sent: NDArray[Any]) -> bool:
    """Return True if an input came back exactly as it was sent, to the bit. `got` is flat."""
    return bool(np.array_equal(got, np.ascontiguousarray(sent).view(np.uint32).reshape(-1)))
