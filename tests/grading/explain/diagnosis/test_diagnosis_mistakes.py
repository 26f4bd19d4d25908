"""mistakes.py: common mistakes are recognised from a wrong result, in how it is computed or stored and in how inputs
are read.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from wrong_arrays import (
    COL,
    DEPTH,
    HEIGHT,
    LARGER,
    PRODUCT,
    RANDOM,
    ROW,
    WIDE_A,
    A,
    C,
    case,
    cases,
    causes,
    moved,
    product,
    right,
    said,
    sentence,
    transposition,
)

from grader.course.truth.mistakes import by_columns, with_row_length
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.diagnosis.mistakes import misplaced_reads
from grader.grading.explain.diagnosis.rules import explain


def test_a_copy_is_no_transpose():
    """If the output B of a transposition is an exact copy of A, the cause says that B is A itself."""
    explanation = said(transposition(A.reshape(DEPTH, HEIGHT), A))
    assert explanation.cause == "`B` is `A` itself, not its transpose"
    assert re.fullmatch(
        r"`B` is `A` .* transpose. That explains all 2,1\d\d wrong elements of B\.", explanation.sentence
    )


def test_a_copy_of_an_input_that_is_no_transposition():
    """If the output of another kernel is a copy of an input, the cause says so and does not mention a transpose."""
    square = Truth(value=2 * WIDE_A, magnitude=2 * np.abs(WIDE_A))
    assert sentence(product(A, truth=square)).startswith("`C` is `A` itself. That")


def test_an_array_that_is_to_be_updated_and_was_not():
    """If an array should be updated but was not, the cause says that it still has its old values, and not that it is a
    copy of an input.
    """
    doubled = Truth(value=2 * WIDE_A, magnitude=2 * np.abs(WIDE_A))
    evidence = product(A, buffer="A", truth=doubled)
    assert sentence(evidence).startswith("A still holds its old values. That explains all ")


def test_tiles_in_their_place_but_not_turned():
    """If blocks are in the right place but the rows and columns inside them are exchanged, the cause says so."""
    got = moved(C, ROW // 16 * 16 + COL % 16, COL // 16 * 16 + ROW % 16)
    assert sentence(product(got)).startswith("each 16 x 16 block (TILE) of C is in its place, but its rows and columns")


def test_tiles_turned_but_not_moved():
    """If each block is stored in the place of its mirror image, the cause says so."""
    square, half = PRODUCT.value[:, :53], C[:, :53]
    truth = Truth(value=square, magnitude=PRODUCT.magnitude[:, :53])
    col = COL[:53]
    got = moved(half, col // 16 * 16 + ROW % 16, ROW // 16 * 16 + col % 16)
    assert "block (i, j) is stored where block (j, i) belongs" in sentence(product(got, truth=truth))


def test_a_result_stored_by_columns():
    """A result that is stored at [col * height + row] is recognised as stored by columns."""
    assert sentence(product(C.T.reshape(C.shape))).startswith(
        "`C` is stored by columns, not by rows. That explains all"
    )


@pytest.mark.parametrize(
    ("down", "across", "words"),
    [
        (1, 0, "C[i][j] holds what belongs to C[i + 1][j]"),
        (0, -1, "C[i][j] holds what belongs to C[i][j - 1]"),
        (-16, 0, "C[i][j] holds what belongs to C[i - 16][j]"),
        (3, 5, "C[i][j] holds what belongs to C[i + 3][j + 5]"),
    ],
)
def test_shifts_are_found_and_measured(down, across, words):
    """A shift by rows, by columns, by a block or in both directions is recognised with its distance. Elements that come
    from outside the array may have any value.
    """
    assert sentence(product(moved(C, ROW + down, COL + across))).startswith(f"{words}. That explains")


def test_the_other_sign():
    """A wrong sign is recognised in the results of a product and in data that were only moved."""
    assert sentence(product(-C)) == "the sign is wrong. That explains all 4,770 wrong elements of C."
    assert sentence(transposition(-A.T, A)).startswith("the sign is wrong")


def test_a_constant_factor_and_a_constant_difference():
    """A constant factor and a constant difference are recognised with their value."""
    assert sentence(product(1.5 * C)).startswith("`C` is 1.5 times what it should be. That explains all")
    assert sentence(product(PRODUCT.value + 1)).startswith("`C` is off by 1 everywhere. That explains all")


def test_results_that_repeat_the_first():
    """If an index term is missing, so that all columns or rows of the result equal the first, the cause names the input
    that is read in this way. If the result for such an input cannot be computed, the cause describes the result
    instead.
    """
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


def test_a_mistake_of_the_assignment_comes_first():
    """If oracle.py predicts a mistake that fits, it is preferred to all other causes, in the words of oracle.py.
    Elements without a prediction are ignored.
    """
    prediction = 3 * PRODUCT.value
    prediction[:, 30:] = np.nan
    got = np.where(np.isnan(prediction), 99, prediction)
    mistakes = {"it is thrice too much": Truth(value=prediction, magnitude=3 * PRODUCT.magnitude)}
    assert sentence(product(got, mistakes=lambda: mistakes)) == (
        "it is thrice too much. That explains 1,590 of the 4,770 wrong elements of C."
    )


def test_listed_mistakes_in_our_words_are_about_the_same_lines():
    """A mistake from oracle.py that concerns the index of B refers to the lines that read B, although oracle.py
    describes the index in its own words.
    """
    words = "B is read by columns, at [col * depth + k]"
    (failed,) = cases(lambda a, b: right(a, by_columns(b)), LARGER[:1])
    made = failed.remade({"B": by_columns(failed.inputs["B"])})
    (explanation,) = explain([replace(failed, mistakes=lambda: {words: made})])
    assert (explanation.cause, explanation.use) == (words, Use(array="B", writes=False))


# --- mistakes in reading inputs ---------------------------------------------------------------


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
    """If an input is read wrongly, the cause is found by computing the oracle's result for the input as it was read.
    The explanation refers to the lines that read this input.
    """
    sizes = {"height": 21, "depth": 9, "width": 11}
    (explanation,) = explain([case(sizes, lambda a, b: right(change(a), b) if name == "A" else right(a, change(b)))])
    assert explanation.cause == cause
    assert explanation.use == Use(array=name, writes=False)


def test_inputs_in_the_place_of_others():
    """If two inputs have the same size, the cause says if one is read instead of the other, or if they are
    exchanged.
    """
    sizes = {"height": 21, "depth": 21, "width": 21}
    both, one = (
        case(sizes, lambda a, b: right(b, a)),
        case(sizes, lambda _, b: right(b, b)),
    )
    assert causes([both]) == ["A and B are exchanged"]
    (explanation,) = explain([one])
    assert (explanation.cause, explanation.use) == ("B is read where A is meant", Use(array="B", writes=False))


def test_inputs_cut_to_half_floats():
    """If one of two inputs was rounded to half precision, the cause names this input, although the results have all
    bits of a float.
    """
    failed = cases(lambda a, b: right(a.astype(np.float16), b), LARGER)
    assert set(causes(failed)) == {"numbers of A are rounded to half floats"}


def test_what_hangs_on_unknown_words_is_no_prediction():
    """The part of a result that depends on unknown words is not predicted, even if the oracle does not propagate NaN,
    for example because it computes a minimum.
    """
    (failed,) = cases(right, LARGER[:1])

    def remade(changed):
        return failed.predict(np.repeat(np.nan_to_num(changed["A"][:, :1]), 20, axis=1))

    proposed = misplaced_reads(replace(failed, remade=remade))
    moved = next(each for each in proposed if each.cause == "A is read one row too far")
    prediction = moved.predict(replace(failed, remade=remade)).value
    assert np.isnan(prediction[-1]).all()
    assert np.isfinite(prediction[:-1]).all()


@pytest.mark.parametrize("shape", [(1, 1), (5, 7)])
@pytest.mark.parametrize("value", [0, 2.5, np.nan])
def test_an_assignment_without_inputs_is_explained_like_any_other(shape, value):
    """An assignment without inputs is explained without an error, and no explanation mentions inputs."""
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
    for explanation in explain([alone, replace(alone, sizes={"n": 9})]):
        assert explanation is None or "numbers of" not in explanation.sentence
