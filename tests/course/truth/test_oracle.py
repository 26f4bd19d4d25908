"""oracle.py and the oracles of the assignments, checked against sequential computations."""

import itertools

import numpy as np
import pytest
from courses import ADDITION, course_of
from numpy.lib.recfunctions import structured_to_unstructured

from grader.common.errors import InterruptedGradingError, SolutionError
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Oracle, Truth, consult, consult_about, judged, load_oracle, make

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


def test_the_game_of_life_counts_eight_neighbours_around_the_torus(course):
    """The truth for the Game of Life applies the rules cell by cell, in arrays and in images. In two rows, a neighbour
    counts twice.
    """
    for name, height, width in itertools.product(("gameOfLife", "lifeInImages"), (7, 2), (5, 6)):
        inputs, truth = truth_of(course.load(name), {"height": height, "width": width, "generations": 3})
        cells = inputs["now"].tolist()
        around = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
        for _ in range(3):
            alive = [
                [sum(cells[(y + dy) % height][(x + dx) % width] for dy, dx in around) for x in range(width)]
                for y in range(height)
            ]
            cells = [
                [int(count == 3 or (count == 2 and cell == 1)) for count, cell in zip(*rows, strict=True)]
                for rows in zip(alive, cells, strict=True)
            ]
        assert truth["next"].value.tolist() == cells


def test_gravity_adds_up_over_all_pairs(course):
    """The truth for gravity is the sum over all other bodies, and its magnitude is at least the sum of absolute values.

    The fourth number of a result is not compared.
    """
    inputs, truth = truth_of(course.load("nBody"), {"n": 9})
    bodies, found = inputs["positions"].tolist(), truth["accelerations"]
    for i, own in enumerate(bodies):
        terms = []
        for body in bodies:
            apart = [there - here for there, here in zip(body[:3], own[:3], strict=True)]
            terms.append([body[3] * each / (sum(d * d for d in apart) + 0.015625) ** 1.5 for each in apart])
        for axis, along in enumerate(zip(*terms, strict=True)):
            assert found.value[i, axis] == pytest.approx(sum(along), abs=1e-12)
            assert found.magnitude[i, axis] >= sum(map(abs, along))
    assert found.defined[:, :3].all()
    assert not found.defined[:, 3].any()


def test_a_sparse_product_is_the_dense_one(course):
    """The truth for the sparse product is that of the dense matrix. Entries have ascending columns in each row."""
    inputs, truth = truth_of(course.load("spMatVec"), {"rows": 11, "columns": 8, "entries": 40})
    dense = np.zeros((11, 8))
    for row in range(11):
        entries = slice(*inputs["starts"][row : row + 2].tolist())
        assert (np.diff(inputs["places"][entries].astype(int)) > 0).all()
        dense[row, inputs["places"][entries]] = inputs["values"][entries]
    assert np.count_nonzero(dense) == 40
    assert truth["y"].value == pytest.approx(dense @ inputs["x"], abs=1e-14)
    assert truth["y"].magnitude == pytest.approx(np.abs(dense) @ np.abs(inputs["x"]), rel=1e-14)


def test_an_oracle_of_the_wrong_shape_is_our_fault_and_named(transposition):
    """An array of the wrong shape from oracle.py raises SolutionError, so the student is not blamed."""
    with pytest.raises(SolutionError, match=r"oracle\.py, line \d+: B has the shape"):
        consult(
            Oracle(expected=lambda **given: {"B": Truth(value=given["A"])}),
            transposition,
            ZEROS,
            {"height": 2, "width": 3},
        )


def test_an_interruption_within_an_oracle_is_no_fault_of_its_author(tmp_path):
    """Pressing Ctrl-C while any function of an oracle.py runs ends the grading, and does not count as an error of the
    function.
    """

    def interrupted(*_, **__):
        raise InterruptedGradingError("interrupted by SIGINT.")

    buffers = {"x": {"type": "uchar", "shape": ["n"], "data": "made"}, "z": {"type": "uchar", "shape": ["n"]}}
    launch = {**ADDITION["launches"][0], "args": ["x", "z", "n"]}
    changes = {"buffers": buffers, "launches": [launch], "baseline": [launch]}
    fields = {name: field for name, field in ADDITION.items() if name != "performance"} | changes
    asked, arrays, sizes = course_of(tmp_path, fields).load("small"), {"x": np.zeros(3, np.uint8)}, {"n": 3}
    oracle = Oracle(expected=interrupted, inputs=interrupted, mistakes=interrupted, check=interrupted)
    for call in (
        lambda: consult(oracle, asked, arrays, sizes),
        lambda: make(oracle, asked, np.random.default_rng(1), "random", sizes),
        lambda: consult_about("z", oracle, asked, arrays, sizes),
        lambda: judged(arrays, oracle, asked, arrays, sizes),
    ):
        with pytest.raises(InterruptedGradingError, match="interrupted by SIGINT"):
            call()


def test_an_oracle_that_forgets_an_array_is_named(transposition):
    """If an oracle does not return an array that a launch produces, SolutionError contains the name of the array."""
    with pytest.raises(SolutionError, match="`expected` returns nothing for B"):
        consult(Oracle(expected=lambda **_: {}), transposition, ZEROS, {"height": 2, "width": 3})


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ([], "`expected` returns an object of type list; return a dict with a Truth for each array"),
        ({"B": ZEROS["A"].T}, r"`expected` returns an object of type ndarray for B; return Truth\(value=\.\.\.\)"),
        ({"B": Truth(value=[[0.0] * 2] * 3)}, "B is an object of type list; make it an array of NumPy"),
        ({"B": Truth(value=np.full((3, 2), None))}, "B has the dtype object; make it an array of real numbers"),
        ({"B": Truth(value=np.zeros((3, 2), complex))}, "B has the dtype complex128; make it an array of real numbers"),
        ({"B": Truth(value=np.zeros((2, 3)))}, "B has the shape .*, but .* says .*; change one of them"),
    ],
    ids=["no-dict", "no-truth", "no-array", "objects", "complex", "shape"],
)
def test_an_oracle_that_returns_something_else_is_named(transposition, returned, words):
    """A result of another kind, dtype or shape raises SolutionError that begins with the file and says what to do."""
    oracle = Oracle(expected=lambda **_: returned)
    with pytest.raises(SolutionError, match=rf"/oracle\.py, line \d+: {words}") as error:
        consult(oracle, transposition, ZEROS, {"height": 2, "width": 3})
    assert "\n" not in str(error.value)


def test_numbers_that_a_type_cannot_hold_are_named(tmp_path):
    """A value that an element of the array cannot be raises SolutionError, for results and for made data."""
    buffers = {"x": {"type": "uchar", "shape": ["n"], "data": "made"}, "z": {"type": "uchar", "shape": ["n"]}}
    launch = {**ADDITION["launches"][0], "args": ["x", "z", "n"]}
    changes = {"buffers": buffers, "launches": [launch], "baseline": [launch]}
    fields = {name: field for name, field in ADDITION.items() if name != "performance"} | changes
    assignment = course_of(tmp_path, fields).load("small")
    right = np.zeros(3, np.uint8)
    for wrong in (np.full(3, 256), np.full(3, -1), np.full(3, 0.5), np.full(3, np.nan)):
        oracle = Oracle(expected=lambda **_: {"z": Truth(value=wrong)}, inputs=lambda *_, **__: {"x": wrong})  # noqa: B023
        with pytest.raises(SolutionError, match="`expected` returns numbers for z that its type uchar cannot hold"):
            consult(oracle, assignment, {"x": right}, {"n": 3})
        with pytest.raises(SolutionError, match="`inputs` returns numbers for x that its type uchar cannot hold"):
            make(oracle, assignment, np.random.default_rng(1), "random", {"n": 3})


MADE_BY = [
    ("blockMMM", "C"),
    ("coalsProgrm", "Btr"),
    ("coalsTransp", "B"),
    ("convolution", "result"),
    ("gameOfLife", "next"),
    ("gaussianBlur", "between"),
    ("gaussianBlur", "target"),
    ("implicitHeat", "new"),
    ("lifeInImages", "next"),
    ("loopNest", "gains"),
    ("mandelbrot", "counts"),
    ("maxSegmentSum", "blocks"),
    ("nBody", "accelerations"),
    ("nearestNeighbour", "nearest"),
    ("nearestNeighbour", "distance"),
    ("optimProgram", "B"),
    ("stablePartition", "result"),
    ("prefixScan", "before"),
    ("reduction", "total"),
    ("rgblkMMM", "C"),
    ("rot13", "coded"),
    ("segmentedScan", "sums"),
    ("spMatVec", "y"),
]


def numbers(array):
    """Return the numbers of an array, which may have structs, in double precision."""
    is_plain = np.asarray(array).dtype.names is None
    return np.asarray(array, np.float64) if is_plain else structured_to_unstructured(array, np.float64)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "buffer"), MADE_BY)
def test_every_mistake_can_be_made_and_told_at_some_size(course, name, buffer):
    """At the sizes of the cases, each mistake differs from the truth and from all other mistakes at least once."""
    assignment = course.load(name)
    oracle = load_oracle(assignment)
    told = set()
    for case in assignment.correctness.cases:
        inputs, truth = truth_of(assignment, case.sizes, case.data)
        made = consult_about(buffer, oracle, assignment, inputs, case.sizes)
        values = {words: np.nan_to_num(numbers(mistake.value)).tobytes() for words, mistake in made.items()}
        others = [numbers(truth[buffer].value).tobytes(), *values.values()]
        told |= {words for words, value in values.items() if others.count(value) == 1}
    assert told == set(made)


def test_the_largest_segment_is_that_of_all_segments(course):
    """The result has the largest sums over all segments, and over those that begin or end with the array."""
    inputs, truth = truth_of(course.load("maxSegmentSum"), {"n": 40})
    x = [*map(int, inputs["x"])]
    sums = {(i, j): sum(x[i:j]) for i in range(41) for j in range(i, 41)}
    best = max(sums.values())
    prefix, suffix = max(sums[0, j] for j in range(41)), max(sums[i, 40] for i in range(41))
    assert truth["result"].value.tolist() == [(sum(x), prefix, suffix, best)]


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
