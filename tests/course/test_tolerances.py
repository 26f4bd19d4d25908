"""The tolerances of the assignments: no kernel may leave out terms that it should add up."""

import pytest
from project import ASSIGNMENTS

from grader.course.expressions import evaluate
from grader.course.truth.comparison import UNIT_ROUNDOFF

TERMS = {
    **dict.fromkeys(("blockMMM", "rgblkMMM", "rectMMM", "transMMM"), "widthA"),
    "productLadder": "n",
    **dict.fromkeys(("coalsProgrm", "optimProgram"), "2*width"),
    "loopNest": "days*(days+1)",
    "reduction": "n",
}
"""From how many terms an element is made, at most."""


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_tolerance_is_less_than_an_average_term(course, name):
    """At the sizes of all cases, and at those that a CPU is timed at: what is allowed is `factor` * u of all terms.

    Of the largest sums it is a fourth of a term: then a kernel that leaves out one is right in one run of eight, and
    needs that luck in all of thirty. On a GPU, nothing but equality is right.
    """
    for part in course.load(name).parts:
        tolerance = part.correctness.tolerance
        if tolerance.rule == "exact" or part.performance.verifier == "oracle":
            continue
        for sizes in (*(case.sizes for case in part.correctness.cases), part.performance.classes["cpu"].sizes):
            names = part.names(sizes)
            assert evaluate(tolerance.factor, names) * UNIT_ROUNDOFF * evaluate(TERMS[name], names) < 1 / 4
