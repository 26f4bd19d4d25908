"""digest_verifier.py: complete timings on a device. Arrays leave the device only if digests differ."""

from contextlib import ExitStack

import pytest
from kernels import TRANSPOSITION, changed
from project import ROOT
from selection import param
from timing_setups import at_sizes, begun, real_setup

from grader.course.submissions.submission import parse_submission, read_submission
from grader.execution.session import WorkerSession
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.device_data import SUMS
from grader.grading.timing.measurement import measure
from grader.results.verdicts import Reason

SUBMISSIONS = ROOT / "tests" / "submissions"

SOON = TimingRules(warm_up_seconds=0, min_pairs=7, max_pairs=7, noise_limit=1e6)
"""Rules for eight rounds, in which every set of arrays is used and some sets are used again. The speed does not matter
in these tests.
"""

RAGGED = {
    "coalsTransp": {"height": 70, "width": 91},
    "coalsProgrm": {"height": 301, "width": 37},
    "optimProgram": {"height": 301, "width": 37},
    "blockMMM": {"heightA": 53, "widthB": 90, "widthA": 70},
    "rgblkMMM": {"heightA": 53, "widthB": 290, "widthA": 70},
    "reduction": {"n": 7001},
    "prefixScan": {"n": 7001},
    "byteHistogram": {"n": 7001},
    "rot13": {"n": 7001},
    "bitonicSort": {"bits": 13},
    "stablePartition": {"n": 7001},
    "gameOfLife": {"height": 53, "width": 90, "generations": 3},
    "nearestNeighbour": {"queryCount": 301, "pointCount": 137},
    "convolution": {"height": 53, "width": 90},
    "loopNest": {"days": 37, "tanks": 301},
    "vectorAdd": {"n": 7001},
    "rectMMM": {"heightA": 53, "widthB": 90, "widthA": 70},
    "transMMM": {"heightA": 53, "heightB": 90, "widthA": 70},
    **{f"productLadder/mm{step}": {"n": 70} for step in ("Element", "Row", "RowPrivate", "ColumnLocal", "Block")},
}

SELECTED = frozenset({"reduction"})
"""Assignments for `make test`: a reduction. Other tests cover kernels that move words."""


def part_of(course, called):
    """Return an assignment, or a part of a suite, by its name, for example "coalsTransp" or "productLadder/mmRow"."""
    return next(part for part in course.load(called.partition("/")[0]).parts if part.called == called)


@pytest.fixture
def setup(environment, course):
    """Yield a function that prepares the timing of a source, or of the submission in a folder, against the model
    solution.
    """
    with ExitStack() as workers:

        def make(name, text, sizes=None):
            assignment = at_sizes(part_of(course, name), **(sizes or RAGGED[name]))
            submission = parse_submission(ROOT, text.encode()) if isinstance(text, str) else read_submission(text)
            return begun(real_setup(environment, workers, assignment, submission))

        yield make


def test_the_corpus_of_assignments_is_covered(course):
    """Every assignment has sizes in this module, except the ones that the oracle verifies on every device."""
    parts = [part for name in course.names() for part in course.load(name).parts]
    assert set(RAGGED) == {part.called for part in parts if part.performance.verifier is None}


@pytest.mark.whole
@pytest.mark.parametrize("name", [param(name, name, SELECTED) for name in sorted(RAGGED)])
def test_a_model_solution_makes_what_the_model_solution_makes(setup, name, monkeypatch):
    """A submission that equals the model solution has the same digests in every round and in every set of arrays, and
    the comparisons are timed. Only digests are fetched.
    """
    entered = setup(name, ROOT / "reference" / name.partition("/")[0])
    fetched = []
    fetch, turn = WorkerSession.fetch, WorkerSession.turn
    monkeypatch.setattr(WorkerSession, "fetch", lambda own, names: (fetched.append(names), fetch(own, names))[1])
    monkeypatch.setattr(
        WorkerSession, "turn", lambda own, keys, names: (fetched.append(names), turn(own, keys, names))[1]
    )
    rounds = measure(entered, SOON)
    assert not isinstance(rounds, Problem), rounds
    assert len(rounds) == 7
    assert all(each.submission > 0 for each in rounds)
    assert all(each.turn > each.submission for each in rounds)
    assert all(name.startswith(SUMS) for names in fetched for name in names)
    assert len(set(fetched)) > 1
    for show in (each.comparisons for each in rounds[::3]):
        assert show.baseline > 0
        assert show.device_copy > 0
        assert (show.surroundings is not None) is entered.assignment.has_surroundings
        assert (show.peak is not None) is (entered.assignment.performance.flop is not None)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("folder", "sizes", "words"),
    [
        ("coalsTransp/half-done-when-huge", {"height": 1500, "width": 1500}, "never written; the first is B[0][752]"),
        ("optimProgram/half-done-when-large", {"height": 8000, "width": 70}, "never written; the first is B["),
        ("blockMMM/half-done-when-large", {"heightA": 20, "widthB": 1100, "widthA": 40}, "elements of C are wrong"),
    ],
)
def test_what_is_wrong_only_when_large_is_found_there(setup, folder, sizes, words):
    """Results that are wrong only at the timed size are found in the timed runs. In the cases, which are smaller, these
    kernels are right.
    """
    problem = measure(setup(folder.split("/")[0], SUBMISSIONS / folder, sizes), SOON)
    assert isinstance(problem, Problem)
    assert problem.reason is Reason.WRONG_OUTPUT
    assert problem.message.startswith("in timed run 1, ")
    assert words in f"{problem.message} {problem.detail}"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("place", "words"), [("height * width + 5", "6 elements past its end"), ("-1", "1 element before its start")]
)
def test_a_write_beside_the_output_is_found(setup, place, words):
    """A write next to the output is found because it changes a guard band, even if all results are right."""
    source = changed(TRANSPOSITION, "    barrier(", f"    if (x0 + y0 + lx + ly == 0) B[{place}] = 1;\n    barrier(")
    problem = measure(setup("coalsTransp", source), SOON)
    assert problem.reason is Reason.OUT_OF_BOUNDS
    assert problem.message.startswith(f"in timed run 1, memory outside `B` was changed, starting {words}.")


@pytest.mark.whole
def test_results_of_an_earlier_round_are_none_of_this_one(setup):
    """If a kernel stores nothing for some inputs, its output is unwritten. Results of earlier rounds are not mistaken
    for results of this round.
    """
    source = changed(TRANSPOSITION, "    if (x0 + ly < width", "    if (as_uint(A[0]) % 2 == 0 && x0 + ly < width")
    problem = measure(setup("coalsTransp", source), SOON)
    assert problem.reason is Reason.NOT_WRITTEN
    assert "nothing was written to `B`" in problem.message


@pytest.mark.whole
def test_one_bit_of_one_element_is_found_and_told(setup):
    """A single wrong bit in the last element is found, and the message shows the element next to the model
    solution's.
    """
    source = changed(
        TRANSPOSITION, "= tile[lx][ly]", "= as_float(as_uint(tile[lx][ly]) ^ (x0 + ly == 90 && y0 + lx == 69))"
    )
    problem = measure(setup("coalsTransp", source), SOON)
    assert problem.reason is Reason.WRONG_OUTPUT
    assert "1 of 6,370 elements of B is wrong; the first is B[90][69]" in f"{problem.message} {problem.detail}"


@pytest.mark.parametrize(
    ("attack", "name", "sizes"),
    [
        ("computes-its-input", "coalsTransp", {"height": 1500, "width": 1500}),
        pytest.param(
            *("half-when-timed", "blockMMM", {"heightA": 20, "widthB": 1100, "widthA": 40}),
            marks=pytest.mark.whole,  # test_hostile.py grades it in `make test`
        ),
    ],
)
def test_data_cannot_be_computed_nor_kept_in_half_floats(setup, attack, name, sizes):
    """The inputs of timed runs cannot be computed from other words of the inputs, and they cannot be stored in half
    precision, because the numbers of a product need the mantissa of a float.
    """
    problem = measure(setup(name, SUBMISSIONS / "hostile" / attack, sizes), SOON)
    assert isinstance(problem, Problem)
    assert problem.reason is Reason.WRONG_OUTPUT
    assert problem.message.startswith("in timed run 1, ")


@pytest.mark.whole
def test_other_words_for_the_same_are_right(setup):
    """If a kernel computes -(0 - 0), which is -0, where the model solution computes 0, its results are right, and no
    worker is blamed.
    """
    source = """
__kernel void coalsProgrm(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t i = get_global_id(0);
    real accum = 0;
    for (uint32_t j = 0; i < height && j < width; j++) {
        const real a = A[j * height + i];
        accum = -(accum - a * a);
        B[j * height + i] = accum;
    }
}
"""
    assert not isinstance(found := measure(setup("coalsProgrm", source), SOON), Problem), found
