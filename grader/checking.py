"""Is an array what the oracle says? Pure comparisons; words for the student are made in diagnosis.py."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.assignment import DataSet, Tolerance
from grader.errors import SolutionError
from grader.oracle import Truth

UNIT_ROUNDOFF = 2.0**-24
"""u of fp32: half the distance from 1 to the next number."""

POISON = 0x7FD5A3C9
"""Fills outputs and guard bands before every launch: a quiet NaN whose payload no input and no arithmetic makes."""

GUARD_BYTES = 4096
"""Size of the band on either side of a buffer; a multiple of every driver's base-address alignment seen (128, 512)."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """How an array differs from the truth.

    `excess` is the largest error over what is allowed there: None if it is not a number, or if nothing but equality
    is allowed.
    """

    buffer: str
    wrong: int
    total: int
    unwritten: int
    index: tuple[int, ...]
    got: float
    expected: float
    largest_error: float
    excess: float | None


@dataclass(frozen=True, kw_only=True)
class Standard:
    """What counts as right: the assignment's tolerance, its factor at the sizes at hand, and the kind of data."""

    tolerance: Tolerance
    factor: float
    data: DataSet


def compare(buffer: str, got: NDArray[np.float32], truth: Truth, standard: Standard) -> Mismatch | None:
    """None if `got` is right, else how it is wrong."""
    allowed: NDArray[np.float64] | None = None
    if standard.tolerance.rule == "exact":
        wrong = got.view(np.uint32) != np.ascontiguousarray(truth.value, dtype=np.float32).view(np.uint32)
    elif standard.data == "integers":
        wrong = ~(got == truth.value)
    else:
        if truth.magnitude is None:
            raise SolutionError(f"the oracle gives no magnitude for {buffer}, which the rule `rounding` needs.")
        allowed = standard.factor * UNIT_ROUNDOFF * truth.magnitude
        wrong = ~(np.abs(got - truth.value) <= allowed)  # written so that NaN is wrong
    if not wrong.any():
        return None
    return _describe(buffer, got, truth, wrong, allowed)


def _describe(
    buffer: str,
    got: NDArray[np.float32],
    truth: Truth,
    wrong: NDArray[np.bool_],
    allowed: NDArray[np.float64] | None,
) -> Mismatch:
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    with np.errstate(all="ignore"):
        errors = np.abs(got[wrong].astype(np.float64) - truth.value[wrong].astype(np.float64))
        excess = float(np.max(errors / allowed[wrong])) if allowed is not None else None
    return Mismatch(
        buffer=buffer,
        wrong=int(np.count_nonzero(wrong)),
        total=wrong.size,
        unwritten=int(np.count_nonzero(got.view(np.uint32) == POISON)),
        index=index,
        got=float(got[index]),
        expected=float(truth.value[index]),
        largest_error=float(np.max(errors)),
        excess=excess if excess is not None and np.isfinite(excess) else None,
    )


def first_stray_write(band: NDArray[np.uint32]) -> int | None:
    """Index of the first word of a guard band that no longer holds the poison, None if all do."""
    changed = np.flatnonzero(band != np.uint32(POISON))
    return int(changed[0]) if changed.size else None


def unchanged(got: NDArray[np.uint32], sent: NDArray[Any]) -> bool:
    """Whether an input came back as it was sent, to the bit; `got` is flat."""
    return bool(np.array_equal(got, np.ascontiguousarray(sent).view(np.uint32).reshape(-1)))
