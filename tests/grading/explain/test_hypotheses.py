"""hypotheses.py: every explanation for arrays that deserve it, and none for arrays that only look alike."""

import re

import numpy as np
import pytest
from gradings import grade
from project import ROOT

from grader.course.rubric import Tolerance
from grader.course.truth.comparison import Standard
from grader.course.truth.oracle import Truth
from grader.course.truth.poison import INPUT_POISON, POISON
from grader.grading.explain.evidence import Evidence
from grader.grading.explain.hypotheses import LARGE, explain

GENERATOR = np.random.default_rng(5)
HEIGHT, WIDTH, DEPTH = 53, 90, 40
A = GENERATOR.uniform(-1, 1, (HEIGHT, DEPTH)).astype(np.float32)
B = GENERATOR.uniform(-1, 1, (DEPTH, WIDTH)).astype(np.float32)
WIDE_A, WIDE_B = A.astype(np.float64), B.astype(np.float64)
PRODUCT = Truth(value=WIDE_A @ WIDE_B, magnitude=np.abs(WIDE_A) @ np.abs(WIDE_B))
C = PRODUCT.value.astype(np.float32)

ROUNDING = Standard(tolerance=Tolerance(rule="rounding", factor=20.0), factor=20.0, data="random")
EXACT = Standard(tolerance=Tolerance(rule="exact"), factor=1.0, data="random")

ROW, COL = np.arange(HEIGHT)[:, None], np.arange(WIDTH)


def product(got, **more):
    """Evidence about a matrix product."""
    fields = {
        "buffer": "C",
        "truth": PRODUCT,
        "standard": ROUNDING,
        "inputs": {"A": A, "B": B},
        "blocks": {"TILE": 16},
        "mistakes": dict,
        **more,
    }
    return Evidence(got=np.array(got, dtype=np.float32), **fields)


def transposition(got, original):
    """Evidence about a transposition."""
    return Evidence(
        buffer="B",
        got=np.array(got, dtype=np.float32),
        truth=Truth(value=original.T),
        standard=EXACT,
        inputs={"A": original},
        blocks={"TILE": 16},
        mistakes=dict,
    )


def said(evidence):
    """What is said of a case that is alone."""
    (explanation,) = explain([evidence])
    return explanation


def sentence(evidence):
    """What is said, if anything."""
    explanation = said(evidence)
    return explanation and explanation.sentence


def poisoned(array, where, poison=POISON):
    """The array with a bit pattern somewhere."""
    copy = np.array(array, dtype=np.float32)
    copy.view(np.uint32)[where] = poison
    return copy


def moved(array, rows, columns):
    """Each element taken from elsewhere; zero where that is outside, as a tile filled with zeros gives."""
    rows, columns = np.broadcast_arrays(rows, columns)
    inside = (rows >= 0) & (rows < array.shape[0]) & (columns >= 0) & (columns < array.shape[1])
    return np.where(inside, array[np.where(inside, rows, 0), np.where(inside, columns, 0)], 0)


def test_a_copy_is_no_transpose():
    """B is A, word for word."""
    explanation = said(transposition(A.reshape(DEPTH, HEIGHT), A))
    assert explanation.cause == "B is A itself, not its transpose"
    assert re.fullmatch(r"B is A .* transpose: that explains all 2,1\d\d wrong elements of B\.", explanation.sentence)


def test_a_copy_of_an_input_that_is_no_transposition():
    """A kernel that only copies."""
    square = Truth(value=2 * WIDE_A, magnitude=2 * np.abs(WIDE_A))
    assert sentence(product(A, truth=square)).startswith("C is A itself: that")


def test_an_array_that_is_to_be_updated_and_was_not():
    """It is no copy of itself."""
    doubled = Truth(value=2 * WIDE_A, magnitude=2 * np.abs(WIDE_A))
    evidence = product(A, buffer="A", truth=doubled)
    assert sentence(evidence).startswith("A still holds its old values: that explains all ")


def test_tiles_in_their_place_but_not_turned():
    """The block moves, its elements do not."""
    got = moved(C, ROW // 16 * 16 + COL % 16, COL // 16 * 16 + ROW % 16)
    assert sentence(product(got)).startswith("each 16 x 16 block (TILE) of C is in its place, but its rows and columns")


def test_tiles_turned_but_not_moved():
    """The elements of a block move, the block does not."""
    square, half = PRODUCT.value[:, :53], C[:, :53]
    truth = Truth(value=square, magnitude=PRODUCT.magnitude[:, :53])
    col = COL[:53]
    got = moved(half, col // 16 * 16 + ROW % 16, ROW // 16 * 16 + col % 16)
    assert "block (i, j) is stored where block (j, i) belongs" in sentence(product(got, truth=truth))


def test_a_result_stored_by_columns():
    """[col * height + row]."""
    assert sentence(product(C.T.reshape(C.shape))).startswith("C is stored by columns, not by rows: that explains all")


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
    """By one row or column, by a block, or askew; what comes from outside may be anything."""
    assert sentence(product(moved(C, ROW + down, COL + across))).startswith(f"{words}: that explains")


def test_the_other_sign():
    """Also of data that are only moved."""
    assert sentence(product(-C)) == "the sign is wrong: that explains all 4,770 wrong elements of C."
    assert sentence(transposition(-A.T, A)).startswith("the sign is wrong")


def test_a_constant_factor_and_a_constant_difference():
    """Twice the result, or one more."""
    assert sentence(product(1.5 * C)).startswith("C is 1.5 times what it should be: that explains all")
    assert sentence(product(PRODUCT.value + 1)).startswith("C is off by 1 everywhere: that explains all")


def test_one_value_in_all_wrong_elements():
    """And where, if that has a shape; elements that were never written are another matter."""
    assert sentence(product(np.zeros_like(C))) == "all wrong elements of C are 0."
    got = C.copy()
    got[48:] = 0
    words = "all wrong elements of C are 0 in rows from 48 on, which do not fill a whole block (TILE = 16)."
    assert sentence(product(got)) == words
    assert sentence(product(poisoned(got, np.s_[:4]))) == "every wrong value that was written to C is 0."


@pytest.mark.parametrize(
    ("poison", "words"), [(INPUT_POISON, "end of an input"), (0x7FC00000, "words that nobody has set")]
)
def test_a_nan_comes_from_outside_the_inputs(poison, words):
    """The inputs hold none; the bits tell whether it is the judge's own."""
    told = sentence(product(poisoned(C, np.s_[52], poison)))
    assert told.startswith("C holds NaN (not a number) in the last row, and no input does: it ")
    assert words in told


def test_results_that_are_half_floats():
    """The bits of each tell; that errors are small does not."""
    halves = C.astype(np.float16).astype(np.float32)
    assert sentence(product(halves)) == (
        "all results are half floats, with 11 bits each: C should hold numbers of single precision."
    )


@pytest.mark.parametrize("share", [1e-4, 1e-3])
def test_small_errors_are_told_without_a_cause(share):
    """A product left out of a thousand, or a wrong weight, errs as little as half floats do."""
    got = PRODUCT.value + share * PRODUCT.magnitude * GENERATOR.uniform(-1, 1, C.shape)
    explanation = said(product(got))
    assert explanation.sentence.startswith("C is nearly right everywhere, with errors of up to ")
    assert explanation.cause == ""


def test_some_wrong_products_are_not_nearly_right():
    """A product left out of forty errs everywhere, too, but more."""
    assert sentence(product(WIDE_A[:, 1:] @ WIDE_B[1:])) is None


def test_results_that_are_whole_numbers():
    """As if a sum were kept in an int; that all are 0 is another matter, and so are sums of whole numbers."""
    whole = np.trunc(C)
    explanation = said(product(whole))
    assert explanation.cause == "all results are whole numbers, as if kept in an int on the way"
    integers = Standard(tolerance=Tolerance(rule="rounding"), factor=1.0, data="integers")
    truth = Truth(value=whole.astype(float), magnitude=PRODUCT.magnitude)
    assert sentence(product(whole + COL + 1, truth=truth, standard=integers)) is None


def test_a_place_that_was_never_written():
    """Every 16th row, as if one register were not stored."""
    got = poisoned(C, np.s_[15::16])
    assert sentence(product(got)) == (
        "C is not written in every 16th row (TILE = 16), from row 15 on; all else is right."
    )


def test_all_else_is_right_only_where_it_is():
    """One wrong element among a missing half, and the sentence no longer says so."""
    got = poisoned(C, np.s_[:, 45:])
    got[0, 0] += 1
    assert sentence(product(got)) == "C is not written in columns from 45 on."


def test_a_place_that_is_wrong():
    """The ragged blocks at both edges."""
    noise = GENERATOR.uniform(-5, 5, C.shape)
    got = np.where((ROW >= 48) | (COL >= 80), noise, C)
    assert sentence(product(got)).startswith(
        "C is wrong only in rows from 48 on, which do not fill a whole block (TILE = 16)"
    )


def test_every_second_group_of_a_vector():
    """A vector has elements, and blocks of them."""
    value = GENERATOR.uniform(-1, 1, (1, 500))
    got = poisoned(value.astype(np.float32), np.s_[:, np.arange(500) // 64 % 2 == 1])
    evidence = product(got, truth=Truth(value=value, magnitude=np.abs(value)), is_vector=True, blocks={"WG": 64})
    assert sentence(evidence) == (
        "C is not written in every other block of 64 elements (WG), from element 64 on; all else is right."
    )


def test_launches_that_differ():
    """A race: another result each time."""
    launches = [np.where(GENERATOR.random(C.shape) < 0.1, 7 * GENERATOR.random(C.shape), C) for _ in range(5)]
    got, *repeats = (launch.astype(np.float32) for launch in launches)
    explanation = said(product(got, repeats=tuple(repeats)))
    assert explanation.cause == "launches on the same data give different results"
    assert re.search(r"5 launches differ in [12],\d\d\d elements of C", explanation.sentence)
    assert sentence(product(got, repeats=(got, got, got, got))) is None


def test_every_other_launch():
    """Right, wrong, right, wrong; two right ones in a row are no alternation."""
    wrong = np.where(GENERATOR.random(C.shape) < 0.1, 0.5, C).astype(np.float32)
    noise = (wrong + GENERATOR.random(C.shape)).astype(np.float32)
    alternating, by_chance = (wrong, C, noise, C), (C, C, noise, C)
    assert sentence(product(noise, repeats=alternating)).startswith("every other launch on the same data is right")
    assert sentence(product(noise, repeats=by_chance)).startswith("launches on the same data give different")


def test_a_mistake_of_the_assignment_comes_first():
    """What oracle.py predicts, named in its words; elements that nobody can know are left out."""
    prediction = 3 * PRODUCT.value
    prediction[:, 30:] = np.nan
    got = np.where(np.isnan(prediction), 99, prediction)
    mistakes = {"it is thrice too much": Truth(value=prediction, magnitude=3 * PRODUCT.magnitude)}
    assert sentence(product(got, mistakes=lambda: mistakes)) == (
        "it is thrice too much: that explains 1,590 of the 4,770 wrong elements of C."
    )


def test_two_mistakes_that_come_to_the_same_are_both_named():
    """Nothing in the data decides; three would be guessing."""
    got = PRODUCT.value * COL
    made = Truth(value=got, magnitude=PRODUCT.magnitude * COL)
    assert sentence(product(got, mistakes=lambda: {"a": made, "b": made})).startswith("a, or b: either explains all")
    assert sentence(product(got, mistakes=lambda: {"a": made, "b": made, "c": made})) is None


def test_a_prediction_that_is_wrong_where_the_data_are_right_is_rejected():
    """The sign of a few elements is not the sign of all."""
    got = np.where(GENERATOR.random(C.shape) < 0.2, -C, C)
    assert sentence(product(got)) is None


def test_a_prediction_for_half_of_the_wrong_elements_is_rejected():
    """A mistake must explain nearly everything that it speaks about."""
    got = np.where(GENERATOR.random(C.shape) < 0.5, -C, C + GENERATOR.random(C.shape))
    assert sentence(product(got)) is None


def test_small_integers_that_agree_by_chance_are_no_evidence():
    """One wrong element that another mistake would make as well."""
    whole = Truth(value=np.array([[3.0, 1.0]]), magnitude=np.array([[9.0, 9.0]]))
    integers = Standard(tolerance=Tolerance(rule="rounding"), factor=1.0, data="integers")
    assert said(product([[-3, 1]], truth=whole, standard=integers)).cause == ""


@pytest.mark.parametrize("seed", range(5))
def test_garbage_gets_no_explanation(seed):
    """Noise everywhere, noise here and there, infinities: nothing is claimed."""
    generator = np.random.default_rng(seed)
    noise = generator.normal(0, 3, C.shape)
    here_and_there = np.where(generator.random(C.shape) < 0.3, noise, C)
    endless = np.where(generator.random(C.shape) < 0.3, np.inf, noise)
    any_bits = generator.integers(0, 2**32, C.shape, dtype=np.uint32).view(np.float32)
    for got in (noise, here_and_there, endless, any_bits):
        assert sentence(product(got)) is None
        assert sentence(transposition(got[:, :40].T.reshape(DEPTH, HEIGHT), A)) is None


def test_of_huge_arrays_only_places_are_told():
    """A timed run must not wait for hypotheses."""
    value = np.ones((2, LARGE))
    got = value.copy()
    got[1] = 0
    evidence = product(got, truth=Truth(value=value, magnitude=value))
    assert sentence(evidence) == "C is wrong only in the last row; all else is right."


# --- real kernels -----------------------------------------------------------------------------


@pytest.mark.whole
def test_only_whole_explanations_are_counted(course, bench):
    """Of the cases of a wrong kernel, those with a cause all have the same."""
    result = grade(course.load("blockMMM"), ROOT / "tests" / "submissions" / "blockMMM" / "reset-every-step", bench)
    causes = {check.cause for check in result.checks if check.cause}
    assert causes == {"only the last step along k counts, as if the sum restarted in every step"}
