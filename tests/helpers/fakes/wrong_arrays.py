"""Wrong results that kernels could compute, as evidence for the diagnosis."""

from dataclasses import replace

import numpy as np

from grader.course.poison import POISON
from grader.course.tolerance import Tolerance
from grader.course.truth.comparators import Standard
from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import Evidence
from grader.grading.explain.diagnosis.rules import explain

GENERATOR = np.random.default_rng(7)
RANDOM = Standard(tolerance=Tolerance(rule="rounding", factor=20.0), amount=20.0, data="random")
INTEGERS = replace(RANDOM, data="integers")
EXACT = Standard(tolerance=Tolerance(rule="exact"), amount=1.0, data="random")

SIZES = ({"height": 1, "depth": 1, "width": 1}, {"height": 5, "depth": 9, "width": 7})
LARGER = ({"height": 33, "depth": 12, "width": 20}, {"height": 18, "depth": 40, "width": 50})

HEIGHT, WIDTH, DEPTH = 53, 90, 40
A = GENERATOR.uniform(-1, 1, (HEIGHT, DEPTH)).astype(np.float32)
B = GENERATOR.uniform(-1, 1, (DEPTH, WIDTH)).astype(np.float32)
WIDE_A, WIDE_B = A.astype(np.float64), B.astype(np.float64)
PRODUCT = Truth(value=WIDE_A @ WIDE_B, magnitude=np.abs(WIDE_A) @ np.abs(WIDE_B))
C = PRODUCT.value.astype(np.float32)

ROW, COL = np.arange(HEIGHT)[:, None], np.arange(WIDTH)


def truth(a, b):
    wide_a, wide_b = a.astype(float), b.astype(float)
    return Truth(value=wide_a @ wide_b, magnitude=np.abs(wide_a) @ np.abs(wide_b))


def mistakes(a, b):
    """Return mistakes as an oracle.py may list them. With one column or one product, two of them give equal results."""
    return {
        "the first product is left out": truth(a[:, 1:], b[1:]),
        "the last product is left out": truth(a[:, :-1], b[:-1]),
        "the products are subtracted": truth(-a, b),
    }


def case(sizes, make, standard=RANDOM):
    """Return evidence about a matrix product whose result a kernel has computed by calling `make`."""
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
    """Return the cause that the diagnosis gives for each case."""
    return [explanation.cause if explanation else None for explanation in explain(failed, passed)]


def product(got, **more):
    """Return evidence about a matrix product with this result."""
    fields = {
        "buffer": "C",
        "truth": PRODUCT,
        "standard": RANDOM,
        "inputs": {"A": A, "B": B},
        "blocks": {"TILE": 16},
        "mistakes": dict,
        **more,
    }
    return Evidence(got=np.array(got, dtype=np.float32), **fields)


def transposition(got, original):
    """Return evidence about a transposition with this result."""
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
    """Return the diagnosis of a single case."""
    (explanation,) = explain([evidence])
    return explanation


def sentence(evidence):
    """Return the sentence of the diagnosis, or None if there is no diagnosis."""
    explanation = said(evidence)
    return explanation and explanation.sentence


def poisoned(array, where, poison=POISON):
    """Return a copy of the array with a bit pattern at one place."""
    copy = np.array(array, dtype=np.float32)
    copy.view(np.uint32)[where] = poison
    return copy


def moved(array, rows, columns):
    """Return the array with each element taken from another place. Places outside the array give zero, as if a tile had
    been filled with zeros.
    """
    rows, columns = np.broadcast_arrays(rows, columns)
    inside = (rows >= 0) & (rows < array.shape[0]) & (columns >= 0) & (columns < array.shape[1])
    return np.where(inside, array[np.where(inside, rows, 0), np.where(inside, columns, 0)], 0)


def unwritten(a, b, first):
    got = right(a, b).astype(np.float32)
    got[:, first:].view(np.uint32)[...] = POISON
    return got
