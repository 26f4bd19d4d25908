"""oracle.py and the oracles of the assignments, checked against sequential computations."""

import numpy as np
import pytest

from grader.common.errors import SolutionError
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Oracle, Truth, consult, consult_about, load_oracle

ZEROS = {"A": np.zeros((2, 3))}


def truth_of(assignment, sizes, data="random"):
    inputs = make_inputs(assignment, load_oracle(assignment), sizes, data, (1,))
    return inputs, consult(load_oracle(assignment), assignment, inputs, sizes)


def test_the_transposition_is_element_by_element(course):
    """The truth for the transposition is B[j][i] = A[i][j]."""
    inputs, truth = truth_of(course.load("coalsTransp"), {"height": 3, "width": 5})
    for i in range(3):
        for j in range(5):
            assert truth["B"].value[j, i] == inputs["A"][i, j]


@pytest.mark.parametrize("name", ["coalsProgrm", "optimProgram"])
def test_the_recurrence_is_what_the_exercise_says(course, name):
    """The recurrence is accum = a*a - accum along each row, starting from 0.

    The magnitude is the sum of a^2 + |accum| so far.
    """
    inputs, truth = truth_of(course.load(name), {"height": 4, "width": 6})
    for i in range(4):
        accum = magnitude = 0.0
        for j in range(6):
            square = float(inputs["A"][i, j]) ** 2
            accum = square - accum
            magnitude += square + abs(accum)
            assert truth["B"].value[i, j] == pytest.approx(accum, abs=1e-15)
            assert truth["B"].magnitude[i, j] == pytest.approx(magnitude, rel=1e-14)


def test_the_program_states_its_intermediate_arrays(course):
    """The truth for the program contains Atr, the input of the student's kernel, and Btr, its output."""
    inputs, truth = truth_of(course.load("coalsProgrm"), {"height": 4, "width": 6})
    assert np.array_equal(truth["Atr"].value, inputs["A"].T)
    assert np.array_equal(truth["Btr"].value, truth["B"].value.T)


@pytest.mark.parametrize("name", ["blockMMM", "rgblkMMM"])
def test_the_product_and_its_magnitude(course, name):
    """The truth for the product is C = A*B in double precision, with the magnitude |A||B|."""
    inputs, truth = truth_of(course.load(name), {"heightA": 3, "widthB": 4, "widthA": 5})
    for i in range(3):
        for j in range(4):
            terms = [float(inputs["A"][i, k]) * float(inputs["B"][k, j]) for k in range(5)]
            assert truth["C"].value[i, j] == pytest.approx(sum(terms), abs=1e-15)
            assert truth["C"].magnitude[i, j] == pytest.approx(sum(map(abs, terms)), rel=1e-14)


def test_the_sum_and_its_magnitude(course):
    """The truth for the sum is the total of all words, and its magnitude is the total of their absolute values."""
    inputs, truth = truth_of(course.load("reduction"), {"n": 7})
    words = [float(word) for word in inputs["A"]]
    assert truth["total"].value == pytest.approx(sum(words), abs=1e-15)
    assert truth["total"].magnitude == pytest.approx(sum(map(abs, words)), rel=1e-14)


def added_up(values, group, other):
    """Return the sum of the values, computed by a tree in each group. Each element adds the element at the index from
    `other`.
    """
    total = 0.0
    for start in range(0, len(values), group):
        scratch = np.zeros(group)
        part = values[start : start + group]
        scratch[: len(part)] = part
        stride = group // 2
        while stride:
            scratch[:stride] += scratch[other(np.arange(stride), stride)]
            stride //= 2
        total += scratch[0]
    return total


def turns_until_convergence(system, other):
    """Return how many iterations of Jacobi's method bring the mean square change, summed by a tree, below 1e-8."""
    matrix, right = system["A"].astype(np.float64), system["b"]
    diagonal = matrix.diagonal()
    x, turns, change = np.zeros(len(right)), 0, np.inf
    while change >= 1e-8 and turns < 200:
        old, turns = x, turns + 1
        x = (right - (matrix @ old - diagonal * old)) / diagonal
        change = added_up((x - old) ** 2, 64, other) / len(x)
    return turns


def test_a_sum_of_changes_that_counts_some_twice_ends_the_iteration_at_another_turn(course):
    """If the sum of changes counts some twice, the number of iterations differs in nearly all gradings.

    Elements that change alike would not reveal this mistake, because a few of them represent all. Cases that continue
    until convergence reveal it, and the iterations for one system do not predict those for another.
    """
    jacobi = course.load("jacobi").parts[0]
    cases = [case for case in jacobi.correctness.cases if case.name.endswith("until convergence")]
    unseen, ends = 0, set()
    for seed in range(20):
        systems = [make_inputs(jacobi, load_oracle(jacobi), case.sizes, "random", (seed,)) for case in cases]
        right = [turns_until_convergence(system, lambda lid, stride: lid + stride) for system in systems]
        wrong = [turns_until_convergence(system, lambda lid, stride: lid * 0 + stride) for system in systems]
        ends |= {*right}
        unseen += wrong == right
    assert unseen <= 1
    assert ends == {*range(25, 38)}


def test_the_nearest_of_all_points(course):
    """The nearest point is found by comparing all pairs.

    Only a smaller distance replaces the least one, so the first of several nearest points is kept.
    """
    inputs, truth = truth_of(course.load("nearestNeighbour"), {"queryCount": 40, "pointCount": 300})
    for q, query in enumerate(inputs["queries"].tolist()):
        nearest, least = 0, float("inf")
        for p, point in enumerate(inputs["points"].tolist()):
            square = sum((a - b) ** 2 for a, b in zip(query, point, strict=True))
            if square < least:
                nearest, least = p, square
        assert (truth["nearest"].value[q], truth["distance"].value[q]) == (nearest, least)


def test_the_loop_nest_is_what_the_exercise_says(course):
    """The truth for the loop nest is the result of the sequential program in the handout.

    The magnitude is the sum of a tank's levels plus the gain.
    """
    inputs, truth = truth_of(course.load("loopNest"), {"days": 6, "tanks": 5})
    for t in range(5):
        level = [0.0] * 6
        level[0] = max(float(inputs["inflow"][0, t]), 0.0)
        for d in range(1, 6):
            level[d] = max(level[d - 1] + float(inputs["inflow"][d, t]), 0.0)
        for d in range(6):
            gain = level[5] - level[d]
            assert truth["gains"].value[d, t] == pytest.approx(gain, abs=1e-15)
            assert truth["gains"].magnitude[d, t] == pytest.approx(sum(level) + abs(gain), rel=1e-14)


def test_an_oracle_of_the_wrong_shape_is_our_fault_and_named(transposition):
    """An array of the wrong shape from oracle.py raises SolutionError, so the student is not blamed."""
    with pytest.raises(SolutionError, match=r"oracle\.py: B has the shape"):
        consult(
            Oracle(expected=lambda **given: {"B": Truth(value=given["A"])}),
            transposition,
            ZEROS,
            {"height": 2, "width": 3},
        )


def test_an_oracle_that_forgets_an_array_is_named(transposition):
    """If an oracle does not return an array that a launch produces, SolutionError contains the name of the array."""
    with pytest.raises(SolutionError, match="`expected` returns nothing for B"):
        consult(Oracle(expected=lambda **_: {}), transposition, ZEROS, {"height": 2, "width": 3})


MADE_BY = [
    ("blockMMM", "C"),
    ("coalsProgrm", "Btr"),
    ("coalsTransp", "B"),
    ("convolution", "result"),
    ("loopNest", "gains"),
    ("mandelbrot", "counts"),
    ("nearestNeighbour", "nearest"),
    ("nearestNeighbour", "distance"),
    ("optimProgram", "B"),
    ("reduction", "total"),
    ("rgblkMMM", "C"),
    ("rot13", "coded"),
]


@pytest.mark.parametrize(("name", "buffer"), MADE_BY)
def test_every_mistake_can_be_made_and_told_at_some_size(course, name, buffer):
    """At the sizes of the cases, each mistake differs from the truth and from all other mistakes at least once."""
    assignment = course.load(name)
    oracle = load_oracle(assignment)
    told = set()
    for case in assignment.correctness.cases:
        inputs, truth = truth_of(assignment, case.sizes, case.data)
        made = consult_about(buffer, oracle, assignment, inputs, case.sizes)
        values = {words: np.nan_to_num(mistake.value.astype(np.float64)).tobytes() for words, mistake in made.items()}
        others = [np.asarray(truth[buffer].value, dtype=np.float64).tobytes(), *values.values()]
        told |= {words for words, value in values.items() if others.count(value) == 1}
    assert told == set(made)


def test_an_oracle_need_not_name_mistakes(transposition):
    """An oracle without `mistakes` does not yield any mistakes."""
    oracle = Oracle(expected=load_oracle(transposition).expected)
    assert consult_about("B", oracle, transposition, ZEROS, {"height": 2, "width": 3}) == {}


def test_a_mistake_that_cannot_be_made_is_our_fault_and_named(transposition):
    """An exception or a wrong shape in `mistakes` raises SolutionError."""
    sizes = {"height": 2, "width": 3}
    for mistakes, words in (
        (lambda **given: given["C"], r"`mistakes` failed at .*KeyError"),
        (lambda **given: {"a": {"B": Truth(value=given["A"])}}, "B has the shape"),
    ):
        oracle = Oracle(expected=lambda **_: {}, mistakes=mistakes)
        with pytest.raises(SolutionError, match=words):
            consult_about("B", oracle, transposition, ZEROS, sizes)
