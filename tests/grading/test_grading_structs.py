"""Gradings of kernels that get structs: as elements of arrays and in local memory, and as arguments by value."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.course.rubric import Kind
from grader.results.check import Reason, Verdict

STRUCTS = {
    "Particle": {"fields": {"position": "float3", "id": "ushort", "mass": "double"}},
    "Pair": {"packed": True, "fields": {"key": "uchar", "value": "float"}},
}

FIELDS = {
    **{name: value for name, value in UNTIMED.items() if name != "memory"},
    "structs": STRUCTS,
    "buffers": {
        "particles": {"type": "Particle", "shape": ["n"], "data": "numbers"},
        "pairs": {"type": "Pair", "shape": ["n"], "data": "numbers"},
        "moved": {"type": "Particle", "shape": ["n"]},
        "sums": {"type": "Pair", "shape": ["n"]},
    },
    "scalars": {
        "step": {"type": "float3", "value": [1, 2, "n"]},
        "more": {"type": "Pair", "value": {"key": 3, "value": 0.5}},
    },
    "local": {"tile": {"type": "Pair", "shape": ["GROUP"]}},
    "launches": [
        {
            "kernel": "add",
            "args": ["particles", "pairs", "moved", "sums", "step", "more", "tile", "n"],
            "global": ["ceil_to(n, GROUP)"],
            "local": ["GROUP"],
        }
    ],
}
FIELDS["baseline"] = FIELDS["launches"]

KERNEL = """// moves particles, and adds to pairs
__kernel void add(const __global Particle *particles, __global const Pair *restrict pairs, __global Particle *moved,
                  __global struct Pair *sums, float3 step, const Pair more, __local Pair *tile, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        tile[get_local_id(0)] = pairs[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        Particle own = particles[i];
        own.position += step;
        moved[i] = own;
        sums[i].key = tile[get_local_id(0)].key + more.key;
        sums[i].value = tile[get_local_id(0)].value + more.value;
    }
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(particles, pairs, step, more, n, **_):
    assert particles.dtype.itemsize == 32 and pairs.dtype.itemsize == 5
    moved = particles.copy()
    moved["position"] += step
    terms = np.zeros(n, [("position", "f8", 4), ("mass", "f8")])
    terms["position"] = abs(particles["position"]) + abs(step)
    sums = np.zeros(n, [("key", "u1"), ("value", "f8")])
    sums["key"] = pairs["key"] + more["key"]
    sums["value"] = pairs["value"].astype(np.float64) + more["value"]
    own = np.zeros(n, [("value", "f8")])
    own["value"] = abs(pairs["value"]) + 1
    return {"moved": Truth(value=moved, magnitude=terms), "sums": Truth(value=sums, magnitude=own)}
"""


@pytest.fixture
def graded(tmp_path, environment):
    """A function that grades a text for the assignment with structs."""
    assignment = course_of(tmp_path, FIELDS, KERNEL, ORACLE).load("small")

    def of(source):
        path = tmp_path / "kernels.cl"
        path.write_text(source)
        return grade(assignment, path, environment, seed=3).checks

    return of


def test_right(graded):
    for c in graded(KERNEL):
        print(c.name, c.verdict, c.reason, c.message, c.detail, c.help, c.faults)


@pytest.mark.parametrize("a,b", [
  ("sums[i].key =", "sums[i].key = 1 +"),
  ("sums[i].key = tile[get_local_id(0)].key + more.key;", ""),
  ("own.position += step;", "own.position += step; own.mass += 1;"),
  ("own.position += step;", "own.position += step.xxx;"),
  ("if (i < n) {", "if (i <= n) {"),
  ("moved[i] = own;", ""),
  ("barrier(CLK_LOCAL_MEM_FENCE);", ""),
  ("Particle own =", "Partcle own ="),
  ("// moves", "typedef struct { float3 position; ushort id; double mass; } Particle; // moves"),
  ("// moves", "typedef struct { float4 position; ushort id; double mass; } Particle; // moves"),
  ("// moves", "\n\ntypedef float Particle; // moves"),
  ("float3 step", "float4 step"),
  ("float3 step", "float2 step"),
  ("const __global Particle *particles", "const __global Pair *particles"),
  ("const __global Particle *particles", "const __global float *particles"),
])
def test_wrong(graded, a, b):
    for c in graded(KERNEL.replace(a,b,1)):
        print(c.name, c.verdict, c.reason, c.message,"|", c.detail,"|", c.help, c.faults)
