"""matching.py: a mistake is reported only if it fits all cases, the failed ones as well as the correct ones."""

from dataclasses import replace

import numpy as np
from wrong_arrays import (
    COL,
    GENERATOR,
    INTEGERS,
    LARGER,
    PRODUCT,
    SIZES,
    C,
    case,
    cases,
    causes,
    product,
    right,
    said,
    sentence,
)

from grader.course.tolerance import Tolerance
from grader.course.truth.comparators import Standard
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.rules import explain


def test_a_mistake_that_explains_all_cases_is_the_cause():
    """If a mistake explains all failed cases, it is the cause of each. This includes a case with a single element,
    which would not be enough evidence alone.
    """
    failed = cases(lambda a, b: right(-a, b))
    assert causes(failed) == ["the products are subtracted"] * 4
    assert causes(failed[:1]) == [None]


def test_a_mistake_that_explains_some_cases_is_no_cause():
    """If a mistake explains only some of the failed cases, it is not reported, although each of these cases alone
    supports it.
    """
    failed = cases(lambda a, b: right(-a, b) if a.shape[0] < 20 else right(a, b) + a.shape[0])
    assert causes(failed[:2] + failed[3:]) == ["the products are subtracted"] * 3
    assert "the products are subtracted" not in causes(failed)


def test_a_right_case_speaks_against_a_mistake():
    """A correct case rules out a mistake that would have changed its result, for example a missing first product."""
    failed = cases(lambda a, b: right(a[:, 1:], b[1:]))
    assert causes(failed) == ["the first product is left out"] * 4
    assert "the first product is left out" not in causes(failed, cases(right, LARGER[:1]))


def test_arrays_that_are_all_zero_speak_for_nothing():
    """Arrays of zeros are not evidence for a mistake, because every sum without products is 0."""
    failed = [
        replace(each, mistakes=lambda each=each: {"no product counts": each.predict(np.zeros(each.got.shape))})
        for each in cases(lambda a, b: np.zeros((a.shape[0], b.shape[1])))
    ]
    assert set(causes(failed)) == {None, ""}


def test_one_element_in_every_case():
    """If every case has a single element, for example a sum, at least two cases must support the mistake. A result of 0
    is not evidence.
    """
    sizes = [{"height": 1, "depth": depth, "width": 1} for depth in (1, 127, 128)]
    failed = cases(lambda a, b: right(a[:, 1:], b[1:]), sizes)
    assert causes(failed) == ["the first product is left out"] * 3
    assert causes(failed[:2]) != ["the first product is left out"] * 2


def test_whole_numbers_may_agree_by_chance():
    """A few integers can agree with a mistake by chance, so they are not enough evidence. Many integers are."""
    few, many = (case(sizes, lambda a, b: right(-a, b), INTEGERS) for sizes in (SIZES[0], LARGER[0]))
    assert causes([few]) == [None]
    assert causes([few, many]) == [None, "the products are subtracted"]


def test_a_mistake_that_is_made_in_a_part():
    """If a mistake was made only in a part of the array, here in the last rows of all cases, the sentence says in which
    part.
    """

    def made(a, b):
        got = right(a, b)
        got[-2:] = right(-a, b)[-2:]
        return got

    (first, _) = explain(cases(made, LARGER), cases(right, SIZES))
    assert first.cause == "the products are subtracted, but not everywhere"
    assert first.sentence == (
        "the products are subtracted, but only in the last 2 rows. That explains all 40 wrong elements of C."
    )


def test_two_mistakes_that_come_to_the_same_are_both_named():
    """If two mistakes predict the same results, both are reported, because the data cannot distinguish them. Three
    would be a guess, so none is reported.
    """
    got = PRODUCT.value * COL
    made = Truth(value=got, magnitude=PRODUCT.magnitude * COL)
    assert sentence(product(got, mistakes=lambda: {"a": made, "b": made})).startswith("a, or b. Either explains all")
    assert sentence(product(got, mistakes=lambda: {"a": made, "b": made, "c": made})) is None


def test_a_prediction_that_is_wrong_where_the_data_are_right_is_rejected():
    """A mistake that would have changed elements that are right is rejected. Here, only some elements have the wrong
    sign.
    """
    got = np.where(GENERATOR.random(C.shape) < 0.2, -C, C)
    assert sentence(product(got)) is None


def test_a_prediction_for_half_of_the_wrong_elements_is_rejected():
    """A mistake that explains only half of the wrong elements is rejected, because it must explain nearly all of
    them.
    """
    got = np.where(GENERATOR.random(C.shape) < 0.5, -C, C + GENERATOR.random(C.shape))
    assert sentence(product(got)) is None


def test_small_integers_that_agree_by_chance_are_no_evidence():
    """A single wrong integer that agrees with a mistake by chance is not evidence."""
    whole = Truth(value=np.array([[3.0, 1.0]]), magnitude=np.array([[9.0, 9.0]]))
    integers = Standard(tolerance=Tolerance(rule="rounding"), amount=1.0, data="integers")
    assert said(product([[-3, 1]], truth=whole, standard=integers)).cause == ""
