"""input_mistakes.py: mistakes in how inputs are read are named."""

from dataclasses import replace

import numpy as np
import pytest
from wrong_arrays import LARGER, RANDOM, case, cases, causes, right

from grader.course.truth.mistakes import by_columns, with_row_length
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Evidence, Use
from grader.grading.explain.diagnosis.input_mistakes import wrong_places
from grader.grading.explain.diagnosis.runner import explain


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


def test_inputs_cut_to_half_floats():
    """One of two; the results have all bits of a float."""
    failed = cases(lambda a, b: right(a.astype(np.float16), b), LARGER)
    assert set(causes(failed)) == {"numbers of A are rounded to half floats"}


def test_what_hangs_on_unknown_words_is_no_prediction():
    """An oracle need not pass NaN on, as one that looks for the smallest number does not."""
    (failed,) = cases(right, LARGER[:1])

    def remade(changed):
        return failed.predict(np.repeat(np.nan_to_num(changed["A"][:, :1]), 20, axis=1))

    proposed = wrong_places(replace(failed, remade=remade))
    moved = next(each for each in proposed if each.cause == "A is read one row too far")
    prediction = moved.predict(replace(failed, remade=remade)).value
    assert np.isnan(prediction[-1]).all()
    assert np.isfinite(prediction[:-1]).all()


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
