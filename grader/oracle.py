"""The truth that submissions are compared with: each assignment's own oracle.py, written in NumPy.

An oracle.py defines one function

    def expected(**inputs_and_sizes) -> dict[str, Truth]

called with every input array and every size by name. It returns the truth for every array that
a launch produces.
"""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.assignment import ORACLE_FILE, Assignment, Sizes
from grader.errors import SolutionError

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


Oracle = Callable[..., dict[str, Truth]]


def load_oracle(assignment: Assignment) -> Oracle:
    """The `expected` function of the assignment's oracle.py, run in this process: it is the instructor's code."""
    path: Path = assignment.reference / ORACLE_FILE
    spec = importlib.util.spec_from_file_location(f"oracle_{assignment.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        oracle: Oracle = module.expected
    except Exception as error:  # whatever an instructor's module raises, it is one fault: this oracle
        raise SolutionError(f"{path}: cannot be loaded: {error!r}.") from error
    return oracle


def consult(oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> dict[str, Truth]:
    """The truth for these inputs, checked against the shapes that assignment.yaml states."""
    path = assignment.reference / ORACLE_FILE
    try:
        truth = oracle(**inputs, **sizes)
    except Exception as error:
        raise SolutionError(f"{path}: failed at {sizes}: {error!r}.") from error
    for name, buffer in assignment.buffers.items():
        if buffer.data is not None:
            continue
        if name not in truth:
            raise SolutionError(f"{path}: says nothing about {name}; return a Truth for it.")
        shape, wanted = truth[name].value.shape, assignment.shape(buffer, sizes)
        if shape != wanted:
            raise SolutionError(f"{path}: {name} has the shape {shape}, but assignment.yaml says {wanted}.")
    return truth
