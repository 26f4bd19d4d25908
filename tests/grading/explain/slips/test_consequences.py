"""consequences.py: the lines of later kernels that access wrong places because an earlier kernel is wrong."""

from dataclasses import replace

from test_slip_rules import launch

from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.slips.consequences import misplaced_later
from grader.grading.explain.slips.rules import first_slip
from grader.protocol.observation import SeenAccess, SeenArray, SeenKernel

COUNTS = {"requests": 1, "mostly_idle": 0, "active": 1, "bytes": 4, "unused": 0, "conflicts": 0, "sectors": 1}
COUNTS |= {"fewest": 1, "worst": 1.0, "stride": 4}

SUMS = """__kernel void sums(__global const float *given, __global uint *starts)
{
    starts[0] = given[0];
}
"""
MOVES = """__kernel void moves(__global const uint *from, __global const float *A, __global float *to, uint n)
{
    uint first = from[0];
    to[first] = A[n];
    to[n] = A[0];
}
"""


def later(source, buffers, accesses):
    """Return a launch of the kernel with this text. `accesses` has a line, an array and true for a write."""
    (name,) = (each for each in ("sums", "moves") if each in source)
    return SeenKernel(
        kernel=name,
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=tuple(SeenArray(space=1, buffer=number, name=array, size=64) for array, number in buffers.items()),
        messages=(),
        unset=(),
        accesses=tuple(
            SeenAccess(line=line, column=1, array=array, space=1, writes=writes, **COUNTS)
            for line, array, writes in accesses
        ),
        branches=(),
    ), Scene(source=source, dimensions=1, extent=None, expanded=source)


SUM = later(SUMS, {"given": 3, "starts": 8}, [(3, "given", False), (3, "starts", True)])
MOVE = later(
    MOVES,
    {"from": 8, "A": 1, "to": 9},
    [(3, "from", False), (4, "A", False), (4, "to", True), (5, "to", True), (5, "A", False)],
)


def test_an_index_from_the_results_of_a_kernel_is_a_consequence():
    """The first kernel writes `v`, the second computes `starts` from `v`, and the last computes an index in line 4 from
    `starts`. Without the second kernel, nothing depends on `v`.
    """
    first = launch("v[0] = 1;")
    assert misplaced_later(replace(first, later=(SUM, MOVE))) == {4}
    assert misplaced_later(replace(first, later=(MOVE,))) == frozenset()


def test_a_mistake_explains_its_consequences():
    """The lines that a mistake explains include the lines of its consequences."""
    found = first_slip([replace(launch("v[0] = 1;"), later=(SUM, MOVE))])
    assert found.message == "line 1: k does not use `A`."
    assert found.explains == {4}
