"""runner.py: a case is explained by one rule or remains unexplained."""

import numpy as np
import pytest
from gradings import grade
from project import ROOT
from wrong_arrays import DEPTH, GENERATOR, HEIGHT, A, C, cases, product, sentence, transposition

from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.runner import LARGE, explain


def test_right_cases_are_only_asked_about_what_explains_the_others():
    """The correct cases are computed again only if there is a possible explanation to check, because this takes
    time.
    """

    def never():
        raise AssertionError
        yield

    explain(cases(lambda a, b: GENERATOR.normal(0, 9, (a.shape[0], b.shape[1]))), never())


@pytest.mark.parametrize("seed", range(5))
def test_garbage_gets_no_explanation(seed):
    """Noise everywhere, noise in some elements, infinities and random bits remain unexplained."""
    generator = np.random.default_rng(seed)
    noise = generator.normal(0, 3, C.shape)
    here_and_there = np.where(generator.random(C.shape) < 0.3, noise, C)
    endless = np.where(generator.random(C.shape) < 0.3, np.inf, noise)
    any_bits = generator.integers(0, 2**32, C.shape, dtype=np.uint32).view(np.float32)
    for got in (noise, here_and_there, endless, any_bits):
        assert sentence(product(got)) is None
        assert sentence(transposition(got[:, :40].T.reshape(DEPTH, HEIGHT), A)) is None


def test_of_huge_arrays_only_places_are_told():
    """In huge arrays, only the place of the wrong elements is described, so that a timed run does not wait for
    predictions.
    """
    value = np.ones((2, LARGE))
    got = value.copy()
    got[1] = 0
    evidence = product(got, truth=Truth(value=value, magnitude=value))
    assert sentence(evidence) == "`C` is wrong only in the last row; all else is right."


@pytest.mark.whole
def test_only_whole_explanations_are_counted(course, environment):
    """All wrong cases of a kernel for which a cause is found have the same cause."""
    result = grade(
        course.load("blockMMM"), ROOT / "tests" / "submissions" / "blockMMM" / "reset-every-step", environment
    )
    causes = {check.cause for check in result.checks if check.cause}
    assert causes == {"only the last step along k counts, as if the sum restarted in every step"}
