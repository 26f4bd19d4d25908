"""launches.py: every kind of argument, role and repetition is graded, and contradictory arrays are refused."""

from dataclasses import replace

import pytest
from courses import ADDITION, course_of, refusal

from grader.course.submissions.submission import Task, read_submission
from grader.grading.grade import grade_submission
from grader.grading.rules import TimingRules

EVERYTHING = {
    **ADDITION,
    "title": "Everything at once",
    "kernel": "approach",
    "sizes": ["n", "turns"],
    "buffers": {
        "x": {"shape": ["n"], "data": "zeros", "role": "scratch"},
        "next": {"shape": ["n"]},
        "k": {"shape": ["n"], "type": "uint", "data": "numbers"},
        "y": {"shape": ["n"], "data": "numbers", "role": "updated"},
        "index": {"shape": ["n"], "type": "int"},
        "b": {"shape": ["n"], "data": "made"},
        "sums": {"shape": ["ceil_div(n, GROUP)"], "role": "scratch"},
    },
    "scalars": {"half": {"value": 0.5}, "last": {"type": "uint", "value": "n - 1"}},
    "local": {"scratch": {"shape": ["GROUP"]}},
    "launches": [
        {
            "kernel": "approach",
            "args": ["x", "next", "k", "y", "index", "b", "sums", "half", "last", "scratch"],
            "global": ["ceil_to(n, GROUP)"],
            "local": ["GROUP"],
        }
    ],
    "repeat": {"times": "turns", "swap": [["x", "next"]], "until": {"sum": "sums", "below": "n*1e-3"}},
    "correctness": {
        "points": 10,
        "tolerance": {"rule": "rounding", "factor": 16},
        "cases": [
            {"name": "one turn", "sizes": {"n": 70, "turns": 1}},
            {"name": "two turns", "sizes": {"n": 70, "turns": 2}},
            {"name": "until it is enough", "sizes": {"n": 200, "turns": 100}},
        ],
    },
    "sanitizer": {"sizes": {"n": 70, "turns": 3}, "points": 5},
    "memory": {
        "sizes": {"n": 128, "turns": 2},
        "checks": [{"name": "coalesced", "measure": "coalescing", "at_most": 1.1, "points": 2}],
    },
    "performance": {
        "verifier": "oracle",
        "bytes": "24*n*turns",
        "classes": {
            "cpu": {"sizes": {"n": 50000, "turns": 4}, "baseline": "passes", "bands": [{"fraction": 0.4, "points": 5}]}
        },
    },
}
EVERYTHING["baseline"] = EVERYTHING["launches"]

KERNEL = """__kernel void approach(
    __global const real *x, __global real *next, __global const uint *k, __global real *y, __global int *index,
    __global const real *b, __global real *sums, real half_of, uint32_t last, __local real *scratch)
{
    const uint i = get_global_id(0), l = get_local_id(0);
    real change = 0;
    if (i <= last) {
        next[i] = half_of * (x[i] + b[i]);    // comes nearer to b
        change = fabs(next[i] - x[i]);
        y[i] += next[i] - x[i];
        index[i] = (int)(last - i) - (int)(k[i] % 7);
    }
    scratch[l] = change;
    for (uint s = GROUP / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            scratch[l] += scratch[l + s];
    }
    if (l == 0)
        sums[get_group_id(0)] = scratch[0];
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def inputs(generator, data, n, **_):
    return {"b": 1 + generator.random(n)}

def expected(x, k, y, b, n, turns, half, last, **_):
    before, y = x.astype(np.float64), y.astype(np.float64)
    for _ in range(turns):
        x = half * (before + b)
        y, change, before = y + x - before, np.abs(x - before).sum(), x
        if change < n * 1e-3:
            break
    size = np.full(n, 4.0)
    index = int(last) - np.arange(n) - k.astype(int) % 7
    return {"next": Truth(value=x, magnitude=size), "y": Truth(value=y, magnitude=size), "index": Truth(value=index)}
"""


@pytest.fixture
def quick(environment):
    """An environment with short timing, for tests that do not depend on speed."""
    rules = TimingRules(warm_up_seconds=0, min_pairs=9, max_pairs=9, noise_limit=100)
    return replace(environment, timing=rules)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """An assignment that uses every kind of argument, role and repetition."""
    return course_of(tmp_path_factory.mktemp("all"), EVERYTHING, KERNEL, ORACLE).load("small")


def failures(assignment, environment, folder, kernel):
    """Return the failed checks, keyed by their names without sizes."""
    path = folder / "kernels.cl"
    path.write_text(kernel, encoding="utf-8")
    task = Task(assignment=assignment, submission=read_submission(path), seed=5)
    result = grade_submission(task, environment, lambda _: None)
    return {check.name.partition(" (")[0]: check for check in result.checks if check.reason is not None}


@pytest.mark.whole
def test_a_right_kernel_earns_everything(everything, quick, tmp_path):
    """A right kernel passes with swapped, updated, integer and oracle-made arrays.

    The assignment also has scalars, local memory and a convergence test.
    """
    assert {name: check.message for name, check in failures(everything, quick, tmp_path, KERNEL).items()} == {}


@pytest.mark.whole
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("(int)(k[i] % 7)", "(int)(k[i] % 8)"), ("WRONG_OUTPUT", "index")),
        (("y[i] += next[i] - x[i]", "y[i] = next[i] - x[i]"), ("WRONG_OUTPUT", " of y")),
        (("half_of * (x[i] + b[i])", "half_of * (x[i] + 2 * b[i])"), ("WRONG_OUTPUT", " of ")),
        (("real half_of", "uint32_t half_of"), ("WRONG_ARGUMENTS", "")),
        (("__global int *index", "__local int *index"), ("WRONG_ARGUMENTS", "")),
        (("= scratch[0]", "= 0"), ("WRONG_OUTPUT", "")),
    ],
)
def test_each_mistake_is_told(everything, quick, tmp_path, change, told):
    """A mistake in any output is found. With a wrong convergence sum, the repetition ends too early."""
    reason, words = told
    found = failures(everything, quick, tmp_path, KERNEL.replace(*change))
    first = next(iter(found.values()))
    assert (first.reason, words in first.message) == (reason, True), first.message


def test_the_signature_names_types_and_spaces(everything, quick, tmp_path):
    """The error shows the signature with types and address spaces, as a student would write it."""
    (build,) = (
        check
        for name, check in failures(everything, quick, tmp_path, KERNEL.replace("real half_of", "int half_of")).items()
        if name == "build"
    )
    assert "__global real *next, __global uint32_t *k, __global real *y, __global int *index" in build.detail
    assert "real half, uint32_t last, __local real *scratch)" in build.detail


BUFFERS = ADDITION["buffers"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"buffers": {**BUFFERS, "z": {"shape": ["n"], "role": "input"}}}, "the buffer z is input but has no data"),
        ({"buffers": {**BUFFERS, "z": {"shape": ["n"], "role": "updated"}}}, "the buffer z is updated but has no data"),
        ({"buffers": {**BUFFERS, "x": {"shape": ["n"], "data": "zeros", "role": "output"}}}, "so it is not an output"),
        ({"buffers": {**BUFFERS, "x": {"shape": ["n"], "type": "int", "data": "bits"}}}, "which are for floats"),
        ({"buffers": {**BUFFERS, "z": {"shape": ["n"], "space": "constant"}}}, "kernels only read, as constant memory"),
        ({"buffers": {**BUFFERS, "x": {"shape": ["n"], "type": "half", "data": "bits"}}}, "which are for floats"),
    ],
)
def test_an_array_that_contradicts_itself_is_refused(tmp_path, changes, words):
    """An array whose role, data or memory contradict each other is refused with its name."""
    assert words in refusal(tmp_path, changes)
