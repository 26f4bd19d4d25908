"""Mistakes that could have made a wrong array, as predictions of what they make of any case.

A theory is proposed from one case and held against all: it must be right, by the rule that judges the arrays
themselves, for nearly all elements that are wrong or that it says are wrong, in every case that failed, and say nothing
wrong of those that passed. A mistake that only one size speaks for, or that a right result speaks against, is not told.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.mistakes import stored_with_row_length
from grader.course.truth.oracle import Truth
from grader.grading.explain.evidence import EXPLAINED, FITTED, KNOWN, Evidence, Tally, Use

SAMPLES = 5
"""Wrong elements that are looked for elsewhere in the truth to see how far it was moved."""

SINGLE = 2
"""Cases that must speak for a theory about an array of one element, made of several: there are no more to ask."""

Indices = NDArray[np.intp]
Prediction = Callable[[Evidence], Truth | None]


@dataclass(frozen=True, kw_only=True)
class Theory:
    """A mistake in the words of its cause, and the array that it makes of a case; None where it says nothing."""

    cause: str
    predict: Prediction
    use: Use | None = None


def hits(theory: Theory, case: Evidence) -> int | None:
    """How many wrong elements of a case the theory explains; None if the case speaks against it."""
    tally = _tally(theory, case)
    if tally is None:
        return 0
    return _counted(case, tally) if tally.agreed >= EXPLAINED * tally.in_question else None


def hits_in_part(theory: Theory, case: Evidence) -> int | None:
    """The same of a theory that speaks of the wrong elements only, if these are all or have a place with a name."""
    tally = _tally(theory, case)
    if tally is None:
        return 0
    if tally.hits < EXPLAINED * case.wrong_elements or not (case.wrong.all() or case.where):
        return None
    return _counted(case, tally)


def _tally(theory: Theory, case: Evidence) -> Tally | None:
    if theory.cause not in case.tallies:
        prediction = theory.predict(case)
        case.tallies[theory.cause] = None if prediction is None else case.tally(prediction)
    return case.tallies[theory.cause]


def _counted(case: Evidence, tally: Tally) -> int:
    """The hits, unless the theory is all but silent here, or a few small whole numbers may be right by chance."""
    least = FITTED if case.standard.data == "integers" else 1
    return tally.hits if tally.hits >= max(least, KNOWN * np.count_nonzero(case.held)) else 0


Hits = Callable[[Theory, Evidence], int | None]


def is_told_by(theory: Theory, failed: Sequence[Evidence], count: Hits = hits) -> bool:
    """Whether the failed cases speak for the theory: enough of their elements, and not by one value alone."""
    counts = [count(theory, case) for case in failed]
    if None in counts:
        return False
    told = [case for case, number in zip(failed, counts, strict=True) if number]
    if max(case.got.size for case in failed) == 1:
        large = [case for case in told if any(array.size >= FITTED for array in case.inputs.values())]
        return len(large) >= SINGLE and len({float(case.got[0, 0]) for case in large}) > 1
    explained = sum(filter(None, counts))
    various = sum(tally.various for case in told if (tally := _tally(theory, case)))
    enough = max(FITTED, KNOWN * sum(case.wrong_elements for case in told))
    return explained >= enough and various > (1 - EXPLAINED) * explained


# --- about the array that is wrong -----------------------------------------------------------------


def copies(case: Evidence) -> Iterator[Theory]:
    """The array is an input as it was."""
    for name, array in case.inputs.items():
        if array.size != case.got.size:
            continue
        cause = f"{case.buffer} is {name} itself"
        if name == case.buffer:
            cause = f"{name} still holds its old values"
        elif array.ndim == 2 and np.array_equal(array.T, case.truth.value):
            cause += ", not its transpose"
        yield Theory(cause=cause, predict=partial(_copy, name=name))


def _copy(case: Evidence, name: str) -> Truth | None:
    array = case.inputs[name]
    return case.predict(array.reshape(case.got.shape)) if array.size == case.got.size else None


def tiles(case: Evidence) -> Iterator[Theory]:
    """Blocks whose elements move and that do not move themselves, or the other way round."""
    for name, side in case.blocks.items():
        each = f"each {side} x {side} block ({name}) of {case.buffer}"
        yield Theory(
            cause=f"{each} is in its place, but its rows and columns are swapped",
            predict=partial(_turned, side=side),
        )
        yield Theory(
            cause=f"{each} is right inside, but block (i, j) is stored where block (j, i) belongs",
            predict=partial(_exchanged, side=side),
        )


def _turned(case: Evidence, side: int) -> Truth:
    i, j = _indices(case.got)
    return case.moved(i // side * side + j % side, j // side * side + i % side)


def _exchanged(case: Evidence, side: int) -> Truth:
    i, j = _indices(case.got)
    return case.moved(j // side * side + i % side, i // side * side + j % side)


def layouts(case: Evidence) -> Iterator[Theory]:
    """The array is stored by columns, or with rows of another length."""
    yield Theory(
        cause=f"{case.buffer} is stored by columns, not by rows",
        predict=_by_columns,
        use=Use(array=case.buffer, writes=True),
    )
    for words, size in other_lengths(case, case.buffer):
        yield Theory(
            cause=words,
            predict=partial(_stored_with, size=size),
            use=Use(array=case.buffer, writes=True),
        )


def _stored_with(case: Evidence, size: str) -> Truth:
    return case.predict(stored_with_row_length(case.truth.value, case.sizes[size]))


def _by_columns(case: Evidence) -> Truth:
    height, width = case.got.shape
    order = np.arange(height * width).reshape(height, width).T.reshape(height, width)
    return case.moved(order // width, order % width)


def other_lengths(case: Evidence, array: str) -> Iterator[tuple[str, str]]:
    """Sizes that its rows may be taken to be long, each after the words for that."""
    own = case.rows.get(array)
    for size in case.sizes if own else ():
        if size != own:
            yield f"rows of {array} are taken to be {size} long, not {own}", size


def repetitions(case: Evidence) -> Iterator[Theory]:
    """Every row or every column is the first."""
    name, height = case.buffer, case.got.shape[0]
    if height > 1:
        yield Theory(
            cause=f"every row of {name} holds what belongs to row 0", predict=partial(_shown, rows=0, columns=1)
        )
    line = "element" if case.is_vector else "column"
    yield Theory(
        cause=f"every {line} of {name} holds what belongs to {line} 0", predict=partial(_shown, rows=1, columns=0)
    )


def _shown(case: Evidence, rows: int, columns: int) -> Truth:
    i, j = _indices(case.got)
    return case.moved(rows * i, columns * j)


def signs(_case: Evidence) -> Iterator[Theory]:
    """The negative of all."""
    yield Theory(cause="the sign is wrong", predict=lambda other: other.predict(-other.truth.value))


def shifts(case: Evidence) -> Iterator[Theory]:
    """Each element is what belongs some rows and columns away."""
    name = case.buffer
    for down, across in dict.fromkeys(_distances(case)):
        there = f"[i{_offset(down)}][j{_offset(across)}]"
        here, there = ("[i]", f"[i{_offset(across)}]") if case.is_vector else ("[i][j]", there)
        yield Theory(
            cause=f"{name}{here} holds what belongs to {name}{there}",
            predict=partial(_shifted, down=down, across=across),
        )


def _shifted(case: Evidence, down: int, across: int) -> Truth:
    i, j = _indices(case.got)
    return case.moved(i + down, j + across)


def _distances(case: Evidence) -> Iterator[tuple[int, int]]:
    """How far to go, down and across, from a wrong element to where its value belongs."""
    yield from ((0, 1), (0, -1)) if case.is_vector else ((1, 0), (-1, 0), (0, 1), (0, -1))
    held = np.argwhere(case.held)
    for row, column in held[:: len(held) // SAMPLES + 1]:
        distance = np.abs(case.truth.value - case.got[row, column])
        if np.isfinite(distance).all():
            found = np.unravel_index(int(np.argmin(distance)), distance.shape)
            yield int(found[0] - row), int(found[1] - column)


def _offset(number: int) -> str:
    return "" if number == 0 else f" {'+' if number > 0 else '-'} {abs(number)}"


def _indices(array: NDArray[Any]) -> tuple[Indices, Indices]:
    """Row numbers as a column, and column numbers as a row."""
    return np.arange(array.shape[0])[:, None], np.arange(array.shape[1])


def factors(case: Evidence) -> Iterator[Theory]:
    """A constant factor, or a constant difference."""
    if not case.held.any():
        return
    value = case.truth.value.astype(np.float64)
    factor = np.nanmedian(case.got[case.held] / value[case.held])
    difference = np.nanmedian(case.got[case.held] - value[case.held])
    yield Theory(
        cause=f"{case.buffer} is {factor:.6g} times what it should be",
        predict=lambda other: other.predict(factor * other.truth.value.astype(np.float64)),
    )
    yield Theory(
        cause=f"{case.buffer} is off by {difference:{'.6g' if case.got.dtype.kind == 'f' else '.0f'}} everywhere",
        predict=lambda other: other.predict(other.truth.value.astype(np.float64) + difference),
    )
