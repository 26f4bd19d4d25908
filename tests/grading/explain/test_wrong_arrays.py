"""wrong_arrays.py: a wrong array and a store outside one have a message with the place and the numbers."""

import pytest

from grader.course.truth.comparison import Mismatch
from grader.grading.explain.diagnosis.evidence import Explanation
from grader.grading.explain.wrong_arrays import explained, of_mismatch, of_stray_write
from grader.results.verdicts import Reason


def mismatch(**changes):
    fields = {
        "buffer": "C",
        "wrong": 3,
        "total": 2077,
        "unwritten": 0,
        "index": (1, 3),
        "first_unwritten": False,
        "got": 0.25,
        "expected": 0.5,
        "largest_error": 0.25,
        "excess": 41.5,
    }
    return Mismatch(**{**fields, **changes})


def test_a_wrong_array_says_how_many_which_first_and_how_far_off():
    """The message about a wrong array gives the number of wrong elements and the first one. The detail gives the
    largest error.
    """
    problem = of_mismatch(mismatch())
    assert problem.reason is Reason.WRONG_OUTPUT
    assert problem.message == "3 of 2,077 elements of C are wrong; the first is C[1][3]: got 0.25, expected 0.5."
    assert problem.detail == "largest error: 0.25; at worst 41.5 times what rounding allows."


def test_numbers_that_look_alike_get_more_digits():
    """If the actual and the expected number look equal, they are shown with more digits."""
    assert "got 1.50000012, expected 1.5." in of_mismatch(mismatch(got=1.50000012, expected=1.5)).message


def test_whole_numbers_have_all_their_digits():
    """If the expected results are integers, numbers are shown with all their digits. The wrong result itself need not
    be an integer.
    """
    told = mismatch(got=12345678.0, expected=104729.0, largest_error=12240949.0, excess=None, whole=True)
    assert "got 12345678, expected 104729." in of_mismatch(told).message
    assert of_mismatch(told).detail == "largest error: 12240949; this output must match exactly."
    assert "got 0.5, expected 104729." in of_mismatch(mismatch(got=0.5, expected=104729.0, whole=True)).message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"excess": None}, "must match exactly"),
        ({"excess": 1e9}, "far more than rounding explains"),
        ({"largest_error": None, "excess": None}, "none of the wrong elements holds a finite number"),
    ],
)
def test_how_far_off_is_said_so_that_it_means_something(changes, words):
    """The size of the error is described in other words for exact data, for absurd errors and for NaN."""
    assert words in of_mismatch(mismatch(**changes)).detail


def test_elements_never_written_are_told_from_wrong_ones():
    """Elements that were never written are distinguished from wrong ones, whether all or only some elements are
    unwritten.
    """
    nothing = of_mismatch(mismatch(wrong=2077, unwritten=2077, first_unwritten=True))
    assert nothing.reason is Reason.NOT_WRITTEN
    assert nothing.message == "nothing was written to `C`, or only NaN."
    assert nothing.detail.startswith("no number in 2,077 elements. ")
    whole = of_mismatch(mismatch(wrong=2077, unwritten=2077, first_unwritten=True, got=0, expected=3))
    assert whole.message == "nothing was stored in `C`."
    assert "NaN" not in whole.detail
    some = of_mismatch(mismatch(unwritten=2, first_unwritten=True))
    assert "2 of them were never written; the first is C[1][3]: never written, expected 0.5" in some.message
    missing = of_mismatch(mismatch(unwritten=3, first_unwritten=True, largest_error=None, excess=None))
    assert "all of them were never written" in missing.message
    assert missing.detail == ""


def test_an_explanation_is_the_message_and_the_numbers_are_evidence():
    """An explanation becomes the message, and the numbers move to the beginning of the detail. The reason does not
    change, and the cause is stored separately, so that it can be counted.
    """
    explanation = Explanation(cause="the sign is wrong", sentence="the sign is wrong. That explains it.")
    problem = explained(of_mismatch(mismatch()), explanation)
    assert problem.message == "the sign is wrong. That explains it."
    numbers, largest = problem.detail.splitlines()
    assert numbers == "3 of 2,077 elements of C are wrong; the first is C[1][3]: got 0.25, expected 0.5."
    assert largest.startswith("largest error: ")
    assert (problem.reason, problem.cause) == (Reason.WRONG_OUTPUT, "the sign is wrong")


@pytest.mark.parametrize(
    ("words", "place"),
    [(0, "1 element past its end"), (4, "5 elements past its end"), (-2, "2 elements before its start")],
)
def test_a_stray_write_says_where(words, place):
    """The message about a write outside a buffer gives the distance from the buffer's nearer end."""
    problem = of_stray_write("C", words)
    assert problem.reason is Reason.OUT_OF_BOUNDS
    assert place in problem.message
