"""counts.py: reads of arrays in constant memory count apart, if the assignment says so."""

import pytest
from courses import course_of
from hidden_parts import FIELDS
from simulator import subject_of

from grader.grading.checks.simulation.counts import count_memory, memory_run, with_constant_arrays
from grader.protocol.messages import Simulation
from grader.protocol.observation import SeenAccess, SeenArray, SeenKernel

COUNTS = {"requests": 1, "mostly_idle": 0, "active": 0, "bytes": 4, "unused": 0, "conflicts": 0, "sectors": 1}
COUNTS |= {"fewest": 1, "worst": 1.0, "stride": 4}


def launch(*uses, **sizes):
    """Return the record of a launch with these uses of arrays, each with a number in the order of their names."""
    arrays = [SeenArray(space=1, buffer=number, name=name, size=sizes[name]) for number, name in enumerate(sizes)]
    accesses = [
        SeenAccess(line=1, column=1, array=name, space=1, writes=does == "writes", **COUNTS) for does, name in uses
    ]
    fields = {"flop": 0, "steps": 1, "busiest": 0, "private": 0, "messages": (), "unset": (), "branches": ()}
    return SeenKernel(kernel="k", arrays=tuple(arrays), accesses=tuple(accesses), **fields)


def spaces(*launches, constants):
    """Return the address space of each access, for launches that have the same constant arrays."""
    counted = with_constant_arrays(launches, (constants,) * len(launches))
    return [(each.array, each.space) for kernel in counted for each in kernel.accesses]


def test_only_constant_arrays_of_the_assignment_count_apart():
    """A read of an array that the assignment has in constant memory moves there. Other arrays stay."""
    seen = launch(("reads", "x"), ("reads", "mask"), x=4096, mask=36)
    assert spaces(seen, constants={"mask": 36}) == [("x", 1), ("mask", 2)]
    assert spaces(seen, constants={}) == [("x", 1), ("mask", 1)]


def test_an_array_of_another_size_is_not_constant():
    """A name that belongs to another array than the judge assumes hides no reads."""
    assert spaces(launch(("reads", "mask"), mask=4096), constants={"mask": 36}) == [("mask", 1)]


def test_a_constant_array_that_any_launch_writes_is_storage():
    """A kernel that stores its words in a constant array gets no free reads, in no launch and under no name."""
    first, second = launch(("writes", "mine"), mine=36), launch(("reads", "mask"), mask=36)
    assert spaces(first, second, constants={"mask": 36}) == [("mine", 1), ("mask", 1)]


SPACES = {
    "buffers": {
        "x": {"shape": ["n"], "data": "numbers"},
        "y": {"shape": [8], "data": "numbers", "space": "constant"},
        "z": {"shape": ["n"]},
    },
}

ORACLE = """from grader.oracle import Truth

def expected(x, y, n, **_):
    return {"z": Truth(value=x + y[0], magnitude=abs(x) + abs(y[0]))}
"""

RIGHT = """__kernel void add(__global const real *x, __constant real *y, __global real *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] + y[0];
}
"""

STORED = """__kernel void add(__global const real *x, __constant real *y, __global real *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i == 0)
        ((__global real *)(size_t)y)[7] = y[7];
    if (i < n)
        z[i] = x[i] + y[0];
}
"""

RENAMED = """__kernel void add(__constant real *y, __constant real *x, __global real *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = y[i] + x[0];
}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """An addition whose second argument is in constant memory."""
    memory = {"sizes": {"n": 128}, "checks": [{"name": "reads", "measure": "words read", "at_most": 128, "points": 2}]}
    fields = {name: value for name, value in FIELDS.items() if name != "performance"}
    return course_of(tmp_path_factory.mktemp("c"), {**fields, **SPACES, "memory": memory}, RIGHT, ORACLE).load("small")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param(RIGHT, 128, id="constant"),
        pytest.param(RIGHT.replace("__constant", "__global const"), 256, id="global"),
        pytest.param(STORED, 257, id="storage"),
        pytest.param(RENAMED, 128, id="names exchanged"),
    ],
)
def test_words_of_constant_memory_are_no_words_of_global_memory(simulator, small, source, words):
    """Only reads of the assignment's constant array through a `__constant` parameter are left out of `words read`."""
    subject = subject_of(simulator, small, source)
    counted = count_memory(memory_run(subject, small.memory), Simulation())
    assert counted.profile.read == 4 * words
