"""Gradings with arrays of each element type: cases, simulator, memory check and messages."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.common.record import replace
from grader.course.elements import ELEMENTS, SCALARS
from grader.course.rubric import Kind
from grader.results.verdicts import Reason, Verdict

COPIED_AS = {"half": "ushort"}
"""Type in which a kernel copies elements that the device cannot compute with."""

SOURCE = """__kernel void add(__global const {type} *x, __global const {type} *y, __global {type} *z, uint32_t n)
{{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = {value};
}}
"""

ORACLE = """from grader.oracle import Truth

def expected(x, y, **_):
    return {{"z": Truth(value={value})}}
"""


def addition_of(folder, element):
    """Return an assignment that adds arrays of this type, or copies them, and its model solution."""
    value = "x[i]" if element in COPIED_AS else "x[i] + y[i]"
    kernel = SOURCE.format(type=COPIED_AS.get(element, element), value=value)
    fields = {
        **UNTIMED,
        "buffers": {
            "x": {"type": element, "shape": ["n"], "data": "numbers"},
            "y": {"type": element, "shape": ["n"], "data": "numbers"},
            "z": {"type": element, "shape": ["n"]},
        },
    }
    fields["correctness"] = {**fields["correctness"], "tolerance": {"rule": "exact"}}
    fields.pop("memory")
    course = course_of(folder, fields, kernel, ORACLE.format(value=value.replace("[i]", "")))
    return course.load("small"), kernel


QUICK = {"uchar3"}
TYPES = [*SCALARS, "float4", "uchar3", "int16"]


@pytest.fixture(params=[each if each in QUICK else pytest.param(each, marks=pytest.mark.whole) for each in TYPES])
def addition(request, tmp_path):
    """An addition of each scalar type and some vectors: the type, the assignment, and the model solution."""
    return (request.param, *addition_of(tmp_path, request.param))


def graded(tmp_path, environment, assignment, source):
    """Return the result of this source text."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    return grade(assignment, path, environment, seed=3)


def test_right_and_wrong_kernels_of_each_type(addition, tmp_path, environment):
    """The model solution earns everything. A wrong result, an array without a store and a store past the end fail."""
    _, assignment, right = addition
    assert {check.verdict for check in graded(tmp_path, environment, assignment, right).checks} == {Verdict.PASSED}

    wrong = right.replace("x[i] + y[i];", "x[i] - y[i];").replace("= x[i];", "= y[i];")
    case = cases(graded(tmp_path, environment, assignment, wrong))[-1]
    assert case.reason is Reason.WRONG_OUTPUT
    assert "e+" not in case.message + case.detail

    unwritten = cases(graded(tmp_path, environment, assignment, right.replace("(i < n)", "(i < n - n)")))[-1]
    assert unwritten.reason is Reason.NOT_WRITTEN

    past = cases(graded(tmp_path, environment, assignment, right.replace("i < n", "i <= n")))[-1]
    assert past.reason is Reason.OUT_OF_BOUNDS
    assert "line 4" in past.message


def cases(result):
    """Return the checks of the cases."""
    return [check for check in result.checks if check.kind is Kind.CORRECTNESS]


OTHER_SIZE = {1: "int", 2: "int", 4: "double", 8: "float"}


def test_a_parameter_of_another_size_is_refused(addition, tmp_path, environment):
    """An array whose elements have another size than the assignment's is named by the build."""
    element, assignment, right = addition
    other = OTHER_SIZE[ELEMENTS[element].unit]
    own = COPIED_AS.get(element, element)
    result = graded(tmp_path, environment, assignment, right.replace(f" {own} *", f" {other} *"))
    (build,) = (check for check in result.checks if check.kind is Kind.BUILD)
    assert build.reason is Reason.WRONG_ARGUMENTS
    assert "the wrong type" in build.message


@pytest.mark.whole
def test_all_digits_of_long_numbers_are_shown(tmp_path, environment):
    """A wrong number of 64 bits is shown with all its digits, which a double does not have."""
    assignment, right = addition_of(tmp_path, "ulong")
    wrong = right.replace("x[i] + y[i];", "x[i] + y[i] + (1ul << 60);")
    case = cases(graded(tmp_path, environment, assignment, wrong))[0]
    text = case.message + case.detail
    got, expected = (int(text.partition(f"{word} ")[2].split(".")[0].split(",")[0]) for word in ("got", "expected"))
    assert got - expected == 2**60


@pytest.mark.whole
def test_an_input_may_be_constant_if_it_fits(tmp_path, environment):
    """`__constant` is accepted for a small input, and refused for an output and for an input of more than 64 KiB."""
    assignment, right = addition_of(tmp_path / "small", "float")
    constant = right.replace("__global const float *x", "__constant float *x")
    assert {each.verdict for each in graded(tmp_path, environment, assignment, constant).checks} == {Verdict.PASSED}

    output = (
        right.replace("__global float *z", "__constant float *z")
        .replace("z[i] =", "{ float z_i =")
        .replace("y[i];", "y[i]; }")
    )
    for asked, source in ((assignment, output), (with_elements(assignment, 2**14 + 1), constant)):
        (build,) = (check for check in graded(tmp_path, environment, asked, source).checks if check.kind is Kind.BUILD)
        assert build.reason is Reason.WRONG_ARGUMENTS
        assert "the wrong type, __constant float *" in build.message


def with_elements(assignment, n):
    """Return the assignment with a sanitizer run of n elements."""
    return replace(assignment, sanitizer=replace(assignment.sanitizer, sizes={"n": n}))


@pytest.mark.whole
def test_a_wrong_number_of_a_vector_is_named_like_in_the_kernel(tmp_path, environment):
    """The message names the number of a vector by its letter."""
    assignment, right = addition_of(tmp_path, "float4")
    wrong = right.replace("x[i] + y[i];", "x[i] + y[i] + (float4)(0, i == 0, 0, 0);")
    case = cases(graded(tmp_path, environment, assignment, wrong))[0]
    assert "z[0].y" in case.message + case.detail
