"""race_messages.py: races of updates without atomic functions, and indexes that an earlier kernel
computed.
"""

from dataclasses import replace

import pytest
from oclgrind_messages import ARRAYS, ASH, LINE, PLANE, READ, WRITE, C, at, entity, invalid, kernel, only, race

from grader.grading.checks.simulation.sanitizer_run import findings
from grader.grading.explain.simulator.race_messages import update_in
from grader.protocol.observation import SeenAccess
from grader.results.verdicts import Reason

COUNTS = {"requests": 1, "mostly_idle": 0, "active": 0, "bytes": 128, "unused": 0, "conflicts": 0, "sectors": 1}
COUNTS |= {"fewest": 1, "worst": 1.0, "stride": 1}


def scene_of(text):
    return replace(LINE, source=text, expanded=text)


@pytest.mark.parametrize(
    ("text", "atomic"),
    [
        ("part[data[i]] += 1;", "atomic_add(&part[data[i]], 1)"),
        ("part[x]++;", "atomic_add(&part[x], 1)"),
        ("if (i < n) part[x]--;", "atomic_sub(&part[x], 1)"),
        ("part[x] = part[x] + w[i]; // add", "atomic_add(&part[x], w[i])"),
        ("part[y][x] |= 1u << b;", "atomic_or(&part[y][x], 1u << b)"),
        ("part[x] += part[x + s];", None),
        ("part[x] = 1;", None),
        ("part[x] *= 2;", None),
        ("if (part[x] == 1)", None),
        ("part[x", None),
        ("other[x] += 1;", None),
    ],
)
def test_an_update_is_recognised_with_its_atomic_function(text, atomic):
    """Only a statement that updates a single element is recognised, and the matching atomic function is suggested."""
    found = update_in(1, "part", scene_of(text))
    assert (found and found.atomic) == atomic


ADDING = """\
__kernel void k(__global const uchar *A, __global {type} *C, __local {type} *Ash, uint n)
{{
    const uint i = get_global_id(0);
    const uint bin = {index};
    Ash[bin] += 1;
}}
"""


@pytest.mark.parametrize(
    ("index", "type_", "advice"),
    [
        ("A[i]", "uint", "Write atomic_add(&Ash[bin], 1) instead."),
        ("A[i]", "float", "Let only one work-item add to each element."),
        ("i / 2", "uint", "Both work-items compute the same index."),
    ],
)
@pytest.mark.parametrize("kind", ["Read-write", "Write-write"])
def test_additions_at_an_index_from_the_data_need_an_atomic_function(kind, index, type_, advice):
    """If an index comes from the data, the help suggests an atomic function, provided that there is one for the type.
    If the index comes from the ids, the help says to check the ids.
    """
    first = entity(5, WRITE if kind == "Write-write" else READ)
    told = race(kind, at("local", ASH), first, entity(5, WRITE, item=(1, 0, 0)))
    found = only(kernel(told), scene_of(ADDING.format(index=index, type=type_)))
    assert found.reason is Reason.DATA_RACE
    assert found.message == (
        "line 5: two work-items add to the same element of `Ash` at the same time, so an addition can be lost."
    )
    assert advice in found.help


CHAIN = """\
__kernel void first(__global uint *starts)
{
    starts[0] = 1;
}
__kernel void k(__global const uint *A, __global float *C)
{
    uint to = A[0];
    to += get_global_id(0) / 2;
    C[to] = 1.0f;
}
"""


@pytest.mark.parametrize("fault", ["race", "bounds"])
def test_an_index_from_an_earlier_kernel_leads_to_that_kernel(fault):
    """If an index comes from an array that an earlier kernel wrote, the help says to check that kernel first. It uses
    the name that the array has in that kernel.
    """
    arrays = (ARRAYS[0].model_copy(update={"name": "starts"}),)
    store = SeenAccess(line=3, column=1, array="starts", space=1, writes=True, **COUNTS)
    earlier = kernel().model_copy(update={"kernel": "first", "arrays": arrays, "accesses": (store,)})
    sides = entity(9, WRITE), entity(9, WRITE, item=(1, 0, 0))
    told = race("Write-write", at("global", C), *sides)
    told = told if fault == "race" else invalid("write", at("global", C + 8192), sides[0])
    (found,) = findings(kernel(told), scene_of(CHAIN), (earlier,))
    assert found.help == "The index depends on values of `A`. First check how first computes `starts` in line 3."
    (alone,) = findings(kernel(told), scene_of(CHAIN))
    assert "first" not in alone.help.lower().split()


def test_a_race_behind_a_missing_guard_is_not_a_second_mistake():
    """If a work-item beyond the edge stores outside an array, its race in the same line is not reported, because it has
    the same cause. Its race in another line is reported.
    """
    beyond, inside = entity(9, WRITE, item=(60, 0, 0)), entity(9, WRITE, item=(1, 1, 0))
    outside = invalid("write", at("global", C + 8192), beyond)
    (only_one,) = findings(kernel(outside, race("Write-write", at("global", C), beyond, inside)), PLANE)
    assert only_one.reason is Reason.OUT_OF_BOUNDS
    elsewhere = entity(12, WRITE, item=(60, 0, 0)), entity(12, WRITE, item=(1, 1, 0))
    both = findings(kernel(outside, race("Write-write", at("global", C), *elsewhere)), PLANE)
    assert [each.reason for each in both] == [Reason.OUT_OF_BOUNDS, Reason.DATA_RACE]
