"""Pure comparisons of arrays with the oracle's values; grading/explain/problem.py words the outcome for students."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.elements import element_of
from grader.course.tolerance import ToleranceRule
from grader.course.truth.comparators import Standard, allowed_errors, bits, wrong_elements
from grader.course.truth.oracle import Truth


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """Difference of an array from the truth: the number of wrong elements, and the first of them.

    `largest_error` is the largest error of the finite wrong elements, None if there is no such element. `excess` is the
    largest ratio of an error to the allowed error there, None if only equality is allowed. `whole` is true if the right
    elements are whole numbers. `rule` and `amount` are the tolerance's.
    """

    buffer: str
    wrong: int
    total: int
    unwritten: int
    index: tuple[int, ...]
    first_unwritten: bool
    got: float
    """A whole number if the elements are."""
    expected: float
    largest_error: float | None
    excess: float | None
    whole: bool = False
    rule: ToleranceRule = "rounding"
    amount: float = 0.0


def compare(buffer: str, got: NDArray[Any], truth: Truth, standard: Standard) -> Mismatch | None:
    """Return None if `got` is right, otherwise its difference from the truth."""
    wrong = wrong_elements(got, truth, standard)
    return _describe(buffer, got, truth, wrong, standard) if wrong.any() else None


def _describe(
    buffer: str,
    got: NDArray[Any],
    truth: Truth,
    wrong: NDArray[np.bool_],
    standard: Standard,
) -> Mismatch:
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    allowed = allowed_errors(got, truth, standard)
    unwritten = wrong & unwritten_elements(got)
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
        got=_number(got[index]),
        expected=_number(truth.value[index]),
        largest_error=float(errors.max()) if errors.size else None,
        excess=float(excess.max()) if excess is not None and excess.size else None,
        whole=bool((truth.value == np.trunc(truth.value)).all()),
        rule=standard.tolerance.rule,
        amount=standard.amount,
    )


def _number(element: Any) -> float:
    """The element as an int if its type has whole numbers, so that it keeps all digits; otherwise as a float."""
    return int(element) if isinstance(element, np.integer) else float(element)


def unwritten_elements(got: NDArray[Any]) -> NDArray[np.bool_]:
    """True for each element that still has its bits from before the launch."""
    return np.asarray(bits(got) == element_of(got.dtype.name).poison, dtype=np.bool_)


def first_stray_write(band: NDArray[np.unsignedinteger[Any]], poison: int) -> int | None:
    """Index of the first element of a guard band that has lost its poison; None if no element has."""
    changed = np.flatnonzero(band != band.dtype.type(poison))
    return int(changed[0]) if changed.size else None


def unchanged(got: NDArray[np.unsignedinteger[Any]], sent: NDArray[Any]) -> bool:
    """True if an input came back exactly as it was sent, to the bit; `got` is flat."""
    return bool(np.array_equal(got, np.ascontiguousarray(sent).reshape(-1).view(got.dtype)))
