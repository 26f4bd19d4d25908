"""Why is an array wrong? What all failed cases say together, and else what each shows.

A mistake is named only if it explains every failed case and none that passed speaks against it (theories.py). What is
left are facts about one case's array, which hold for nearly all of its wrong elements: what they have in common,
whether they are always the same, and where they are. A fact about places must name every wrong element, and hardly any
other.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.comparison import wrong_elements
from grader.course.truth.poison import INPUT_POISON
from grader.grading.explain.edges import edge_of
from grader.grading.explain.evidence import EXPLAINED, FITTED, Evidence, Explanation, Use
from grader.grading.explain.theories import Theory, hits, hits_in_part, is_told_by
from grader.grading.explain.theorists import THEORISTS

LARGE = 2_000_000
"""Larger arrays are only searched for places: cases are smaller, and a timed run holds a device others wait for."""

TYPICAL = 20_000
"""Elements of arrays from which theories are proposed, if some failed case has no more: there are enough of them."""

LITTLE = 2.0**-9
"""Errors below this share of the sum of an element's terms leave it nearly right: cutting both factors of a product to
the 11 bits of a half float makes none that is larger."""

FAR_ABOVE_ROUNDING = 2.0**-18
"""An error that single precision does not make in the sums of assignments: 64 u."""

HALF_BITS = 0x1FFF
"""Bits that are 0 in every float that a half float can hold."""

SEVERAL_CASES = 2
"""Cases that must agree that a mistake is made in some cases only."""

SEVERAL = 3
"""Different values that must share a property: that one or two are whole numbers is no wonder."""

Fact = Callable[[Evidence], Explanation | None]
Passed = Callable[[], tuple[Evidence, ...]]


def explain(failed: Sequence[Evidence], passed: Iterable[Evidence] = ()) -> tuple[Explanation | None, ...]:
    """What is said of each failed case of one array; None where nothing is.

    `passed` are cases in which the array is right; they are asked only about what explains all others.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # a wrong array may hold anything
        small = [case for case in failed if _is_small(case)]
        facts = _facts(small, cache(lambda: tuple(passed))) if small else []
        return tuple(_first(facts if _is_small(case) else ABOUT_PLACES, case) for case in failed)


def _facts(failed: Sequence[Evidence], passed: Passed) -> list[Fact]:
    """What may be said of each of these cases, the best first."""
    shared = [fact for fact, holds in OF_ALL.items() if holds(failed)]
    return [*_together(failed, passed), *OF_LAUNCHES, *shared, *OF_ONE, *ABOUT_PLACES]


def _first(facts: Sequence[Fact], case: Evidence) -> Explanation | None:
    return next((found for fact in facts if (found := fact(case))), None)


def _is_small(case: Evidence) -> bool:
    return case.got.size <= LARGE


def _is_telling(case: Evidence) -> bool:
    """Whether enough was written wrongly, and of any numbers."""
    return case.standard.data == "random" and int(np.count_nonzero(case.held)) >= FITTED


# --- what they say together -------------------------------------------------------------------


def _together(failed: Sequence[Evidence], passed: Passed) -> list[Fact]:
    """What explains all of these cases, if anything does."""
    theories = _theories(failed, passed)
    if theories:
        return [partial(_by_theories, theories)]
    edge = edge_of(failed, passed)
    if edge:
        return [edge.explain]
    return [partial(_by_part, theory) for theory in _made_in_part(failed)]


def _theories(failed: Sequence[Evidence], passed: Passed) -> tuple[Theory, ...]:
    """The mistake that explains all cases, or two between which nothing decides; else none."""
    for proposed in _proposed(failed):
        told = [theory for theory in proposed if is_told_by(theory, failed)]
        lasting = tuple(theory for theory in told if all(hits(theory, case) is not None for case in passed()))
        if 1 <= len(lasting) <= 2:
            return lasting
    return ()


def _made_in_part(failed: Sequence[Evidence]) -> list[Theory]:
    """The mistake that explains all that is wrong, but is not made everywhere; none if several do.

    Where nothing is right in a case that failed, it takes another such case to tell it from other mistakes.
    """
    if len(failed) < SEVERAL_CASES and not all(case.where for case in failed):
        return []
    told = (
        [theory for theory in proposed if is_told_by(theory, failed, hits_in_part)] for proposed in _proposed(failed)
    )
    first = next(filter(None, told), [])
    return first if len(first) == 1 else []


def _proposed(failed: Sequence[Evidence]) -> Iterator[list[Theory]]:
    """What the typical case makes one think of, each mistake once; what says most about the kernel comes first."""
    typical = _typical(failed)
    for theorist in THEORISTS:
        thought = {theory.cause: theory for theory in theorist(typical)}.values()
        yield [theory for theory in thought if hits(theory, typical) is not None or hits_in_part(theory, typical)]


def _typical(failed: Sequence[Evidence]) -> Evidence:
    """The case from which theories are taken: of moderate size, with as much that is wrong as possible."""
    moderate = [case for case in failed if case.got.size <= TYPICAL]
    if not moderate:
        return min(failed, key=lambda case: case.got.size)
    return max(moderate, key=lambda case: (_is_telling(case), case.wrong_elements))


def _by_theories(theories: tuple[Theory, ...], case: Evidence) -> Explanation | None:
    counts = [hits(theory, case) or 0 for theory in theories]
    if not any(counts):
        return None
    explained = f"explains {case.explained(max(counts))}"
    match theories:
        case [theory]:
            sentence = f"{theory.cause}: that {explained}."
            return Explanation(cause=theory.cause, sentence=sentence, use=theory.use)
        case [theory, other]:
            return Explanation(sentence=f"{theory.cause}, or {other.cause}: either {explained}.")
    return None


def _by_part(theory: Theory, case: Evidence) -> Explanation | None:
    count = hits_in_part(theory, case)
    if not count:
        return None
    where = f", but only{case.where}" if case.where else " in this case, but not in others"
    sentence = f"{theory.cause}{where}"
    return Explanation(
        cause=f"{theory.cause}, but not everywhere",
        sentence=f"{sentence}: that explains {case.explained(count)}.",
        use=theory.use,
    )


# --- what it holds instead --------------------------------------------------------------------


def _not_a_number(case: Evidence) -> Explanation | None:
    """Inputs are finite, and the sums of assignments do not overflow."""
    held = case.got[case.held]
    if not held.size or not np.isnan(held).all() or any(np.isnan(array).any() for array in case.inputs.values()):
        return None
    cause = "it comes from words that nobody has set, from a division by 0, or from numbers that grow without end"
    if np.mean(held.view(np.uint32) == INPUT_POISON) >= EXPLAINED:
        cause = "it was read past the end of an input, and NaN times 0 is NaN"
    return Explanation(
        cause=cause, sentence=f"{case.buffer} holds NaN (not a number){case.where}, and no input does: {cause}."
    )


def _one_value(case: Evidence) -> Explanation | None:
    held = case.got[case.held]
    if held.size < FITTED or not (held == held[0]).all():
        return None
    if case.unwritten.any():
        return Explanation(sentence=f"every wrong value that was written to {case.buffer} is {held[0]:.6g}.")
    return Explanation(sentence=f"all wrong elements of {case.buffer} are {held[0]:.6g}{case.where}.")


def _are_whole(failed: Sequence[Evidence]) -> bool:
    """Only of numbers that need not be whole: large floats all are."""
    held, right = _numbers(failed)
    small = held.size >= FITTED and bool((np.abs(held) < 2**20).all())
    return small and _show(held == np.trunc(held), right == np.trunc(right), held)


def _whole_numbers(case: Evidence) -> Explanation | None:
    cause = "all results are whole numbers, as if kept in an int on the way"
    sentence = f"{cause}: {case.buffer} should hold real numbers. Look for a variable of a wrong type."
    return Explanation(cause=cause, sentence=sentence) if case.standard.data == "random" else None


def _are_half(failed: Sequence[Evidence]) -> bool:
    held, right = _numbers(failed)
    finite = held.size >= FITTED and bool(np.isfinite(held).all())
    return finite and _show(_is_half(held), _is_half(right.astype(np.float32)), held)


def _half_floats(case: Evidence) -> Explanation | None:
    cause = "all results are half floats, with 11 bits each"
    sentence = f"{cause}: {case.buffer} should hold numbers of single precision."
    return Explanation(cause=cause, sentence=sentence) if case.standard.data == "random" else None


def _numbers(failed: Sequence[Evidence]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """What was written wrongly to arrays of any real numbers in all cases together, and what is right there."""
    real = [case for case in failed if case.standard.data == "random" and case.got.dtype.kind == "f"]
    held = [case.got[case.held] for case in real]
    right = [case.truth.value[case.held].astype(np.float64) for case in real]
    return np.concatenate([np.empty(0, np.float32), *held]), np.concatenate([np.empty(0), *right])


def _show(so: NDArray[np.bool_], right_so: NDArray[np.bool_], held: NDArray[np.float32]) -> bool:
    """Whether all numbers are so that were written, several different ones, and hardly any that are right."""
    return bool(so.all() and right_so.mean() <= 1 - EXPLAINED and np.unique(held).size >= SEVERAL)


def _is_half(numbers: NDArray[np.float32]) -> NDArray[np.bool_]:
    half: NDArray[np.bool_] = (numbers.view(np.uint32) & np.uint32(HALF_BITS)) == 0
    return half


def _nearly_right(case: Evidence) -> Explanation | None:
    """Small errors everywhere; where they come from, they do not tell."""
    magnitude = case.truth.magnitude
    if magnitude is None or np.count_nonzero(case.held) < max(FITTED, case.wrong.size // 2):
        return None
    share = np.abs(case.got - case.truth.value)[magnitude > 0] / magnitude[magnitude > 0]
    if not (np.median(share) >= FAR_ABOVE_ROUNDING and share.max() <= LITTLE):
        return None
    return Explanation(
        sentence=f"{case.buffer} is nearly right everywhere, with errors of up to {share.max():.2g} of the sum of an "
        "element's terms; rounding makes smaller ones."
    )


# --- whether it is always the same ------------------------------------------------------------


def _every_other_launch(case: Evidence) -> Explanation | None:
    right = [not wrong_elements(case.buffer, got, case.truth, case.standard).any() for got in case.repeats]
    if not any(right) or any(now == after for now, after in pairwise(right)):
        return None
    cause = "every other launch on the same data is right"
    return Explanation(
        cause=cause,
        sentence=f"{cause}: something is kept from one launch to the next, such as the contents of local memory.",
    )


def _unsteady(case: Evidence) -> Explanation | None:
    launches = [got.view(np.uint32) for got in (case.got, *case.repeats)]
    varying = np.any([launch != launches[0] for launch in launches], axis=0)
    if not varying.any():
        return None
    cause = "launches on the same data give different results"
    return Explanation(
        cause=cause,
        sentence=f"{cause} ({len(launches)} launches differ in {np.count_nonzero(varying):,} elements of "
        f"{case.buffer}): usually a barrier is missing, two work-items write the same word, or local memory is "
        "read before it is filled.",
    )


# --- where it is wrong ------------------------------------------------------------------------


def _not_written(case: Evidence) -> Explanation | None:
    words = case.place(case.unwritten)
    if words is None or np.count_nonzero(case.held) > (1 - EXPLAINED) * np.count_nonzero(case.wrong):
        return None
    rest = "" if case.held.any() else "; all else is right"
    return Explanation(
        sentence=f"{case.buffer} is not written in {words}{rest}.", use=Use(array=case.buffer, writes=True)
    )


def _place(case: Evidence) -> Explanation | None:
    where = case.where
    return Explanation(sentence=f"{case.buffer} is wrong only{where}; all else is right.") if where else None


OF_LAUNCHES: tuple[Fact, ...] = (_every_other_launch, _unsteady)

OF_ALL: dict[Fact, Callable[[Sequence[Evidence]], bool]] = {_whole_numbers: _are_whole, _half_floats: _are_half}
"""Facts that are told of each failed case if they hold for all of them together."""

OF_ONE: tuple[Fact, ...] = (_not_a_number, _one_value, _nearly_right)

ABOUT_PLACES: tuple[Fact, ...] = (_not_written, _place)
