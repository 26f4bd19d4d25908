"""Mistakes, each of which predicts the resulting array for any case.

A mistake in computing or storing a result moves or changes the right values. For a mistake in reading inputs, the
prediction is the right result for other inputs. Such a mistake concerns one array, so the relevant lines are those that
read this array.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from grader.course.elements import element_of
from grader.course.truth.fields import Array
from grader.course.truth.mistakes import (
    by_columns,
    cut_to_half,
    rounded_to_half,
    stored_with_row_length,
    with_row_length,
)
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Evidence, Source, Use
from grader.grading.explain.diagnosis.matching import Mistake

SAMPLES = 5
"""Number of wrong elements whose values are searched for in the right result, to find the distance by which the result
was moved.
"""

Change = Callable[[Array], Array]


def listed(case: Evidence) -> Iterator[Mistake]:
    """Mistakes that the assignment's oracle.py lists. A listed mistake concerns the same lines as a mistake of this
    module whose description begins in the same way.
    """
    ours = {_head(mistake.cause): mistake.use for mistake in (*layouts(case), *misplaced_reads(case))}
    for words in case.usual:
        yield Mistake(cause=words, predict=partial(_as_listed, words=words), use=ours.get(_head(words)))


def _head(words: str) -> str:
    """The words before the comma, which precedes the right behaviour, such as "rows of A are taken to be
    height long".
    """
    return words.partition(",")[0]


def _as_listed(case: Evidence, words: str) -> Truth | None:
    return case.usual.get(words)


# --- in the result ----------------------------------------------------------------------------


def copies(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which the result is an unchanged input."""
    for name, array in case.inputs.items():
        if array.size != case.got.size:
            continue
        cause = f"`{case.buffer}` is `{name}` itself"
        if name == case.buffer:
            cause = f"{name} still holds its old values"
        elif array.ndim == 2 and np.array_equal(array.T, case.truth.value):
            cause += ", not its transpose"
        yield Mistake(cause=cause, predict=partial(_copy, name=name))


def _copy(case: Evidence, name: str) -> Truth | None:
    array = case.inputs[name]
    return case.predict(array.reshape(case.got.shape)) if array.size == case.got.size else None


def layouts(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which the result is stored by columns, or with rows of a different length."""
    use = Use(array=case.buffer, writes=True)
    yield Mistake(cause=f"`{case.buffer}` is stored by columns, not by rows", predict=_by_columns, use=use)
    for words, size in case.other_lengths(case.buffer):
        yield Mistake(cause=words, predict=partial(_stored_with, size=size), use=use)


def _by_columns(case: Evidence) -> Truth:
    height, width = case.got.shape
    return case.moved(lambda i, j: ((i * width + j) % height, (i * width + j) // height))


def _stored_with(case: Evidence, size: str) -> Truth:
    return case.predict(stored_with_row_length(case.truth.value, case.sizes[size]))


def signs(_case: Evidence) -> Iterator[Mistake]:
    """Mistake in which the result has the wrong sign."""
    yield Mistake(cause="the sign is wrong", predict=lambda other: other.predict(-other.truth.value))


def factors(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which the result differs from the right one by a constant factor or a constant difference."""
    if not case.held.any():
        return
    value = case.truth.value.astype(np.float64)
    factor = np.nanmedian(case.got[case.held] / value[case.held])
    difference = np.nanmedian(case.got[case.held] - value[case.held])
    yield Mistake(
        cause=f"`{case.buffer}` is {factor:.6g} times what it should be",
        predict=lambda other: other.predict(factor * other.truth.value.astype(np.float64)),
    )
    digits = ".6g" if element_of(case.got.dtype.name).is_floating else ".0f"
    yield Mistake(
        cause=f"`{case.buffer}` is off by {difference:{digits}} everywhere",
        predict=lambda other: other.predict(other.truth.value.astype(np.float64) + difference),
    )


def tiles(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which blocks are transposed internally but keep their places, or are right internally but change
    their places.
    """
    for name, side in case.blocks.items():
        yield from _of_blocks(side, f"each {side} x {side} block ({name}) of {case.buffer}")


def _of_blocks(side: int, each: str) -> Iterator[Mistake]:
    yield _moved(
        f"{each} is in its place, but its rows and columns are swapped",
        lambda i, j: (i // side * side + j % side, j // side * side + i % side),
    )
    yield _moved(
        f"{each} is right inside, but block (i, j) is stored where block (j, i) belongs",
        lambda i, j: (j // side * side + i % side, i // side * side + j % side),
    )


def repetitions(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which every row or every column of the result equals the first one."""
    if case.got.shape[0] > 1:
        yield _moved(f"every row of {case.buffer} holds what belongs to row 0", lambda i, j: (0 * i, j))
    line = "element" if case.is_vector else "column"
    yield _moved(f"every {line} of {case.buffer} holds what belongs to {line} 0", lambda i, j: (i, 0 * j))


def shifts(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which each element has the right value of an element that is some rows and columns away."""
    yield from (_shift(case, down, across) for down, across in dict.fromkeys(_distances(case)))


def _shift(case: Evidence, down: int, across: int) -> Mistake:
    here, there = "[i][j]", f"[i{_offset(down)}][j{_offset(across)}]"
    if case.is_vector:
        here, there = "[i]", f"[i{_offset(across)}]"
    cause = f"{case.buffer}{here} holds what belongs to {case.buffer}{there}"
    return _moved(cause, lambda i, j: (i + down, j + across))


def _offset(number: int) -> str:
    return "" if number == 0 else f" {'+' if number > 0 else '-'} {abs(number)}"


def _distances(case: Evidence) -> Iterator[tuple[int, int]]:
    """Yield distances from an element to the place of its value, in rows down and columns across."""
    yield from ((0, 1), (0, -1)) if case.is_vector else ((1, 0), (-1, 0), (0, 1), (0, -1))
    held = np.argwhere(case.held)
    for row, column in held[:: len(held) // SAMPLES + 1]:
        distance = np.abs(case.truth.value - case.got[row, column])
        if np.isfinite(distance).all():
            found = np.unravel_index(int(np.argmin(distance)), distance.shape)
            yield int(found[0] - row), int(found[1] - column)


def _moved(cause: str, source: Source) -> Mistake:
    return Mistake(cause=cause, predict=lambda case: case.moved(source))


# --- in the reading of inputs -----------------------------------------------------------------


def misplaced_reads(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which an input is read by columns, with rows of a different length, or next to the right words."""
    for name, array in case.inputs.items():
        use = Use(array=name, writes=False)
        for words, change in (OF_MATRICES if array.ndim == 2 else OF_VECTORS).items():
            yield Mistake(
                cause=f"{name} is read {words}", predict=partial(_changed, names=[name], change=change), use=use
            )
        for words, size in case.other_lengths(name):
            yield Mistake(cause=words, predict=partial(_read_with, name=name, size=size), use=use)


def exchanges(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which an input is read in place of another, or two inputs are exchanged."""
    for one, other in combinations(case.inputs, 2):
        if case.inputs[one].size == case.inputs[other].size:
            yield Mistake(
                cause=f"{one} and {other} are exchanged", predict=partial(_given, others={one: other, other: one})
            )
            for read, meant in ((one, other), (other, one)):
                yield Mistake(
                    cause=f"{read} is read where {meant} is meant",
                    predict=partial(_given, others={meant: read}),
                    use=Use(array=read, writes=False),
                )


def lost_bits(case: Evidence) -> Iterator[Mistake]:
    """Mistakes in which input values are stored as half floats or as whole numbers."""
    reals = [name for name, array in case.inputs.items() if array.dtype == np.float32]
    together = [reals] if len(reals) > 1 else []
    for names in (*together, *([name] for name in reals)):
        for words, change in CUTS.items():
            cause = f"numbers of {' and '.join(names)} are {words}"
            yield Mistake(cause=cause, predict=partial(_changed, names=names, change=change))


def _changed(case: Evidence, names: list[str], change: Change) -> Truth | None:
    return _where_known(case, {name: change(case.inputs[name]) for name in names})


def _read_with(case: Evidence, name: str, size: str) -> Truth | None:
    return _where_known(case, {name: with_row_length(case.inputs[name], case.sizes[size])})


def _given(case: Evidence, others: Mapping[str, str]) -> Truth | None:
    """The right result if some inputs contain the values of other inputs; None if their sizes differ."""
    if any(case.inputs[name].size != case.inputs[other].size for name, other in others.items()):
        return None
    return case.remade({name: case.inputs[other].reshape(case.inputs[name].shape) for name, other in others.items()})


def _where_known(case: Evidence, changed: dict[str, Array]) -> Truth | None:
    """The right result for these inputs, except where it depends on unknown words (NaN) of the inputs.

    An oracle need not propagate NaN, for example if it computes a minimum. Therefore the oracle runs twice, once with
    numbers below all others in place of NaN, and once with numbers above all others.
    """
    small, large = (
        case.remade({name: np.where(np.isnan(array), fill(array), array) for name, array in changed.items()})
        for fill in (_below, _above)
    )
    if small is None or large is None:
        return None
    known = small.value == large.value
    return Truth(value=np.where(known, small.value, np.nan), magnitude=small.magnitude)


def _below(array: Array) -> float:
    return float(np.nanmin(array)) - 1.5


def _above(array: Array) -> float:
    return float(np.nanmax(array)) + 2.5


def _words_on(array: Array, by: int) -> Array:
    """The array, read at an offset of this number of words in memory; NaN outside the array."""
    read = np.full(array.size, np.nan)
    kept = array.reshape(-1)[max(by, 0) : array.size + min(by, 0)]
    read[max(-by, 0) : array.size - max(by, 0)] = kept
    return read.reshape(array.shape)


def _rows_on(array: Array, by: int) -> Array:
    return _words_on(array, by * array.shape[1])


def _first(array: Array, axis: int) -> Array:
    """The array with all elements along an axis replaced by the first one."""
    return np.broadcast_to(np.take(array, [0], axis=axis), array.shape)


OF_VECTORS: dict[str, Change] = {
    "one element too far": partial(_words_on, by=1),
    "one element too early": partial(_words_on, by=-1),
    "as if every element were element 0": partial(_first, axis=0),
}

OF_MATRICES: dict[str, Change] = {
    "by columns, not by rows": by_columns,
    "one element too far": partial(_words_on, by=1),
    "one element too early": partial(_words_on, by=-1),
    "one row too far": partial(_rows_on, by=1),
    "one row too early": partial(_rows_on, by=-1),
    "as if every row were row 0": partial(_first, axis=0),
    "as if every column were column 0": partial(_first, axis=1),
}

CUTS: dict[str, Change] = {
    "rounded to half floats": rounded_to_half,
    "cut to half floats": cut_to_half,
    "cut to whole numbers": np.trunc,
}
