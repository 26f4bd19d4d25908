"""Gradings of kernels that get structs: as elements of arrays and in local memory, and as arguments by value."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

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
        "shift": {"type": "float3", "value": [1, 2, "n"]},
        "more": {"type": "Pair", "value": {"key": 3, "value": 0.5}},
    },
    "local": {"tile": {"type": "Pair", "shape": ["GROUP"]}},
    "launches": [
        {
            "kernel": "add",
            "args": ["particles", "pairs", "moved", "sums", "shift", "more", "tile", "n"],
            "global": ["ceil_to(n, GROUP)"],
            "local": ["GROUP"],
        }
    ],
}
FIELDS["baseline"] = FIELDS["launches"]

KERNEL = """// moves particles, and adds to pairs
__kernel void add(const __global Particle *particles, __global const Pair *restrict pairs, __global Particle *moved,
                  __global struct Pair *sums, float3 shift, const Pair more, __local Pair *tile, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        tile[get_local_id(0)] = pairs[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        Particle own = particles[i];
        own.position += shift;
        moved[i] = own;
        sums[i].key = tile[get_local_id(0)].key + more.key;
        sums[i].value = tile[get_local_id(0)].value + more.value;
    }
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(particles, pairs, shift, more, n, **_):
    assert particles.dtype.itemsize == 32 and pairs.dtype.itemsize == 5
    moved = particles.copy()
    moved["position"] += shift
    terms = np.zeros(n, [("position", "f8", 4), ("mass", "f8")])
    terms["position"] = abs(particles["position"]) + abs(shift)
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


def case_of(checks):
    """Return the check of the case with 1,000 elements. In the case with one, a wrong byte may be the poison."""
    return [check for check in checks if check.kind is Kind.CORRECTNESS][1]


@pytest.mark.whole
def test_structs_in_arrays_local_memory_and_by_value(graded):
    """A right kernel passes each case and the simulator. The layouts, packed or not, agree with NumPy's."""
    assert [(check.verdict, check.message) for check in graded(KERNEL) if check.verdict is not Verdict.PASSED] == []


WRONG = {
    "exact": (
        "tile[get_local_id(0)].key +",
        "2 + tile[get_local_id(0)].key +",
        "the first is sums[0].key: got 56, expected 54",
    ),
    "real": ("own.position += shift;", "own.position += shift; own.mass += 1;", "the first is moved[0].mass: got "),
    "vector": ("own.position += shift;", "own.position += shift.xxx;", "moved[0].position.y: got "),
    "field": ("sums[i].key = tile[get_local_id(0)].key + more.key;", "", "the first is sums[0].key: never written"),
    "array": ("moved[i] = own;", "", "nothing was written to `moved`"),
    "stray": ("if (i < n) {", "if (i <= n) {", "outside `moved` was changed, starting 1 element past its end"),
}
"""A part of the kernel, a wrong part, and the message about it. The longest takes a second."""


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*WRONG])
def test_a_wrong_field_is_named_with_its_own_type(graded, name):
    """The message names the first wrong number as OpenCL C does, and guard bands are measured in structs."""
    before, after, says = WRONG[name]
    check = case_of(graded(KERNEL.replace(before, after, 1)))
    assert says in check.message + check.detail


OWN = "typedef struct { float3 position; ushort id; double mass; } Particle; "
DIFFERENT = "\n\n" + OWN.replace("float3", "float4")


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("own", "reason"), [(OWN, None), (DIFFERENT, Reason.BUILD_ERROR), ("typedef float Particle;", Reason.BUILD_ERROR)]
)
def test_a_file_may_repeat_the_definition_of_a_struct(graded, own, reason):
    """A definition with the same layout is used. Another one is named with its line."""
    build = graded(own + KERNEL)[0]
    assert build.reason is reason
    if reason is not None:
        line = 1 + own.count("\n")
        assert build.message == f"line {line} defines Particle, which grader defines with another layout; remove it."


@pytest.mark.whole
def test_messages_keep_the_lines_of_the_file(graded):
    """A compiler's message about a file with structs has the line and the column of the student's file."""
    build = graded(KERNEL.replace("Particle own", "Partcle own"))[0]
    assert "line 10, column 9: unknown type name 'Partcle'" in build.message


@pytest.mark.whole
def test_a_parameter_of_another_struct_is_refused(graded):
    """An array of another struct is named by the build."""
    other = KERNEL.replace("float3 shift", "float2 shift").replace("+= shift", "+= shift.xyx")
    build = graded(other)[0]
    assert build.reason is Reason.WRONG_ARGUMENTS
    assert "the parameter shift has the wrong type, float2 shift. Write float3 shift." in build.message


NESTED = {
    "structs": {
        "Body": {"fields": {"id": "uchar", "place": "Place", "mass": "double"}},
        "Place": {"fields": {"at": "float3", "pair": "Pair"}},
        "Pair": STRUCTS["Pair"],
    },
    "buffers": {
        "bodies": {"type": "Body", "shape": ["n"], "data": "numbers"},
        "moved": {"type": "Body", "shape": ["n"]},
    },
    "scalars": {"shift": {"type": "Place", "value": {"at": [1, 2, "n"], "pair.key": 3, "pair.value": 0.5}}},
    "local": {},
    "launches": [{**FIELDS["launches"][0], "args": ["bodies", "moved", "shift", "n"]}],
}
NESTED["baseline"] = NESTED["launches"]

MOVE = """__kernel void add(const __global Body *bodies, __global Body *moved, Place shift, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    Body own = bodies[i];
    own.place.at += shift.at;
    own.place.pair.key += shift.pair.key;
    own.place.pair.value += shift.pair.value;
    moved[i] = own;
}
"""

MOVES = """import numpy as np
from grader.oracle import Truth

def expected(bodies, shift, n, **_):
    moved = bodies.copy()
    terms = np.zeros(n, [("place.at", "f8", 4), ("place.pair.value", "f8"), ("mass", "f8")])
    for name in ("at", "pair.key", "pair.value"):
        moved[f"place.{name}"] += shift[name]
    for name in ("at", "pair.value"):
        terms[f"place.{name}"] = abs(bodies[f"place.{name}"]) + abs(shift[name])
    return {"moved": Truth(value=moved, magnitude=terms)}
"""


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [("", "", ""), ("own.place.pair.value += shift.pair.value;", "", "the first is moved[0].place.pair.value: got ")],
)
def test_a_struct_within_a_struct_in_arrays_and_by_value(tmp_path, environment, before, after, says):
    """The device, the simulator and NumPy agree about inner structs, and a wrong number is named by its path."""
    assignment = course_of(tmp_path, FIELDS | NESTED, MOVE, MOVES).load("small")
    path = tmp_path / "kernels.cl"
    path.write_text(MOVE.replace(before, after))
    checks = grade(assignment, path, environment, seed=3).checks
    if not says:
        assert [(check.verdict, check.message) for check in checks if check.verdict is not Verdict.PASSED] == []
    else:
        assert says in case_of(checks).message + case_of(checks).detail
