"""expressions.py: expressions in assignment.yaml compute sizes, and everything else is refused."""

import re

import pytest

from grader.common.errors import InputError
from grader.course.expressions import evaluate, evaluate_int, evaluate_stated


@pytest.mark.parametrize(
    ("expression", "value"),
    [("ceil_to(width, TILE)", 48), ("ceil_div(width, TILE)", 3), ("2*width + 1", 75), (7, 7), ("min(width, 5)", 5)],
)
def test_expressions_use_sizes_constants_and_the_listed_functions(expression, value):
    """Expressions with sizes, constants and the listed functions evaluate to the right integers."""
    assert evaluate_int(expression, {"width": 37, "TILE": 16}) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').getcwd()",
        "().__class__",
        "width.real",
        "unknown + 1",
        "1/0",
        "2**10**10",
        "1 +",
        "'a'",
        "True",
    ],
)
def test_anything_else_is_refused_with_the_expression_in_the_message(expression):
    """Attributes, imports, unknown names, huge powers and values that are not numbers are refused.

    The message quotes the expression.
    """
    with pytest.raises(InputError) as caught:
        evaluate(expression, {"width": 3})
    assert expression in str(caught.value)


def test_a_size_must_be_whole():
    """A size of 1.5 elements is an error and is not rounded."""
    with pytest.raises(InputError, match="whole number"):
        evaluate_int("width/2", {"width": 3})


@pytest.mark.parametrize("wrong", ["9**9", "9**9**9**9", "+n", "not n", "ceil_div"])
def test_an_operator_that_students_do_not_have_is_told_in_their_words(wrong):
    """The error for an unsupported operator lists the supported ones, without Python terms or addresses."""
    with pytest.raises(
        InputError, match=rf'^"{re.escape(wrong)}" is not a size; write one with .* \+ - \* / % \( \)\.$'
    ):
        evaluate_stated(wrong, {"n": 1})
