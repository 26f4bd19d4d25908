"""handout.py: facts in handouts and skeletons agree with assignment.yaml, or are reported with their line."""

import pytest
from drafts import course_in, spoil
from project import ASSIGNMENTS

from grader.authoring.handout import facts

HANDOUT, SKELETON = "assignments/scaling/README.md", "assignments/scaling/kernels.cl"
YAML = "assignments/scaling/assignment.yaml"


def stale(course, name="scaling"):
    """Return the file and the line of each stale fact, with what the file says and what assignment.yaml asks for."""
    found = facts(course_in(course).load(name))
    return [(fact.file, fact.line, fact.says, fact.asked) for fact in found if not fact.agrees]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_files_of_the_course_are_current(course, name):
    """In each handout of the course, at least 20 facts are recognised, and in each skeleton at least three. All of them
    agree with assignment.yaml.
    """
    found = facts(course.load(name))
    assert [fact for fact in found if not fact.agrees] == []
    assert sum(fact.file == "README.md" for fact in found) >= 20
    assert sum(fact.file == "kernels.cl" for fact in found) >= 3


@pytest.mark.whole
def test_a_draft_is_current(drafted):
    """Handout and skeleton of a draft agree with its assignment.yaml."""
    assert stale(drafted) == []


def test_a_parameter_of_another_type_is_named(drafted):
    """A parameter whose type differs from assignment.yaml is reported with its position, for the handout and for the
    skeleton.
    """
    for file in (HANDOUT, SKELETON):
        spoil(drafted, file, "real a, uint32_t n", "int a, uint32_t n")
    asked = "passes `real a`"
    assert stale(drafted) == [
        ("README.md", 15, "gives scaling `int a` as parameter 3", asked),
        ("kernels.cl", 8, "gives scaling `int a` as parameter 3", asked),
    ]


def test_an_array_may_be_declared_constant_only_if_it_fits(course, drafted):
    """A handout may declare an input as `__constant` if it fits into constant memory at all sizes, but no other one."""
    declared = (course.load("convolution").folder / "README.md").read_text(encoding="utf-8")
    assert "__constant real *mask" in declared
    assert [fact for fact in facts(course.load("convolution")) if not fact.agrees] == []
    spoil(drafted, HANDOUT, "__global const real *x", "__constant real *x")
    assert stale(drafted) == [
        ("README.md", 15, "gives scaling `__constant real *x` as parameter 1", "passes `__global real *x`")
    ]


def test_a_missing_parameter_shows_both_lists(drafted):
    """If a kernel is declared with too few parameters, the report shows the declared and the expected list."""
    spoil(drafted, HANDOUT, "real a, uint32_t n", "uint32_t n")
    assert stale(drafted) == [("README.md", 15, "gives scaling the parameters x, y, n", "passes x, y, a, n")]


OTHER_WAYS = {
    "other words": "kernel void scaling(global const float * restrict x, global float *y, float const a, unsigned n)",
    "vectors": "__kernel void scaling(__global float4 *x,\n  __global real *y,\n  real a, // the factor\n  uint n)",
    "an attribute": "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void scaling(__global real *x, __global real *y, real a, uint n)",
    "a macro": "__kernel void scaling(PARAMETERS)",
    "dots": "__kernel void scaling(...)",
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "way", [each if each == "a macro" else pytest.param(each, marks=pytest.mark.whole) for each in OTHER_WAYS]
)
def test_another_way_to_declare_the_same_is_no_difference(drafted, way):
    """Differences in spelling, vector types, attributes, comments and macros do not make a declaration stale."""
    spoil(
        drafted,
        HANDOUT,
        "__kernel void scaling(__global const real *x, __global real *y, real a, uint32_t n)",
        OTHER_WAYS[way],
    )
    assert stale(drafted) == []


@pytest.mark.whole
@pytest.mark.parametrize("spelling", ["float4", pytest.param("real4", marks=pytest.mark.whole)])
def test_an_array_of_vectors_is_declared_with_vectors(drafted, spelling):
    """If an array has vectors, declarations with this vector agree, and declarations with numbers are stale."""
    spoil(drafted, YAML, "x: {shape: [n], ", "x: {shape: [n], type: float4, ")
    spoil(drafted, HANDOUT, "__global const real *x", f"__global const {spelling} *x")
    says, asked = "gives scaling `__global const real *x` as parameter 1", "passes `__global float4 *x`"
    assert stale(drafted) == [("kernels.cl", 8, says, asked)]


@pytest.mark.whole
def test_a_kernel_in_place_of_the_right_one_is_named(drafted):
    """A handout that declares a kernel with another name, instead of the assignment's kernel, is stale."""
    spoil(drafted, HANDOUT, "void scaling(", "void scale(")
    assert stale(drafted) == [("README.md", 15, "declares scale", "asks for scaling")]


@pytest.mark.whole
def test_an_example_beside_the_right_kernel_is_no_difference(drafted):
    """A handout may declare other kernels as examples, as long as it also declares the assignment's kernel."""
    spoil(drafted, HANDOUT, "## Your kernel", "```c\n__kernel void other(__global real *x)\n```\n\n## Your kernel")
    assert stale(drafted) == []


@pytest.mark.whole
def test_a_kernel_that_the_handout_never_names_is_missing(drafted):
    """If the kernel is renamed only in assignment.yaml, the handout and the skeleton are both reported."""
    path = drafted / YAML
    path.write_text(
        path.read_text().replace("kernel: scaling ", "kernel: scaled ").replace("kernel: scaling\n", "kernel: scaled\n")
    )
    assert ("README.md", 1, "does not name scaled", "asks for it") in stale(drafted)
    assert ("kernels.cl", 8, "declares scaling", "asks for scaled") in stale(drafted)


@pytest.mark.whole
def test_macros_have_their_values(drafted):
    """If assignment.yaml changes the value of a macro, the old value is reported in the handout's list, in the
    skeleton's list and in a `#define`.
    """
    spoil(drafted, YAML, "GROUP: 64", "GROUP: 128")
    spoil(drafted, SKELETON, "__kernel", "#define GROUP 32\n__kernel")
    assert [(file, line, says) for file, line, says, asked in stale(drafted) if asked == "has 128"] == [
        ("README.md", 20, "says GROUP = 64"),
        ("kernels.cl", 7, "says GROUP = 64"),
        ("kernels.cl", 8, "says GROUP = 32"),
    ]


@pytest.mark.whole
def test_a_macro_that_is_gone_is_named(drafted):
    """A macro that assignment.yaml does not define is reported. Values in other sentences are not compared."""
    spoil(drafted, HANDOUT, "`GROUP` = 64.", "`GROUP` = `TILE` = 64.")
    spoil(drafted, HANDOUT, "## Questions", "What changes with GROUP = 32?\n\n## Questions")
    assert stale(drafted) == [("README.md", 20, "says TILE = 64", "defines no TILE")]


@pytest.mark.whole
def test_after_its_own_value_a_macro_may_have_the_value_of_timed_runs(drafted):
    """After the macro's own value, a handout may also give the value that timed runs use. It may not give only that
    value.
    """
    spoil(drafted, YAML, "sizes: {n: 100000000} ", "sizes: {n: 100000000}\n      constants: {GROUP: 256} ")
    spoil(drafted, HANDOUT, "`GROUP` = 64.", "`GROUP` = 64. On a GPU, `GROUP` = 256.")
    assert [fact for fact in stale(drafted) if fact[1] == 20] == []
    spoil(drafted, HANDOUT, "`GROUP` = 64. On", "`GROUP` = 256. On")
    assert ("README.md", 20, "says GROUP = 256", "has 64") in stale(drafted)


@pytest.mark.whole
def test_a_choice_is_one_that_the_assignment_offers(drafted):
    """A choice that the skeleton states must be one that the assignment offers. Launch sizes and placeholders are not
    compared.
    """
    spoil(
        drafted, SKELETON, "__kernel", "// grader: GROUP = 48\n// grader: global = 64\n// grader: GROUP = N\n__kernel"
    )
    assert stale(drafted) == [("kernels.cl", 8, "says GROUP = 48", "offers no such choice")]
    spoil(drafted, YAML, "baseline:  ", "choices: {constants: {GROUP: [32, 64]}}\nbaseline:  ")
    assert stale(drafted) == [("kernels.cl", 8, "says GROUP = 48", "offers 32 or 64")]


@pytest.mark.whole
def test_a_sum_is_a_part_of_all_points(drafted):
    """A sentence such as "38 of 90 points" is stale if the assignment has a different number of points."""
    spoil(drafted, HANDOUT, "## Questions", "A naive kernel earns 38 of\n90 points.\n\n## Questions")
    ((_, _, says, asked),) = stale(drafted)
    assert (says, asked) == ("says 38 of 90 points", "gives 100")
