"""suspect.py: edits of the most suspicious kernels are evaluated first."""

import pytest

from grader.grading.search.edits import edits
from grader.grading.search.suspect import KernelRun, suspicious_first
from grader.grading.source.reading import outline

SOURCE = """\
uint twice(uint i) { return 2 * i; }
__kernel void one(__global uint *A, uint n) { A[n] = n; }
__kernel void two(__global uint *A, uint n) { A[n] = twice(n); }
__kernel void three(__global uint *A, uint n) { A[n] = n; }
"""


def run(words):
    """Return the run that these words describe, such as "wrong: one two" or "right alone: one"."""
    how, kernels = words.split(": ")
    return KernelRun(
        kernels=frozenset(kernels.split()), is_alone=how.endswith("alone"), is_right=how.startswith("right")
    )


@pytest.mark.parametrize(
    ("runs", "groups"),
    [
        (["right: one two three", "wrong: one two three"], [{1, 2, 3, 4}]),
        (["right: one", "wrong: one two three"], [{1, 3, 4}, {2}]),
        (["wrong: one three", "wrong: one two three"], [{2, 4}, {1, 3}]),
        (["right alone: one", "wrong: one two three", "wrong alone: three"], [{1, 3, 4}, {2}]),
        (["right: one two three", "wrong: one two three", "wrong alone: three"], [{4}, {1, 2, 3}]),
    ],
    ids=["all", "only wrong", "not the smallest", "right alone", "wrong alone"],
)
def test_edits_of_the_most_suspicious_kernels_come_first(runs, groups):
    """A kernel is suspicious if it is wrong alone or runs only in wrong cases. It comes last if it does not run in the
    smallest wrong case. A function ranks like the kernel that calls it.
    """
    seen = outline(SOURCE, ["one", "two", "three"])
    likely = edits(seen, most=200)
    found = suspicious_first(likely, seen, list(map(run, runs)))
    assert set(found) == set(likely)
    lines = list(dict.fromkeys(edit.line for edit in found))
    begins = [sum(map(len, groups[:number])) for number in range(len(groups))]
    assert [{*lines[first : first + len(group)]} for first, group in zip(begins, groups, strict=True)] == groups
