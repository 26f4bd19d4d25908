"""Facts about nearly all wrong elements of an array: a common property, a change from launch to launch, or a place. A
fact about a place must cover every wrong element and hardly any others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.phrases import count, numeral
from grader.course.elements import element_of
from grader.course.truth.comparators import bits, wrong_elements
from grader.grading.explain.diagnosis.evidence import EXPLAINED, FITTED, Cases, Evidence, Explanation, Statement, Use
from grader.grading.explain.regions import Mask, fills
from grader.results.check import UNSTEADY

LITTLE = 2.0**-9
"""Maximum error of an element that is nearly right, as a share of the sum of its terms. Cutting both factors of a
product to the 11 bits of a half float does not cause larger errors.
"""

FAR_ABOVE_ROUNDING = 64
"""Error that rounding does not make in the sums of assignments, as a multiple of the type's unit roundoff."""

DIFFERENT = 2
"""Minimum number of different values of a size at which an edge must be found. At a single value, an edge may occur by
chance.
"""


@dataclass(frozen=True)
class Narrower:
    """A floating type with fewer bits: its words, how the wider type is called, and the number of low bits of the
    wider type's mantissa that it lacks.
    """

    words: str
    wider: str
    bits: int


NARROWER = {
    "float32": Narrower("half floats, with 11 bits each", "numbers of single precision", 13),
    "float64": Narrower("floats, with 24 bits each", "numbers of double precision", 29),
}
"""The next narrower type, by the name of a type in NumPy."""

SEVERAL = 3
"""Minimum number of different values that must share a property. One or two whole numbers may occur by chance."""

# --- wrong contents ------------------------------------------------------------------------------


def not_a_number(case: Evidence) -> Explanation | None:
    """All wrong elements are NaN. Inputs are finite, and the sums of assignments do not overflow."""
    held = case.got[case.held]
    if not held.size or not np.isnan(held).all() or any(np.isnan(array).any() for array in case.inputs.values()):
        return None
    cause = "it comes from words that were never set, from a division by 0, or from numbers that grow without end"
    if np.mean(bits(held) == element_of(held.dtype.name).input_poison) >= EXPLAINED:
        cause = "it was read past the end of an input, and NaN times 0 is NaN"
    return Explanation(sentence=f"{case.buffer} holds NaN (not a number){case.where}, and no input does: {cause}.")


def one_value(case: Evidence) -> Explanation | None:
    """All wrong elements have the same value."""
    held = case.got[case.held]
    if held.size < FITTED or not (held == held[0]).all():
        return None
    if case.unwritten.any():
        return Explanation(
            sentence=f"every wrong value that was written to {case.buffer} is {numeral(held[0].item())}."
        )
    return Explanation(sentence=f"all wrong elements of {case.buffer} are {numeral(held[0].item())}{case.where}.")


def whole_numbers(cases: Cases) -> Statement | None:
    """All results are whole numbers in all cases, although the right results are not. Large floats are always whole, so
    they do not count.
    """
    held, right = _numbers(cases.failed)
    small = held.size >= FITTED and bool((np.abs(held) < 2**20).all())
    if not small or not _share(held == np.trunc(held), right == np.trunc(right), held):
        return None
    cause = "all results are whole numbers, as if kept in an int on the way"
    return partial(_say_of_reals, cause, "real numbers. Look for a variable of a wrong type.")


def narrower_floats(cases: Cases) -> Statement | None:
    """Results in all cases that the next narrower type can represent."""
    held, right = _numbers(cases.failed)
    narrower = NARROWER.get(held.dtype.name)
    if narrower is None or held.size < FITTED or not np.isfinite(held).all():
        return None
    if not _share(_fits(held, narrower), _fits(right.astype(held.dtype), narrower), held):
        return None
    return partial(_say_of_reals, f"all results are {narrower.words}", f"{narrower.wider}.")


def _say_of_reals(cause: str, should: str, case: Evidence) -> Explanation | None:
    sentence = f"{cause}: {case.buffer} should hold {should}"
    return Explanation(cause=cause, sentence=sentence) if case.standard.data == "random" else None


def _numbers(failed: Sequence[Evidence]) -> tuple[NDArray[np.floating[Any]], NDArray[np.float64]]:
    """Wrong real numbers that were written in all cases together, and the right numbers in their places."""
    real = [case for case in failed if case.standard.data == "random" and case.got.dtype.kind == "f"]
    held = [case.got[case.held] for case in real]
    right = [case.truth.value[case.held].astype(np.float64) for case in real]
    return np.concatenate(held or [np.empty(0)]), np.concatenate(right or [np.empty(0)])


def _share(have: NDArray[np.bool_], right_have: NDArray[np.bool_], held: NDArray[Any]) -> bool:
    """True if all wrong numbers have a property, with several different values, and hardly any right number has it."""
    return bool(have.all() and right_have.mean() <= 1 - EXPLAINED and np.unique(held).size >= SEVERAL)


def _fits(numbers: NDArray[np.floating[Any]], narrower: Narrower) -> NDArray[np.bool_]:
    words = bits(numbers)
    return np.asarray((words & words.dtype.type(2**narrower.bits - 1)) == 0, dtype=np.bool_)


def nearly_right(case: Evidence) -> Explanation | None:
    """All elements have small errors, which do not reveal their cause."""
    magnitude = case.truth.magnitude
    if magnitude is None or np.count_nonzero(case.held) < max(FITTED, case.wrong.size // 2):
        return None
    share = np.abs(case.got - case.truth.value)[magnitude > 0] / magnitude[magnitude > 0]
    unit = element_of(case.got.dtype.name).unit_roundoff or 0.0
    if not (np.median(share) >= FAR_ABOVE_ROUNDING * unit and share.max() <= LITTLE):
        return None
    return Explanation(
        sentence=f"`{case.buffer}` is nearly right everywhere, with errors of up to {share.max():.2g} of the sum of an "
        "element's terms; rounding makes smaller ones."
    )


# --- changes between launches -----------------------------------------------------------------


def every_other_launch(case: Evidence) -> Explanation | None:
    """Right and wrong results in turn, from launch to launch."""
    right = [not wrong_elements(got, case.truth, case.standard).any() for got in case.repeats]
    if not any(right) or any(now == after for now, after in pairwise(right)):
        return None
    cause = "every other launch on the same data is right"
    return Explanation(
        cause=cause,
        sentence=f"{cause}: something is kept from one launch to the next, such as the contents of local memory.",
    )


def unsteady(case: Evidence) -> Explanation | None:
    """Results that differ from launch to launch."""
    launches = [bits(got) for got in (case.got, *case.repeats)]
    varying = np.any([launch != launches[0] for launch in launches], axis=0)
    if not varying.any():
        return None
    elements = count(int(np.count_nonzero(varying)), "element")
    return Explanation(
        cause=UNSTEADY,
        sentence=f"{UNSTEADY} ({len(launches)} launches differ in {elements} of {case.buffer}): usually "
        "a barrier is missing, two work-items write the same word, or local memory is read before it is filled.",
    )


# --- places -----------------------------------------------------------------------------------


def edge(cases: Cases) -> Statement | None:
    """Rows or columns from a size on are wrong, as if there were no more of them. Exactly these are wrong in all failed
    cases, and right cases do not have any. Returns None if several sizes fit.
    """
    case = cases.failed[0]
    edges = [(axis, size) for axis in ((1,) if case.is_vector else (0, 1)) for size in case.sizes]
    fitting = [each for each in edges if _is_edge(cases.failed, *each)]
    if len(fitting) != 1 or any(_beyond(case, *fitting[0]).any() for case in cases.passed):
        return None
    return partial(_say_edge, *fitting[0])


def _is_edge(failed: Sequence[Evidence], axis: int, size: str) -> bool:
    beyond = [(case.wrong, _beyond(case, axis, size)) for case in failed]
    is_filled = all(region.any() and fills(wrong, region, EXPLAINED) for wrong, region in beyond)
    return is_filled and len({case.sizes[size] for case in failed}) >= DIFFERENT


def _beyond(case: Evidence, axis: int, size: str) -> Mask:
    """Mask of the rows (axis 0) or columns (axis 1) whose index is at least the value of a size."""
    region = np.zeros(case.got.shape, dtype=bool)
    region[(slice(None),) * axis + (slice(case.sizes[size], None),)] = True
    return region


def _say_edge(axis: int, size: str, case: Evidence) -> Explanation:
    line = "element" if case.is_vector else ("row", "column")[axis]
    is_written = case.held.any()
    does = "wrong" if is_written else "not written"
    cause = f"`{case.buffer}` is {does} from {line} {size} on, as if it had no more {line}s"
    return Explanation(
        cause=cause,
        sentence=f"{cause}. Here {size} is {case.sizes[size]:,}.",
        use=None if is_written else Use(array=case.buffer, writes=True),
    )


def not_written(case: Evidence) -> Explanation | None:
    """A place was never written, and little else is wrong."""
    words = case.place(case.unwritten)
    if words is None or np.count_nonzero(case.held) > (1 - EXPLAINED) * np.count_nonzero(case.wrong):
        return None
    rest = "" if case.held.any() else "; all else is right"
    return Explanation(
        sentence=f"`{case.buffer}` is not written in {words}{rest}.", use=Use(array=case.buffer, writes=True)
    )


def wrong_place(case: Evidence) -> Explanation | None:
    """All wrong elements form a place that can be described."""
    where = case.where
    return Explanation(sentence=f"`{case.buffer}` is wrong only{where}; all else is right.") if where else None
