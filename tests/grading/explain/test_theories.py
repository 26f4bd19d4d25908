"""theories.py, theorists.py, misreadings.py and edges.py: what is said only because all cases say it, failed ones and
right ones.
"""

from dataclasses import replace

import numpy as np
import pytest

from grader.course.rubric import Tolerance
from grader.course.truth.comparison import Standard
from grader.course.truth.mistakes import by_columns, with_row_length
from grader.course.truth.oracle import Truth
from grader.course.truth.poison import POISON
from grader.grading.explain.evidence import Evidence, Use
from grader.grading.explain.hypotheses import explain
from grader.grading.explain.misreadings import at_wrong_places

GENERATOR = np.random.default_rng(7)
RANDOM = Standard(tolerance=Tolerance(rule="rounding", factor=20.0), factor=20.0, data="random")
INTEGERS = replace(RANDOM, data="integers")

SIZES = ({"height": 1, "depth": 1, "width": 1}, {"height": 5, "depth": 9, "width": 7})
LARGER = ({"height": 33, "depth": 12, "width": 20}, {"height": 18, "depth": 40, "width": 50})


def truth(a, b):
    wide_a, wide_b = a.astype(float), b.astype(float)
    return Truth(value=wide_a @ wide_b, magnitude=np.abs(wide_a) @ np.abs(wide_b))


def mistakes(a, b):
    """What an oracle.py may list; where there is one column or one product, two of them come to the same."""
    return {
        "the first product is left out": truth(a[:, 1:], b[1:]),
        "the last product is left out": truth(a[:, :-1], b[:-1]),
        "the products are subtracted": truth(-a, b),
    }


def case(sizes, make, standard=RANDOM):
    """a product of matrices of which a kernel has made something."""
    height, depth, width = sizes.values()
    a = GENERATOR.uniform(-1, 1, (height, depth)).astype(np.float32)
    b = GENERATOR.uniform(-1, 1, (depth, width)).astype(np.float32)
    if standard is INTEGERS:
        a, b = np.round(4 * a), np.round(4 * b)
    inputs = {"A": a, "B": b}
    right = truth(a, b)
    return Evidence(
        buffer="C",
        got=np.asarray(make(a, b), dtype=np.float32).reshape(height, width),
        truth=right,
        standard=standard,
        inputs=inputs,
        blocks={"TILE": 16},
        mistakes=lambda: mistakes(a, b),
        remade=lambda changed: truth(*{**inputs, **changed}.values()),
        sizes=sizes,
        rows={"A": "depth", "B": "width", "C": "width"},
    )


def cases(make, sizes=(*SIZES, *LARGER)):
    return [case(each, make) for each in sizes]


def right(a, b):
    return a.astype(float) @ b.astype(float)


def causes(failed, passed=()):
    """What is said to be the cause of each."""
    return [explanation.cause if explanation else None for explanation in explain(failed, passed)]


def test_a_mistake_that_explains_all_cases_is_the_cause():
    """Of cases of one element, too, where it would not be believed alone."""
    failed = cases(lambda a, b: right(-a, b))
    assert causes(failed) == ["the products are subtracted"] * 4
    assert causes(failed[:1]) == [None]


def test_a_mistake_that_explains_some_cases_is_no_cause():
    """Each case alone would speak for it."""
    failed = cases(lambda a, b: right(-a, b) if a.shape[0] < 20 else right(a, b) + a.shape[0])
    assert causes(failed[:2] + failed[3:]) == ["the products are subtracted"] * 3
    assert "the products are subtracted" not in causes(failed)


def test_a_right_case_speaks_against_a_mistake():
    """If the first product were left out, it would be missing there as well."""
    failed = cases(lambda a, b: right(a[:, 1:], b[1:]))
    assert causes(failed) == ["the first product is left out"] * 4
    assert "the first product is left out" not in causes(failed, cases(right, LARGER[:1]))


def test_right_cases_are_only_asked_about_what_explains_the_others():
    """To make them again takes time."""

    def never():
        raise AssertionError
        yield

    explain(cases(lambda a, b: GENERATOR.normal(0, 9, (a.shape[0], b.shape[1]))), never())


def test_arrays_that_are_all_zero_speak_for_nothing():
    """Any sum that is never added to is 0."""
    failed = [
        replace(each, mistakes=lambda each=each: {"no product counts": each.predict(np.zeros(each.got.shape))})
        for each in cases(lambda a, b: np.zeros((a.shape[0], b.shape[1])))
    ]
    assert set(causes(failed)) == {None, ""}


def test_one_element_in_every_case():
    """a sum has no more; then two cases must agree."""
    sizes = [{"height": 1, "depth": depth, "width": 1} for depth in (1, 127, 128)]
    failed = cases(lambda a, b: right(a[:, 1:], b[1:]), sizes)
    assert causes(failed) == ["the first product is left out"] * 3
    assert causes(failed[:2]) != ["the first product is left out"] * 2


def test_sums_that_are_whole_numbers_in_every_case():
    """One element is no evidence; one in each of many cases is."""
    sizes = [{"height": 1, "depth": 50 + number, "width": 1} for number in range(12)]
    failed = cases(lambda a, b: np.trunc(3 * right(a, b)), sizes)
    assert set(causes(failed)) == {"all results are whole numbers, as if kept in an int on the way"}
    assert set(causes(failed[:4])) == {None}


def test_whole_numbers_may_agree_by_chance():
    """Few of them say nothing, many do."""
    few, many = (case(sizes, lambda a, b: right(-a, b), INTEGERS) for sizes in (SIZES[0], LARGER[0]))
    assert causes([few]) == [None]
    assert causes([few, many]) == [None, "the products are subtracted"]


@pytest.mark.parametrize(
    ("name", "change", "cause"),
    [
        ("A", by_columns, "A is read by columns, not by rows"),
        ("B", lambda b: np.nan_to_num(with_row_length(b, 9)), "rows of B are taken to be depth long, not width"),
        ("A", lambda a: np.roll(a, -1), "A is read one element too far"),
        ("A", lambda a: np.roll(a, 1), "A is read one element too early"),
        ("A", lambda a: a[:, :1] + 0 * a, "A is read as if every column were column 0"),
    ],
)
def test_inputs_read_wrongly(name, change, cause):
    """What the oracle makes of the inputs as they would have been read; the lines that read them are meant."""
    sizes = {"height": 21, "depth": 9, "width": 11}
    (explanation,) = explain([case(sizes, lambda a, b: right(change(a), b) if name == "A" else right(a, change(b)))])
    assert explanation.cause == cause
    assert explanation.use == Use(array=name, writes=False)


def test_inputs_in_the_place_of_others():
    """Of the same size: one for the other, or both."""
    sizes = {"height": 21, "depth": 21, "width": 21}
    both, one = (
        case(sizes, lambda a, b: right(b, a)),
        case(sizes, lambda _, b: right(b, b)),
    )
    assert causes([both]) == ["A and B are exchanged"]
    (explanation,) = explain([one])
    assert (explanation.cause, explanation.use) == ("B is read where A is meant", Use(array="B", writes=False))


def test_results_that_repeat_the_first():
    """An index term that is left out."""
    columns = cases(lambda a, b: np.repeat(right(a, b)[:, :1], b.shape[1], axis=1), LARGER)
    rows = cases(lambda a, b: np.repeat(right(a, b)[:1], a.shape[0], axis=0), LARGER)
    assert set(causes(columns)) == {"B is read as if every column were column 0"}
    assert set(causes(rows)) == {"A is read as if every row were row 0"}
    assert set(causes([replace(each, remade=lambda _: None) for each in columns])) == {
        "every column of C holds what belongs to column 0"
    }
    assert set(causes([replace(each, remade=lambda _: None) for each in rows])) == {
        "every row of C holds what belongs to row 0"
    }


def test_what_hangs_on_unknown_words_is_no_prediction():
    """An oracle need not pass NaN on, as one that looks for the smallest number does not."""
    (failed,) = cases(right, LARGER[:1])

    def remade(changed):
        return failed.predict(np.repeat(np.nan_to_num(changed["A"][:, :1]), 20, axis=1))

    theories = at_wrong_places(replace(failed, remade=remade))
    moved = next(theory for theory in theories if theory.cause == "A is read one row too far")
    prediction = moved.predict(replace(failed, remade=remade)).value
    assert np.isnan(prediction[-1]).all()
    assert np.isfinite(prediction[:-1]).all()


def test_listed_mistakes_in_our_words_are_about_the_same_lines():
    """An oracle.py says at which index B is read: B's reads are meant all the same."""
    words = "B is read by columns, at [col * depth + k]"
    (failed,) = cases(lambda a, b: right(a, by_columns(b)), LARGER[:1])
    made = failed.remade({"B": by_columns(failed.inputs["B"])})
    (explanation,) = explain([replace(failed, mistakes=lambda: {words: made})])
    assert (explanation.cause, explanation.use) == (words, Use(array="B", writes=False))


def test_inputs_cut_to_half_floats():
    """One of two; the results have all bits of a float."""
    failed = cases(lambda a, b: right(a.astype(np.float16), b), LARGER)
    assert set(causes(failed)) == {"numbers of A are rounded to half floats"}


def test_a_mistake_that_is_made_in_a_part():
    """Only the last rows have it, in all cases."""

    def made(a, b):
        got = right(a, b)
        got[-2:] = right(-a, b)[-2:]
        return got

    (first, _) = explain(cases(made, LARGER), cases(right, SIZES))
    assert first.cause == "the products are subtracted, but not everywhere"
    assert first.sentence == (
        "the products are subtracted, but only in the last 2 rows: that explains all 40 wrong elements of C."
    )


def unwritten(a, b, first):
    got = right(a, b).astype(np.float32)
    got[:, first:].view(np.uint32)[...] = POISON
    return got


def test_an_edge_that_is_another_size():
    """Columns are guarded with the height: right as long as there are fewer."""
    failed = [case(each, lambda a, b: unwritten(a, b, a.shape[0])) for each in (SIZES[1], LARGER[1])]
    first, second = explain(failed, [case(LARGER[0], right)])
    assert first.cause == second.cause == "C is not written from column height on, as if it had no more columns"
    assert first.sentence == f"{first.cause}. Here height is 5."
    assert first.use == Use(array="C", writes=True)


def test_an_edge_that_a_right_case_does_not_have_is_none():
    """There are columns behind it, and they are right."""
    failed = [case(each, lambda a, b: unwritten(a, b, a.shape[0])) for each in (SIZES[1], LARGER[1])]
    passed = case({"height": 2, "depth": 3, "width": 30}, right)
    assert causes(failed, [passed]) == ["", ""]
    assert causes(failed[:1]) == [""]


@pytest.mark.parametrize("shape", [(1, 1), (5, 7)])
@pytest.mark.parametrize("value", [0, 2.5, np.nan])
def test_an_assignment_without_inputs_is_explained_like_any_other(shape, value):
    """Nothing is said of inputs that there are not, and nothing fails for want of them."""
    right = Truth(value=np.arange(1.0, 1 + np.prod(shape)).reshape(shape), magnitude=np.ones(shape))
    alone = Evidence(
        buffer="z",
        got=np.full(shape, value, dtype=np.float32),
        truth=right,
        standard=RANDOM,
        inputs={},
        blocks={},
        mistakes=dict,
        remade=lambda _: right,
        sizes={"n": 5},
    )
    for said in explain([alone, replace(alone, sizes={"n": 9})]):
        assert said is None or "numbers of" not in said.sentence
