"""Why is an array wrong? Hypotheses, each tried on the data, and stated only if it explains them.

A hypothesis about values predicts the whole array. It must be right, by the rule that judges the array itself, for
nearly all elements that are wrong or that it says are wrong. A hypothesis about places must name every wrong element,
and hardly any other.
"""

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.comparison import INPUT_POISON, wrong_elements
from grader.grading.explain.evidence import EXPLAINED, FITTED, Evidence, Explanation
from grader.grading.explain.regions import place

SAMPLES = 5
"""Wrong elements that are looked for elsewhere in the truth to see how far it was moved."""

LARGE = 2_000_000
"""Larger arrays are only searched for places: cases are smaller, and a timed run holds a device others wait for."""

HALF_ERROR = 2.0**-9
"""The largest error of a product of two numbers cut to the 11 bits of a half float, as a share of the product."""

FAR_ABOVE_ROUNDING = 2.0**-18
"""An error that single precision does not make in the sums of assignments: 64 u."""

Hypothesis = Callable[[Evidence], Explanation | None]
Indices = NDArray[np.intp]


def explain(evidence: Evidence) -> Explanation | None:
    """The first hypothesis that fits the wrong array; None if none does."""
    tried = HYPOTHESES if evidence.got.size <= LARGE else ABOUT_PLACES
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # a wrong array may hold anything
        return next((found for hypothesis in tried if (found := hypothesis(evidence))), None)


def _caused(cause: str, fit: str | None) -> Explanation | None:
    """A mistake that fits."""
    return Explanation(cause=cause, sentence=f"{cause}: that explains {fit}.") if fit else None


# --- what it holds instead --------------------------------------------------------------------


def _usual_mistake(evidence: Evidence) -> Explanation | None:
    """The mistakes that the assignment's oracle.py lists; at some sizes two of them give the same result."""
    fits = {words: fit for words, made in evidence.mistakes().items() if (fit := evidence.fit(made))}
    match list(fits.items()):
        case [(words, fit)]:
            return _caused(words, fit)
        case [(words, fit), (other, _)]:
            return Explanation(sentence=f"{words}, or {other}: either explains {fit}.")
    return None


def _copy_of_an_input(evidence: Evidence) -> Explanation | None:
    for name, array in evidence.inputs.items():
        if array.size != evidence.got.size:
            continue
        fit = evidence.fit(evidence.predict(array.reshape(evidence.got.shape)))
        if fit:
            if name == evidence.buffer:
                return _caused(f"{name} still holds its old values", fit)
            transposed = array.ndim == 2 and np.array_equal(array.T, evidence.truth.value)
            return _caused(f"{evidence.buffer} is {name} itself{', not its transpose' if transposed else ''}", fit)
    return None


def _tiles_not_turned(evidence: Evidence) -> Explanation | None:
    i, j = _indices(evidence.got)
    return _of_blocks(evidence, i, j, "is in its place, but its rows and columns are swapped")


def _blocks_not_moved(evidence: Evidence) -> Explanation | None:
    i, j = _indices(evidence.got)
    return _of_blocks(evidence, j, i, "is right inside, but block (i, j) is stored where block (j, i) belongs")


def _of_blocks(evidence: Evidence, down: Indices, across: Indices, words: str) -> Explanation | None:
    """Whether each element has what belongs into the block at (down, across), at the other's place in it."""
    for name, side in evidence.blocks.items():
        fit = evidence.fit(evidence.moved(down // side * side + across % side, across // side * side + down % side))
        if fit:
            return _caused(f"each {side} x {side} block ({name}) of {evidence.buffer} {words}", fit)
    return None


def _stored_by_columns(evidence: Evidence) -> Explanation | None:
    height, width = evidence.got.shape
    order = np.arange(height * width).reshape(height, width).T.reshape(height, width)
    fit = evidence.fit(evidence.moved(order // width, order % width))
    return _caused(f"{evidence.buffer} is stored by columns, not by rows", fit)


def _shifted(evidence: Evidence) -> Explanation | None:
    i, j = _indices(evidence.got)
    name = evidence.buffer
    for down, across in dict.fromkeys(_shifts(evidence)):
        fit = evidence.fit(evidence.moved(i + down, j + across), least=FITTED)
        if fit:
            return _caused(f"{name}[i][j] holds what belongs to {name}[i{_offset(down)}][j{_offset(across)}]", fit)
    return None


def _shifts(evidence: Evidence) -> Iterator[tuple[int, int]]:
    """How far to go, down and across, from a wrong element to where its value belongs."""
    yield from ((1, 0), (-1, 0), (0, 1), (0, -1))
    held = np.argwhere(evidence.held)
    for row, column in held[:: len(held) // SAMPLES + 1]:
        distance = np.abs(evidence.truth.value - evidence.got[row, column])
        if np.isfinite(distance).all():
            found = np.unravel_index(int(np.argmin(distance)), distance.shape)
            yield int(found[0] - row), int(found[1] - column)


def _indices(array: NDArray[Any]) -> tuple[Indices, Indices]:
    """Row numbers as a column, and column numbers as a row."""
    return np.arange(array.shape[0])[:, None], np.arange(array.shape[1])


def _offset(number: int) -> str:
    return "" if number == 0 else f" {'+' if number > 0 else '-'} {abs(number)}"


def _other_sign(evidence: Evidence) -> Explanation | None:
    return _caused("the sign is wrong", evidence.fit(evidence.predict(-evidence.truth.value)))


def _one_value(evidence: Evidence) -> Explanation | None:
    held = evidence.got[evidence.held]
    if held.size < FITTED or not (held == held[0]).all():
        return None
    if evidence.unwritten.any():
        return Explanation(sentence=f"every wrong value that was written to {evidence.buffer} is {held[0]:.6g}.")
    return Explanation(sentence=f"all wrong elements of {evidence.buffer} are {held[0]:.6g}{evidence.where}.")


def _factor(evidence: Evidence) -> Explanation | None:
    value = evidence.truth.value.astype(np.float64)
    factor = np.nanmedian(evidence.got[evidence.held] / value[evidence.held]) if evidence.held.any() else 1.0
    fit = evidence.fit(evidence.predict(factor * value), least=FITTED)
    return _caused(f"{evidence.buffer} is {factor:.6g} times what it should be", fit)


def _difference(evidence: Evidence) -> Explanation | None:
    value = evidence.truth.value.astype(np.float64)
    difference = np.nanmedian(evidence.got[evidence.held] - value[evidence.held]) if evidence.held.any() else 0.0
    fit = evidence.fit(evidence.predict(value + difference), least=FITTED)
    return _caused(f"{evidence.buffer} is off by {difference:.6g} everywhere", fit)


def _not_a_number(evidence: Evidence) -> Explanation | None:
    """Inputs are finite, and the sums of assignments do not overflow: a NaN was read where no input is."""
    held = evidence.got[evidence.held]
    if not held.size or not np.isnan(held).all() or any(np.isnan(array).any() for array in evidence.inputs.values()):
        return None
    cause = "it was read past the end of an array, or from local memory that no work-item had filled"
    if np.mean(held.view(np.uint32) == INPUT_POISON) >= EXPLAINED:
        cause = "it was read past the end of an input, and NaN times 0 is NaN"
    return Explanation(
        cause=cause,
        sentence=f"{evidence.buffer} holds NaN (not a number){evidence.where}, and no input does: {cause}. "
        "Check the indices and guards of your loads.",
    )


def _low_precision(evidence: Evidence) -> Explanation | None:
    magnitude = evidence.truth.magnitude
    if magnitude is None or np.count_nonzero(evidence.held) < max(FITTED, evidence.wrong.size // 2):
        return None
    error = np.abs(evidence.got - evidence.truth.value)
    ratio = error[magnitude > 0] / magnitude[magnitude > 0]
    if not (np.median(ratio) >= FAR_ABOVE_ROUNDING and ratio.max() <= HALF_ERROR):
        return None
    cause = "numbers lose precision on the way, as if they were half floats"
    return Explanation(
        cause=cause,
        sentence=f"{cause}: {evidence.buffer} is nearly right everywhere, with errors of up to {ratio.max():.2g} of "
        "the sum of an element's terms.",
    )


# --- whether it is always the same ------------------------------------------------------------


def _every_other_launch(evidence: Evidence) -> Explanation | None:
    right = [
        not wrong_elements(evidence.buffer, got, evidence.truth, evidence.standard).any() for got in evidence.repeats
    ]
    if not any(right) or any(now == after for now, after in pairwise(right)):
        return None
    cause = "every other launch on the same data is right"
    return Explanation(
        cause=cause,
        sentence=f"{cause}: something is kept from one launch to the next, such as the contents of local memory.",
    )


def _unsteady(evidence: Evidence) -> Explanation | None:
    launches = [got.view(np.uint32) for got in (evidence.got, *evidence.repeats)]
    varying = np.any([launch != launches[0] for launch in launches], axis=0)
    if not varying.any():
        return None
    cause = "launches on the same data give different results"
    return Explanation(
        cause=cause,
        sentence=f"{cause} ({len(launches)} launches differ in {np.count_nonzero(varying):,} elements of "
        f"{evidence.buffer}): usually a barrier is missing, two work-items write the same word, or local memory is "
        "read before it is filled.",
    )


# --- where it is wrong ------------------------------------------------------------------------


def _not_written(evidence: Evidence) -> Explanation | None:
    words = place(evidence.unwritten, evidence.blocks)
    if words is None or np.count_nonzero(evidence.held) > (1 - EXPLAINED) * np.count_nonzero(evidence.wrong):
        return None
    rest = "" if evidence.held.any() else "; all else is right"
    return Explanation(sentence=f"{evidence.buffer} is not written in {words}{rest}.")


def _place(evidence: Evidence) -> Explanation | None:
    where = evidence.where
    return Explanation(sentence=f"{evidence.buffer} is wrong only{where}; all else is right.") if where else None


ABOUT_PLACES: tuple[Hypothesis, ...] = (_not_written, _place)

HYPOTHESES: tuple[Hypothesis, ...] = (
    _usual_mistake,
    _copy_of_an_input,
    _tiles_not_turned,
    _blocks_not_moved,
    _stored_by_columns,
    _other_sign,
    _shifted,
    _not_a_number,
    _one_value,
    _factor,
    _difference,
    _low_precision,
    _every_other_launch,
    _unsteady,
    *ABOUT_PLACES,
)
"""In the order in which they are tried: what says most about the kernel comes first."""
