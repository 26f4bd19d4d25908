"""observations.py: facts about a wrong array are reported, and only if they are true."""

import re

import numpy as np
import pytest
from wrong_arrays import (
    COL,
    GENERATOR,
    LARGER,
    PRODUCT,
    ROW,
    SIZES,
    WIDE_A,
    WIDE_B,
    C,
    case,
    cases,
    causes,
    poisoned,
    product,
    right,
    said,
    sentence,
    unwritten,
)

from grader.course.poison import INPUT_POISON
from grader.course.tolerance import Tolerance
from grader.course.truth.comparators import Standard
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Use
from grader.grading.explain.diagnosis.rules import explain


def test_one_value_in_all_wrong_elements():
    """If all wrong elements have the same value, the sentence gives the value and, if it is regular, the place.
    Elements that were never written are ignored.
    """
    assert sentence(product(np.zeros_like(C))) == "all wrong elements of C are 0."
    got = C.copy()
    got[48:] = 0
    words = "all wrong elements of C are 0 in rows from 48 on, which do not fill a whole block (TILE = 16)."
    assert sentence(product(got)) == words
    assert sentence(product(poisoned(got, np.s_[:4]))) == "every wrong value that was written to C is 0."


@pytest.mark.parametrize(
    ("poison", "words"), [(INPUT_POISON, "end of an input"), (0x7FC00000, "words that were never set")]
)
def test_a_nan_comes_from_outside_the_inputs(poison, words):
    """No input contains NaN, so a NaN was read from outside the inputs. Its bits show if it comes from behind an input
    or from a word that was never set. A NaN is a consequence of another mistake, so it is not reported as a cause.
    """
    explanation = said(product(poisoned(C, np.s_[52], poison)))
    told = explanation.sentence
    assert explanation.cause == ""
    assert told.startswith("C holds NaN (not a number) in the last row, and no input does: it ")
    assert words in told


def test_results_that_are_half_floats():
    """Results in half precision are recognised by the bits of each result, not by the size of the errors."""
    halves = C.astype(np.float16).astype(np.float32)
    assert sentence(product(halves)) == (
        "all results are half floats, with 11 bits each: C should hold numbers of single precision."
    )


@pytest.mark.parametrize("share", [1e-4, 1e-3])
def test_small_errors_are_told_without_a_cause(share):
    """Small errors are reported without a cause, because a missing product among a thousand, or a wrong weight, causes
    errors as small as half precision does.
    """
    got = PRODUCT.value + share * PRODUCT.magnitude * GENERATOR.uniform(-1, 1, C.shape)
    explanation = said(product(got))
    assert explanation.sentence.startswith("`C` is nearly right everywhere, with errors of up to ")
    assert explanation.cause == ""


def test_some_wrong_products_are_not_nearly_right():
    """A missing product among forty causes larger errors, so such results are not called nearly right."""
    assert sentence(product(WIDE_A[:, 1:] @ WIDE_B[1:])) is None


def test_results_that_are_whole_numbers():
    """Results that are all integers are reported, because a sum may have been stored in an int. There is no such report
    if all results are 0 or if the correct results are integers as well.
    """
    whole = np.trunc(C)
    explanation = said(product(whole))
    assert explanation.cause == "all results are whole numbers, as if kept in an int on the way"
    integers = Standard(tolerance=Tolerance(rule="rounding"), amount=1.0, data="integers")
    truth = Truth(value=whole.astype(float), magnitude=PRODUCT.magnitude)
    assert sentence(product(whole + COL + 1, truth=truth, standard=integers)) is None


def test_sums_that_are_whole_numbers_in_every_case():
    """An integer as the only element of one case is not evidence. Integers in many such cases are."""
    sizes = [{"height": 1, "depth": 50 + number, "width": 1} for number in range(12)]
    failed = cases(lambda a, b: np.trunc(3 * right(a, b)), sizes)
    assert set(causes(failed)) == {"all results are whole numbers, as if kept in an int on the way"}
    assert set(causes(failed[:4])) == {None}


def test_launches_that_differ():
    """If launches on the same data give different results, this is the cause."""
    launches = [np.where(GENERATOR.random(C.shape) < 0.1, 7 * GENERATOR.random(C.shape), C) for _ in range(5)]
    got, *repeats = (launch.astype(np.float32) for launch in launches)
    explanation = said(product(got, repeats=tuple(repeats)))
    assert explanation.cause == "launches on the same data give different results"
    assert re.search(r"5 launches differ in [12],\d\d\d elements of C", explanation.sentence)
    assert sentence(product(got, repeats=(got, got, got, got))) is None


def test_every_other_launch():
    """If every other launch is right, the sentence says so, but not if two right launches follow each other."""
    wrong = np.where(GENERATOR.random(C.shape) < 0.1, 0.5, C).astype(np.float32)
    noise = (wrong + GENERATOR.random(C.shape)).astype(np.float32)
    alternating, by_chance = (wrong, C, noise, C), (C, C, noise, C)
    assert sentence(product(noise, repeats=alternating)).startswith("every other launch on the same data is right")
    assert sentence(product(noise, repeats=by_chance)).startswith("launches on the same data give different")


def test_an_edge_that_is_another_size():
    """If columns from `height` on are not written, the cause says that the number of columns was taken to be `height`.
    Cases with fewer columns than rows may be right.
    """
    failed = [case(each, lambda a, b: unwritten(a, b, a.shape[0])) for each in (SIZES[1], LARGER[1])]
    first, second = explain(failed, [case(LARGER[0], right)])
    assert first.cause == second.cause == "`C` is not written from column height on, as if it had no more columns"
    assert first.sentence == f"{first.cause}. Here height is 5."
    assert first.use == Use(array="C", writes=True)


def test_an_edge_that_a_right_case_does_not_have_is_none():
    """This cause is ruled out by a correct case that has more columns than `height`."""
    failed = [case(each, lambda a, b: unwritten(a, b, a.shape[0])) for each in (SIZES[1], LARGER[1])]
    passed = case({"height": 2, "depth": 3, "width": 30}, right)
    assert causes(failed, [passed]) == ["", ""]
    assert causes(failed[:1]) == [""]


def test_a_place_that_was_never_written():
    """The place of elements that were never written is described. Here it is every 16th row, as if one register were
    not stored.
    """
    got = poisoned(C, np.s_[15::16])
    assert sentence(product(got)) == (
        "`C` is not written in every 16th row (TILE = 16), from row 15 on; all else is right."
    )


def test_all_else_is_right_only_where_it_is():
    """The words "all else is right" are omitted if an element elsewhere is wrong."""
    got = poisoned(C, np.s_[:, 45:])
    got[0, 0] += 1
    assert sentence(product(got)) == "`C` is not written in columns from 45 on."


def test_a_place_that_is_wrong():
    """The place of wrong elements is described. Here it is the partial blocks at two edges."""
    noise = GENERATOR.uniform(-5, 5, C.shape)
    got = np.where((ROW >= 48) | (COL >= 80), noise, C)
    assert sentence(product(got)).startswith(
        "`C` is wrong only in rows from 48 on, which do not fill a whole block (TILE = 16)"
    )


def test_every_second_group_of_a_vector():
    """In a vector, a place is described in elements and blocks of elements instead of rows and columns."""
    value = GENERATOR.uniform(-1, 1, (1, 500))
    got = poisoned(value.astype(np.float32), np.s_[:, np.arange(500) // 64 % 2 == 1])
    evidence = product(got, truth=Truth(value=value, magnitude=np.abs(value)), is_vector=True, blocks={"WG": 64})
    assert sentence(evidence) == (
        "`C` is not written in every other block of 64 elements (WG), from element 64 on; all else is right."
    )
