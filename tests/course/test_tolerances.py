"""The tolerances of the shipped assignments are too small for a kernel that leaves out terms of a sum."""

import pytest
from project import ASSIGNMENTS

from grader.course.elements import ELEMENTS
from grader.course.expressions import evaluate

TERMS = {
    **dict.fromkeys(("blockMMM", "rgblkMMM", "rectMMM", "transMMM"), "widthA"),
    "productLadder": "n",
    **dict.fromkeys(("coalsProgrm", "optimProgram"), "2*width"),
    "loopNest": "days*(days+1)",
    "reduction": "n",
    "convolution": "(2*R+1)**2",
}
"""The largest number of terms in one element."""


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_tolerance_is_less_than_an_average_term(course, name):
    """A tolerance is below a fourth of an average term, at the sizes of all cases and of the timing on a CPU.

    The tolerance is `factor` * u times the sum of all terms. At a fourth of a term, a kernel that leaves out one term
    is right in one run of eight, but it has to be right in all of thirty. On a GPU, results are compared exactly.
    """
    for part in course.load(name).parts:
        tolerance = part.correctness.tolerance
        if tolerance.rule == "exact" or part.performance.verifier == "oracle":
            continue
        for sizes in (*(case.sizes for case in part.correctness.cases), part.performance.classes["cpu"].sizes):
            names = part.names(sizes)
            rounding = evaluate(tolerance.factor, names) * ELEMENTS["float"].unit_roundoff
            assert rounding * evaluate(TERMS[name], names) < 1 / 4
