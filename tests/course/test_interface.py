"""interface.py: types and values of arguments that do not exist are refused. The type `real` is the floating type in
the constant of this name.
"""

import re

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of, refusal
from gradings import grade

from grader.common.errors import InputError
from grader.results.verdicts import Reason

BUFFERS = ADDITION["buffers"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"buffers": {**BUFFERS, "x": {"shape": ["n"], "type": "flaot", "data": "zeros"}}},
            "buffers.x.type: there is no type flaot; write one of float, int,",
        ),
        (
            {"scalars": {"a": {"type": "float4", "value": [1, 2]}}},
            "the scalar a must be a list of 4 numbers for the type float4",
        ),
    ],
)
def test_an_argument_that_fits_no_type_is_refused(tmp_path, changes, words):
    """A type that does not exist and a value of another form are refused with their names."""
    assert words in refusal(tmp_path, changes)


@pytest.mark.parametrize(
    ("field", "name"), [("buffers", "in"), ("constants", "lambda"), ("scalars", "is"), ("values", "not")]
)
def test_a_keyword_of_python_is_no_name_of_an_argument_of_the_oracle(tmp_path, field, name):
    """oracle.py gets arrays, scalars, constants and values by name, and a keyword cannot be the name of a parameter.
    The message gives the line.
    """
    added = {"buffers": {"shape": ["n"], "data": "zeros"}, "scalars": {"type": "int", "value": 1}}.get(field, 1)
    said = refusal(tmp_path, {field: {**ADDITION.get(field, {}), name: added}})
    words = f"oracle.py gets {name} as an argument, but `{name}` is a Python keyword; rename it."
    assert re.search(rf"assignment\.yaml, line \d+: {re.escape(words)}$", said), said


def test_a_keyword_of_python_is_no_name_of_a_size(tmp_path):
    """A size is an argument of oracle.py, too."""
    assert "oracle.py gets from as an argument" in refusal(tmp_path, {"sizes": ["n", "from"]})


UNTIMED = {name: field for name, field in ADDITION.items() if name != "performance"}

REAL = {name: {**buffer, "type": "real"} for name, buffer in ADDITION["buffers"].items()}


def addition_in(folder, precision):
    """Return an assignment whose arrays have the type `real`, in this precision."""
    fields = {**UNTIMED, "constants": {"real": precision, "GROUP": 64}, "buffers": REAL}
    return course_of(folder, fields, KERNEL, ORACLE).load("small")


@pytest.mark.parametrize("precision", ["float", "double"])
def test_one_constant_sets_the_precision(tmp_path, environment, precision):
    """A kernel that writes `real` is right in both precisions. A kernel that rounds to floats is right only in one."""
    assignment = addition_in(tmp_path, precision)
    assert {buffer.type for buffer in assignment.buffers.values()} == {precision}
    for number, (kernel, is_right) in enumerate(
        [(KERNEL, True), (KERNEL.replace("x[i] + y[i]", "(float)(x[i] + y[i])"), precision == "float")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "kernels.cl").write_text(kernel)
        result = grade(assignment, folder, environment, seed=3)
        assert [check.reason for check in result.checks if check.reason is Reason.WRONG_OUTPUT] == (
            [] if is_right else [Reason.WRONG_OUTPUT] * 2
        )


def test_vectors_scalars_local_arrays_and_fields_may_be_real(tmp_path):
    """`real` and its vectors can be used wherever assignment.yaml states a type."""
    fields = {
        **UNTIMED,
        "constants": {"real": "double", "GROUP": 64},
        "structs": {"Pair": {"fields": {"a": "real", "b": "real2", "c": "int"}}},
        "scalars": {"s": {"type": "real4", "value": 1}},
        "local": {"tile": {"type": "real", "shape": [4]}},
    }
    assignment = course_of(tmp_path, fields).load("small")
    assert assignment.structs["Pair"].fields == {"a": "double", "b": "double2", "c": "int"}
    assert (assignment.scalars["s"].type, assignment.local["tile"].type) == ("double4", "double")


@pytest.mark.parametrize("constants", [{"GROUP": 64}, {"real": 3, "GROUP": 64}, {"real": "int", "GROUP": 64}])
def test_real_needs_its_constant(tmp_path, constants):
    """Without a floating type in the constant, the message says what to add."""
    course = course_of(tmp_path, {**UNTIMED, "constants": constants, "buffers": REAL})
    words = r"line \d+: buffers\.x\.type: `constants` does not define real as a floating type; write `real: float` or"
    with pytest.raises(InputError, match=words):
        course.load("small")
