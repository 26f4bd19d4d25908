"""Arithmetic in assignment.yaml, such as "ceil_to(width, TILE)". It is evaluated by simpleeval; eval is never used."""

import ast
import math
import operator
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simpleeval import InvalidExpression, OperatorNotDefined, SimpleEval

from grader.common.errors import InputError

Expression = str | int


def ceil_div(value: int, step: int) -> int:
    """Return the number of steps of size `step` that cover `value`."""
    return -(-value // step)


def ceil_to(value: int, step: int) -> int:
    """Return the smallest multiple of `step` that is not less than `value`."""
    return ceil_div(value, step) * step


FUNCTIONS = {"ceil_div": ceil_div, "ceil_to": ceil_to, "min": min, "max": max, "sqrt": math.sqrt}


FAILURES = (
    *(InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError),
    *(RecursionError, MemoryError),  # raised by Python for an expression that is nested too deeply
)
"""Errors that can be raised for text that is not arithmetic."""


def evaluate(expression: str | float, names: Mapping[str, object]) -> float:
    """Return the value of an expression over `names`. Raises InputError that quotes the expression."""
    try:
        value = _calculated(expression, names) if isinstance(expression, str) else expression
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except FAILURES as error:
        known = ", ".join(sorted([*map(str, names), *FUNCTIONS]))
        told = f'cannot evaluate "{expression}": {_without_stop(error)}. The expression may use {known}.'
        raise InputError(" ".join(told.split())) from error
    if not is_number:
        raise InputError(f'"{expression}" is not a finite number but {value!r}.')
    return value


def _without_stop(error: Exception) -> str:
    return str(error).rstrip(".")


def _calculated(expression: str, names: Mapping[str, object]) -> Any:
    if expression in names:  # most expressions are a name, and a program has hundreds of launches
        return names[expression]
    evaluator = SimpleEval(names=dict(names), functions=FUNCTIONS)
    del evaluator.nodes[ast.Attribute]
    return evaluator.eval(expression, _parsed(expression))


@lru_cache(maxsize=1024)
def _parsed(expression: str) -> Any:
    """The syntax tree of an expression. A program evaluates the same few expressions for each of its launches."""
    return SimpleEval.parse(expression)


STATED = re.compile(r"[\w\s+\-*/%(),]{1,100}")
"""Matches the allowed characters and lengths of a student's expression. Strings, attributes and indices are not
allowed.
"""

STATED_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,  # as in C
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
}
"""Operators in students' expressions. There are no powers, so a product of a hundred characters has at most a few
hundred digits.
"""

STATED_NODES = frozenset({ast.Expr, ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Call})

STATED_FUNCTIONS = {"ceil_div": ceil_div, "ceil_to": ceil_to, "min": min, "max": max}


def evaluate_stated(expression: str | int, names: Mapping[str, object]) -> int:
    """Return the value of an expression that a student wrote. Raises InputError that quotes it."""
    if isinstance(expression, int):
        return expression
    numbers = {name: value for name, value in names.items() if isinstance(value, int)}
    known = ", ".join(sorted([*numbers, *STATED_FUNCTIONS]))
    refusal = f'"{expression[:100]}" is not a size; write one with {known}, whole numbers and + - * / % ( ).'
    if not STATED.fullmatch(expression) or not expression.isascii():
        raise InputError(refusal)
    evaluator = SimpleEval(operators=STATED_OPERATORS, names=numbers, functions=STATED_FUNCTIONS)
    evaluator.nodes = {kind: handle for kind, handle in evaluator.nodes.items() if kind in STATED_NODES}
    try:
        value = evaluator.eval(expression)
    except OperatorNotDefined as error:  # its own message contains only the address of an object
        raise InputError(refusal) from error
    except (InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError, RecursionError) as error:
        told = f'cannot evaluate "{expression}": {_without_stop(error)}. The expression may use {known}.'
        raise InputError(told) from error
    if callable(value):  # the name of a function without its arguments
        raise InputError(refusal)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f'"{expression}" is not a whole number but {value!r}.')
    return value


def evaluate_int(expression: str | float, names: Mapping[str, object]) -> int:
    """Return the value like `evaluate`, for a quantity that must be a whole number, such as a size or a number of
    elements.
    """
    value = evaluate(expression, names)
    if value != int(value):
        raise InputError(f'"{expression}" is {value}, but a whole number is needed here.')
    return int(value)
