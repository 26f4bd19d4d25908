"""Mistakes in how inputs are read: such a kernel makes what would be right for other inputs.

Each is about one array, so that its lines are those that read it.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.mistakes import by_columns, cut_to_half, rounded_to_half, with_row_length
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.diagnosis.matching import Mistake

Array = NDArray[Any]
Change = Callable[[Array], Array]


def wrong_places(case: Evidence) -> Iterator[Mistake]:
    """An input read by columns, with rows of another length, or beside the words that are meant."""
    for name, array in case.inputs.items():
        use = Use(array=name, writes=False)
        for words, change in (OF_MATRICES if array.ndim == 2 else OF_VECTORS).items():
            yield Mistake(
                cause=f"{name} is read {words}", predict=partial(_changed, names=[name], change=change), use=use
            )
        for words, size in case.other_lengths(name):
            yield Mistake(cause=words, predict=partial(_read_with, name=name, size=size), use=use)


def exchanges(case: Evidence) -> Iterator[Mistake]:
    """An input read in the place of another, or each in the other's."""
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
    """Numbers of inputs kept in half floats or as whole numbers."""
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
    """What would be right if these inputs held the words of others."""
    if any(case.inputs[name].size != case.inputs[other].size for name, other in others.items()):
        return None
    return case.remade({name: case.inputs[other].reshape(case.inputs[name].shape) for name, other in others.items()})


def _where_known(case: Evidence, changed: dict[str, Array]) -> Truth | None:
    """What would be right for these inputs, wherever it does not depend on those of their words that are unknown (NaN).

    An oracle need not pass NaN on, for example if it looks for the smallest number. So it is asked twice, with numbers
    below and above all others in their place.
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


# --- what is read instead ---------------------------------------------------------------------


def _words_on(array: Array, by: int) -> Array:
    """The array read so many words further in memory; NaN where that is outside."""
    read = np.full(array.size, np.nan)
    kept = array.reshape(-1)[max(by, 0) : array.size + min(by, 0)]
    read[max(-by, 0) : array.size - max(by, 0)] = kept
    return read.reshape(array.shape)


def _rows_on(array: Array, by: int) -> Array:
    return _words_on(array, by * array.shape[1])


def _first(array: Array, axis: int) -> Array:
    """The array of which all elements along an axis are the first."""
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
