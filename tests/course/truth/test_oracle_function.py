"""Messages about functions of an oracle.py that fail or return invalid arrays."""

import pytest
from courses import ADDITION, course_of

from grader.common.errors import SolutionError
from grader.course.catalogue import Course
from grader.course.truth import oracle_function
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import consult, load_oracle

ORACLE = """import numpy as np
from grader.oracle import Truth

def inputs(generator, data, n, **_):
    return {{"x": {made}}}

def expected(x, y, n, **_):
    value = {value}
    return {{"z": Truth(value=value)}}
"""

FIELDS = {
    **{name: field for name, field in ADDITION.items() if name != "performance"},
    "buffers": {**ADDITION["buffers"], "x": {"type": "uint", "shape": ["n"], "data": "made"}, "z": {"shape": ["n"]}},
}

RIGHT = {"made": "np.zeros(n)", "value": "x + y"}


def truth_of(assignment):
    """Make the inputs of a case, and return the truth for them."""
    oracle = load_oracle(assignment)
    return consult(oracle, assignment, make_inputs(assignment, oracle, {"n": 3}, "random", (1,)), {"n": 3})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "(x + y).astype(complex)"}, "line 7: z has the dtype complex128; make it an array of real numbers."),
        ({"value": "x[1:]"}, "line 7: z has the shape (2,), but assignment.yaml says (3,); change one of them."),
        ({"value": "[1, 2, 3]"}, "line 7: z is an object of type list; make it an array of NumPy."),
        ({"value": "x[n]"}, "line 8: `expected` failed at n 3 with IndexError: index"),
        ({"made": "np.zeros(n + 1)"}, "line 4: x has the shape (4,), but assignment.yaml says (3,); change one of"),
        ({"made": "np.full(n, -1)"}, "line 4: `inputs` returns numbers for x that its type uint cannot hold; change"),
        ({"made": "n // 0"}, "line 5: `inputs` failed at n 3 with ZeroDivisionError: integer"),
        ({"value": "x +"}, "line 8: cannot be loaded: SyntaxError: invalid"),
    ],
)
@pytest.mark.parametrize("is_relative", [True, False])
def test_the_message_names_the_file_and_the_line(tmp_path, monkeypatch, change, message, is_relative):
    """A message begins with the path as the course gives it, and the line. This is the definition if the result does
    not fit, and the last statement if the function fails.
    """
    course = course_of(tmp_path, FIELDS, oracle=ORACLE.format(**{**RIGHT, **change}))
    if is_relative:
        monkeypatch.chdir(tmp_path)
        course = Course(
            assignments=course.assignments.relative_to(tmp_path), reference=course.reference.relative_to(tmp_path)
        )
    assignment = course.load("small")
    with pytest.raises(SolutionError) as error:
        truth_of(assignment)
    assert str(error.value).startswith(f"{assignment.reference / 'oracle.py'}, {message}")


PASSED = "grader passes x, y, real, GROUP, n."


@pytest.mark.parametrize(
    ("parameters", "changed", "message"),
    [
        (
            "expected(x, y, n, **_)",
            "expected(input, n, **_)",
            f"line 7: `expected` needs `input`, which grader does not pass; correct its parameters. {PASSED}",
        ),
        (
            "expected(x, y, n, **_)",
            "expected(x, y, n)",
            f"line 7: `expected` does not accept `real` and `GROUP`; add `**_` to its parameters. {PASSED}",
        ),
        (
            "inputs(generator, data, n, **_)",
            "inputs(n, **_)",
            "line 4: `inputs` cannot be called: multiple values for argument 'n'; correct its parameters. "
            + PASSED.replace("x, y", "generator, data"),
        ),
        ("expected(", "expect(", "line 7: oracle.py defines no function `expected`; did you mean `expect`?"),
    ],
)
def test_a_function_with_wrong_parameters_or_a_wrong_name_is_refused(tmp_path, parameters, changed, message):
    """If grader cannot call a function, the message gives the line of its definition and the arguments that grader
    passes. If `expected` is missing, the message suggests a function with a similar name.
    """
    text = ORACLE.format(**RIGHT).replace(parameters, changed)
    assignment = course_of(tmp_path, FIELDS, oracle=text).load("small")
    with pytest.raises(SolutionError) as error:
        truth_of(assignment)
    assert str(error.value) == f"{assignment.reference / 'oracle.py'}, {message}"


def test_an_oracle_without_a_similar_function_is_told_to_add_one(tmp_path):
    """Without a function whose name is similar, the message says what to add. Imported functions do not count."""
    text = "from os.path import exists as expects\n"
    assignment = course_of(tmp_path, FIELDS, oracle=text).load("small")
    with pytest.raises(SolutionError, match=r"oracle\.py: oracle\.py defines no function `expected`; add one that"):
        truth_of(assignment)


def test_a_function_that_runs_for_long_is_reported_with_its_line(tmp_path, monkeypatch, caplog):
    """While a function runs for long, a warning gives the line that it has reached, so that the author of an endless
    loop knows where to look. A function that ends in time causes no warning.
    """
    monkeypatch.setattr(oracle_function, "LONG", 0.05)
    slow = RIGHT | {"value": "__import__('time').sleep(0.5) or x + y"}
    assignment = course_of(tmp_path, FIELDS, oracle=ORACLE.format(**slow)).load("small")
    truth_of(assignment)
    (warning,) = [record.getMessage() for record in caplog.records]
    place = f"{assignment.reference / 'oracle.py'}, line 8"
    assert warning == (
        f"{place}: `expected` has been running for 0.05 s at n 3. If it does not end, press Ctrl-C and correct the "
        "function."
    )
