"""A x = b by Jacobi's method in double precision, in as many iterations as the test for convergence needs."""

import numpy as np

from grader.oracle import Truth

UNIT_ROUNDOFF = 2.0**-24
"""u of fp32."""

CONVERGED = 1e-8
"""An iteration whose mean square change is below this is the last (`repeat` in assignment.yaml)."""

NEAR = 0.05
"""A mean square this near to CONVERGED, as a share of it, may fall on either side: elements change by 1e-4 then, and
rounding errors of up to 1e-6 in them move the mean square by 2 %."""

LAST = (25, 37)
"""Earliest and latest iteration that can be the last one. Timed runs have 20 iterations."""

FULL_SIZE = 38
"""The last iteration for x in [1, 2.5). Each factor of 0.8 makes it one earlier."""


def inputs(generator, data, n, **_):
    """Return a system whose error each iteration multiplies by exactly 0.8.

    A is n x n, and At is its transpose. b = A (s x) with n numbers x of one size, between some factor and 2.5 times it.
    A is negative except for its diagonal, and the rest of a row adds up to 0.8 of the diagonal. Then column i is
    divided by s[i]. This only multiplies the changes of x[i] by s[i]. So all errors have one sign, and differ by a
    factor of up to 50: a sum with some of them twice and without others is another sum. The mean square of s is 1.
    From 60 equations on, the last iteration is in the range LAST and differs between systems, so `change` cannot count
    iterations instead. The mean square of the iteration before it is 1.1 to 1.4 times CONVERGED, and the mean
    square of the last iteration is 0.7 to 0.9 times CONVERGED. Neither is close to the bound.
    """
    A = -generator.random((n, n), dtype=np.float32)
    np.fill_diagonal(A, 0)
    rest = -A.sum(axis=1, dtype=np.float64)
    np.fill_diagonal(A, np.where(rest > 0, 1.25 * rest, 1))
    scales = np.exp(generator.uniform(-2, 2, n))
    scales /= np.sqrt(np.mean(scales**2))
    A /= scales.astype(np.float32)
    x = generator.uniform(1, 2.5, n) * 0.8 ** (FULL_SIZE - generator.integers(*LAST, endpoint=True))
    b = (A @ (scales * x)).astype(np.float32)
    return {"A": A, "At": np.ascontiguousarray(A.T), "b": b}


def expected(A, b, n, iterations, **_):
    """x after the last iteration, n numbers."""
    M, c = _fixed_point(A, b)
    return {"xnew": _iterated(M, c, iterations)}


def mistakes(A, b, n, iterations, **_):
    """Additional or missing products, products of a wrong sign or of the transpose; too few or too many iterations."""
    M, c = _fixed_point(A, b)
    diagonal = A.diagonal()[:, None]
    made = {
        "the product on the diagonal (j = i) is not left out": (M - np.eye(n), c),
        "the products are added to b, not subtracted from it": (-M, c),
        "the last columns are left out, when n is not a multiple of 4": (M * (np.arange(n) < n // 4 * 4), c),
        "the last column (j = n - 1) is left out": (M * (np.arange(n) < n - 1), c),
        "the matrix is read transposed: by rows where it is stored by columns, or the other way round": (
            _fixed_point(A.T, b)[0],
            c,
        ),
        "the sum is not divided by the element on the diagonal": (M * diagonal, b),
    }
    results = {words: _iterated(*system, iterations) for words, system in made.items()}
    results |= {
        "the first iteration is the last, as if the sums of `change` were 0": _iterated(M, c, 1),
        "iterations end too early, as if `change` added up only half of the elements": _iterated(
            M, c, iterations, converged=2 * CONVERGED
        ),
        "iterations continue after convergence, as if the sums of `change` were too large": _iterated(
            M, c, iterations, converged=0
        ),
    }
    return {words: {"xnew": _where_known(truth)} for words, truth in results.items()}


def _fixed_point(A, b):
    """Return M and c for which an iteration is x = c + M x."""
    diagonal = A.diagonal().astype(np.float64)
    M = A / -diagonal[:, None]
    np.fill_diagonal(M, 0)
    return M, b / diagonal


def _iterated(M, c, iterations, converged=CONVERGED):
    """x after the last iteration, started from 0.

    In an iteration, the error of an element is about u*sqrt(n) of its terms, as in a matrix product, and a few u from
    the division. A kernel without branches has the diagonal among its terms. M carries over the errors of the iteration
    before, and the bound adds them as if all had the same sign. The errors of fp32 are a tenth of this bound. If a mean
    square is close to CONVERGED, one iteration more or less is also right.
    """
    factor, weights = np.sqrt(len(c)) + 6, np.abs(M)
    x, errors, changes = np.zeros(len(c)), np.zeros(len(c)), []
    while len(changes) < iterations and (not changes or changes[-1] >= converged):
        old, terms = x, factor * np.abs(x)
        x = c + M @ old
        errors = factor * np.abs(c) + terms + weights @ (terms + errors)
        changes.append(np.mean((x - old) ** 2))
    if any(abs(change - converged) < NEAR * converged for change in changes[-2:]):
        errors += np.abs(x - old) / UNIT_ROUNDOFF
    return Truth(value=x, magnitude=errors)


def _where_known(truth):
    """Return a prediction without values if rounding errors, which grow without end in some mistakes, could show."""
    known = truth.magnitude * UNIT_ROUNDOFF < 0.001 * np.abs(truth.value)
    return Truth(value=np.where(known, truth.value, np.nan), magnitude=truth.magnitude)
