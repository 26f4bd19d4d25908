"""Pure comparisons of arrays with the oracle's values. grading/explain/wrong_arrays.py describes the outcome for
students.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.elements import element_of
from grader.course.structs import Struct
from grader.course.tolerance import ToleranceRule
from grader.course.truth.comparators import Standard, allowed_errors, bits, by_part, of_numbers, wrong_elements
from grader.course.truth.fields import component, parts_of
from grader.course.truth.oracle import Truth


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """Difference of an array from the truth, with the number of wrong elements and the first of them.

    `largest_error` is the largest error among the finite wrong elements, or None if there is no such element. `excess`
    is the largest ratio of such an error to the allowed error, or None if only equality is allowed. `whole` is true if
    the right elements are whole numbers. `rule` and `amount` come from the tolerance. `lanes` is the number of numbers
    in an element. `member` is the wrong number of a struct, such as ".best".
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
    lanes: int = 1
    member: str = ""


def compare(buffer: str, got: NDArray[Any], truth: Truth, standard: Standard) -> Mismatch | None:
    """Return None if `got` is right, otherwise its difference from the truth."""
    if standard.struct is not None:
        return _compare_structs(buffer, got, truth, standard, standard.struct)
    wrong = wrong_elements(got, truth, standard)
    return _describe(buffer, got, truth, wrong, standard) if wrong.any() else None


def _compare_structs(
    buffer: str, got: NDArray[Any], truth: Truth, standard: Standard, struct: Struct
) -> Mismatch | None:
    """Compare number by number. The result describes the first wrong number of the first wrong struct."""
    found = [*by_part(got, truth, standard, struct)]
    wrong = np.logical_or.reduce([each for _, _, _, each in found])
    if not wrong.any():
        return None
    first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    part, own, right, own_wrong = next(each for each in found if each[3][first])
    unwritten = _unwritten_structs(got, struct)
    return replace(
        _describe(buffer, own, right, own_wrong, of_numbers(standard)),
        wrong=int(np.count_nonzero(wrong)),
        unwritten=int(np.count_nonzero(unwritten if unwritten.all() else unwritten & wrong)),
        member=part.words,
    )


def _describe(
    buffer: str,
    got: NDArray[Any],
    truth: Truth,
    wrong: NDArray[np.bool_],
    standard: Standard,
) -> Mismatch:
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    allowed = allowed_errors(got, truth, standard)
    unwritten = unwritten_elements(got, wrong)
    measurable = wrong & np.isfinite(got)
    errors = _errors(got[measurable], truth.value[measurable])
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
        largest_error=_number(errors.max()) if errors.size else None,
        excess=float(excess.max()) if excess is not None and excess.size else None,
        whole=bool((truth.value == np.trunc(truth.value)).all()),
        rule=standard.tolerance.rule,
        amount=standard.amount,
        lanes=standard.lanes,
    )


def _errors(got: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return the absolute differences, as exact whole numbers if both arrays contain whole numbers."""
    if got.dtype.kind == "f" or right.dtype.kind == "f":
        return np.asarray(np.abs(got.astype(np.float64) - right.astype(np.float64)))
    right = right.astype(got.dtype)
    wide = np.int64 if got.dtype.kind == "i" else np.uint64
    high, low = np.maximum(got, right).astype(wide), np.minimum(got, right).astype(wide)
    return np.asarray(high.view(np.uint64) - low.view(np.uint64))  # modulo 2^64, and so exact


def _number(element: Any) -> float:
    """Return a whole number as an int, so that it keeps all digits, and any other number as a float."""
    return int(element) if isinstance(element, np.integer) else float(element)


def place(mismatch: Mismatch) -> str:
    """Return the first wrong element in the notation of OpenCL C, such as C[3][7], or C[3].y in an array of vectors."""
    index = mismatch.index[:-1] if mismatch.lanes > 1 else mismatch.index
    words = mismatch.buffer + "".join(f"[{each}]" for each in index)
    if mismatch.lanes == 1:
        return words + mismatch.member
    return f"{words}.{component(mismatch.index[-1], mismatch.lanes)}"


BYTES_BY_CHANCE = 1 / 16
"""Share of the wrong bytes that may hold the poison by chance. A wrong byte holds it in one of 126 cases."""


def unwritten_elements(got: NDArray[Any], wrong: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True for each wrong element that still has its bits from before the launch, or for all elements if all
    have. In a type of one byte, few such elements are a chance, and none of them counts.
    """
    kept = _kept(got)
    if kept.all():
        return kept
    kept &= wrong
    if got.dtype.itemsize == 1 and np.count_nonzero(kept) < BYTES_BY_CHANCE * np.count_nonzero(wrong):
        return np.zeros_like(kept)
    return kept


def _kept(got: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(bits(got) == element_of(got.dtype.name).poison, dtype=np.bool_)


def _unwritten_structs(got: NDArray[Any], struct: Struct) -> NDArray[np.bool_]:
    """Return True for each struct in which no number has changed its bits since before the launch."""
    return np.asarray(np.logical_and.reduce([_kept(part.of(got)) for part in parts_of(struct)]), dtype=np.bool_)


def first_stray_write(band: NDArray[np.unsignedinteger[Any]], poison: int) -> int | None:
    """Return the index of the first element of a guard band that has lost its poison, or None if no element has."""
    changed = np.flatnonzero(band != band.dtype.type(poison))
    return int(changed[0]) if changed.size else None


def unchanged(got: NDArray[np.unsignedinteger[Any]], sent: NDArray[Any]) -> bool:
    """Return True if an input came back exactly as it was sent, to the bit. `got` is flat."""
    return bool(np.array_equal(got, np.ascontiguousarray(sent).reshape(-1).view(got.dtype)))
