"""The truth that submissions are compared with: each assignment's own oracle.py, written in NumPy.

An oracle.py defines a function

    def expected(**inputs_and_sizes) -> dict[str, Truth]

called with every input array and every size by name. It returns the truth for every array that
a launch produces. It may define a second one, which is given the constants as well:

    def mistakes(**inputs_sizes_and_constants) -> dict[str, dict[str, Truth]]

Its keys say what a kernel usually gets wrong ("the last step along k is left out"), most likely first; the values are
the arrays such a kernel makes, NaN where that cannot be known. A wrong result is held against each.
"""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.assignment import ORACLE_FILE, Assignment
from grader.errors import SolutionError
from grader.rubric import Sizes

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The right values of one array, in double precision or, for moved data, as they are.

    `magnitude`, of the same shape, is the sum of the absolute values of the terms that each element is
    made from. Rounding errors are proportional to it, so the rule `rounding` measures in units of
    2^-24 * magnitude. An array compared exactly needs none.
    """

    value: NDArray[Any]
    magnitude: NDArray[np.float64] | None = None


def no_mistakes(**_: Any) -> dict[str, dict[str, Truth]]:
    """The mistakes of an assignment whose oracle.py names none."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """The functions of an oracle.py."""

    expected: Callable[..., dict[str, Truth]]
    mistakes: Callable[..., dict[str, dict[str, Truth]]] = no_mistakes


def load_oracle(assignment: Assignment) -> Oracle:
    """The assignment's oracle.py, run in this process: it is the instructor's code."""
    path: Path = assignment.reference / ORACLE_FILE
    spec = importlib.util.spec_from_file_location(f"oracle_{assignment.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return Oracle(expected=module.expected, mistakes=getattr(module, "mistakes", no_mistakes))
    except Exception as error:  # whatever an instructor's module raises, it is one fault: this oracle
        raise SolutionError(f"{path}: cannot be loaded: {error!r}.") from error


def consult(oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> dict[str, Truth]:
    """The truth for these inputs, checked against the shapes that assignment.yaml states."""
    path = assignment.reference / ORACLE_FILE
    try:
        truth = oracle.expected(**inputs, **sizes)
    except Exception as error:
        raise SolutionError(f"{path}: failed at {sizes}: {error!r}.") from error
    for name, buffer in assignment.buffers.items():
        if buffer.data is not None:
            continue
        if name not in truth:
            raise SolutionError(f"{path}: says nothing about {name}; return a Truth for it.")
        _check_shape(truth[name], name, assignment, sizes)
    return truth


def consult_about(
    buffer: str, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes
) -> dict[str, Truth]:
    """What each usual mistake makes of one array at these inputs, by the words for the mistake."""
    path = assignment.reference / ORACLE_FILE
    try:
        with np.errstate(all="ignore"):
            mistakes = oracle.mistakes(**inputs, **assignment.names(sizes))
    except Exception as error:
        raise SolutionError(f"{path}: `mistakes` failed at {sizes}: {error!r}.") from error
    made = {words: arrays[buffer] for words, arrays in mistakes.items() if buffer in arrays}
    for truth in made.values():
        _check_shape(truth, buffer, assignment, sizes)
    return made


def _check_shape(truth: Truth, name: str, assignment: Assignment, sizes: Sizes) -> None:
    shape, wanted = truth.value.shape, assignment.shape(assignment.buffers[name], sizes)
    if shape != wanted:
        path = assignment.reference / ORACLE_FILE
        raise SolutionError(f"{path}: {name} has the shape {shape}, but assignment.yaml says {wanted}.")
