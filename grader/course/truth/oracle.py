"""The truth with which submissions are compared. It comes from each assignment's own oracle.py, written in NumPy.

An oracle.py defines a function

    def expected(**inputs_sizes_scalars_and_constants) -> dict[str, Truth]

Its arguments are every array that has data, and every size, scalar and constant, by name. The function names the
arguments that it needs, and takes the rest as `**_`. It returns the truth for every array that launches must make (the
roles output and updated). It may return the truth for a scratch array, too: if a result is wrong, then the first wrong
array is explained. An oracle.py may define more functions. One makes the arrays of the kind `made`, for
`data` "random" or "integers":

    def inputs(generator, data, **sizes_scalars_and_constants) -> dict[str, ndarray]

The second has the arguments of `expected`:

    def mistakes(**inputs_sizes_scalars_and_constants) -> dict[str, dict[str, Truth]]

Its keys describe common mistakes in kernels ("the last step along k is left out"), the most likely first. The values
are the arrays that such a kernel produces, with NaN for unknown elements. A wrong result is compared with each of them.

The third decides about arrays with the rule `judge`, for which `expected` returns no truth:

    def check(got, **inputs_sizes_scalars_and_constants) -> str | None

`got` maps the names of these arrays to the results of a kernel, which may contain anything. The function returns None
if they are right, or a sentence that describes the error.

The fourth is for cases in which a kernel runs alone. It has the arguments of `expected`:

    def states(**inputs_sizes_scalars_and_constants) -> Iterable[dict[str, Truth]]

It returns or yields, for each launch in order, the arrays that this launch changes, as they are after it (states.py).
"""

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.elements import ELEMENTS, ElementType
from grader.course.folders import ORACLE_FILE

Arrays = Mapping[str, NDArray[Any]]

DTYPES: dict[ElementType, type[np.generic]] = {name: np.dtype(each.dtype).type for name, each in ELEMENTS.items()}
"""NumPy types of the elements of arrays."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The right values of one array, in double precision or, for data that are only moved, in their own type.

    `magnitude` has the same shape. It is the sum of the absolute values of the terms from which each element is
    computed. Rounding errors are proportional to it, so the rule `rounding` measures in units of 2^-24 * magnitude. An
    array that is compared exactly needs no magnitude. `defined` also has the same shape, and is false for elements that
    may have any value.
    """

    value: NDArray[Any]
    magnitude: NDArray[np.float64] | None = None
    defined: NDArray[np.bool_] | None = None


def no_mistakes(**_: Any) -> dict[str, dict[str, Truth]]:
    """Used if an oracle.py has no `mistakes`."""
    return {}


def no_check(*_: Any, **__: Any) -> str | None:
    """Used if an oracle.py has no `check`."""
    return None


def no_inputs(*_: Any, **__: Any) -> Arrays:
    """Used if an oracle.py has no `inputs`."""
    return {}


def no_states(**_: Any) -> Iterable[Mapping[str, Truth]]:
    """Used if an oracle.py has no `states`."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """The functions of an oracle.py."""

    expected: Callable[..., dict[str, Truth]]
    inputs: Callable[..., Arrays] = no_inputs
    mistakes: Callable[..., dict[str, dict[str, Truth]]] = no_mistakes
    check: Callable[..., str | None] = no_check
    states: Callable[..., Iterable[Mapping[str, Truth]]] = no_states


def load_oracle(assignment: Assignment) -> Oracle:
    """Load the assignment's oracle.py in this process, since it is the instructor's code. Raises SolutionError if it
    cannot be loaded.
    """
    path: Path = assignment.reference / ORACLE_FILE
    spec = importlib.util.spec_from_file_location(f"oracle_{assignment.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return Oracle(
            expected=module.expected,
            inputs=getattr(module, "inputs", no_inputs),
            mistakes=getattr(module, "mistakes", no_mistakes),
            check=getattr(module, "check", no_check),
            states=getattr(module, "states", no_states),
        )
    except Exception as error:  # an instructor's module may raise anything, and each error is a fault of this oracle
        raise SolutionError(f"{path}: cannot be loaded: {error!r}.") from error


def consult(oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> dict[str, Truth]:
    """Return the truth for these inputs after checking it against the shapes in assignment.yaml. Raises SolutionError
    if the oracle fails.
    """
    path = assignment.reference / ORACLE_FILE
    try:
        truth = oracle.expected(**inputs, **assignment.known(sizes))
    except Exception as error:
        raise SolutionError(f"{path}: failed at {sizes}: {error!r}.") from error
    if not isinstance(truth, Mapping):
        raise SolutionError(
            f"{path}: `expected` returns an object of type {type(truth).__name__}; return a dict with a Truth for each "
            "array."
        )
    for name, buffer in assignment.buffers.items():
        if not buffer.is_judged or assignment.tolerance_of(name).rule == "judge":
            continue
        if name not in truth:
            raise SolutionError(f"{path}: `expected` returns nothing for {name}; add a Truth for it.")
    for name in truth.keys() & assignment.buffers.keys():
        check_truth(truth[name], name, assignment, sizes, "expected")
    return {name: without_padding(each, assignment, name) for name, each in truth.items()}


def without_padding(truth: Truth, assignment: Assignment, name: str) -> Truth:
    """Return the truth with the fourth number of vectors of three undefined."""
    if name not in assignment.buffers or ELEMENTS[assignment.buffers[name].type].lanes != 3:
        return truth
    defined = np.ones(truth.value.shape, dtype=np.bool_) if truth.defined is None else truth.defined.copy()
    defined[..., 3] = False
    return replace(truth, defined=defined)


def check_truth(truth: Truth, name: str, assignment: Assignment, sizes: Sizes, function: str) -> None:
    """Raise SolutionError if the truth from this function does not fit the shape and type of the array."""
    path = assignment.reference / ORACLE_FILE
    if not isinstance(truth, Truth):
        raise SolutionError(
            f"{path}: `{function}` returns an object of type {type(truth).__name__} for {name}; "
            "return Truth(value=...)."
        )
    for array in (each for each in (truth.value, truth.magnitude, truth.defined) if each is not None):
        _check_numbers(array, name, assignment)
        _check_shape(array, name, assignment, sizes)
    _check_range(truth.value, name, assignment, function)


def judged(got: Arrays, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> str | None:
    """Return what `check` of oracle.py finds wrong with these arrays; None if they are right."""
    path = assignment.reference / ORACLE_FILE
    try:
        words = oracle.check(got, **inputs, **assignment.known(sizes))
    except Exception as error:
        raise SolutionError(f"{path}: `check` failed at {sizes}: {error!r}.") from error
    if words is not None and not isinstance(words, str):
        raise SolutionError(f"{path}: `check` returned {words!r}; it must return None or a sentence.")
    return words


def consult_about(
    buffer: str, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes
) -> dict[str, Truth]:
    """Return one array as each common mistake produces it from these inputs, by the description of the mistake."""
    path = assignment.reference / ORACLE_FILE
    try:
        with np.errstate(all="ignore"):
            mistakes = oracle.mistakes(**inputs, **assignment.known(sizes))
    except Exception as error:
        raise SolutionError(f"{path}: `mistakes` failed at {sizes}: {error!r}.") from error
    made = {words: arrays[buffer] for words, arrays in mistakes.items() if buffer in arrays}
    for truth in made.values():
        _check_shape(truth.value, buffer, assignment, sizes)
    return made


def make(
    oracle: Oracle, assignment: Assignment, generator: np.random.Generator, data: DataSet, sizes: Sizes
) -> dict[str, NDArray[Any]]:
    """Make the arrays of the kind `made`, and check them against the shapes and types in assignment.yaml."""
    path = assignment.reference / ORACLE_FILE
    wanted = {name: buffer for name, buffer in assignment.buffers.items() if buffer.data == "made"}
    if not wanted:
        return {}
    try:
        made = oracle.inputs(generator, data, **assignment.known(sizes))
    except Exception as error:
        raise SolutionError(f"{path}: `inputs` failed at {sizes}: {error!r}.") from error
    for name in wanted:
        if name not in made:
            raise SolutionError(f"{path}: `inputs` does not return {name}, whose data are `made` in assignment.yaml.")
        _check_numbers(made[name], name, assignment)
        _check_shape(made[name], name, assignment, sizes)
        _check_range(made[name], name, assignment, "inputs")
    return {name: np.ascontiguousarray(made[name], dtype=DTYPES[buffer.type]) for name, buffer in wanted.items()}


def _check_numbers(array: object, name: str, assignment: Assignment) -> None:
    """Raise SolutionError for anything but an array of real numbers."""
    path = assignment.reference / ORACLE_FILE
    if not isinstance(array, np.ndarray | np.generic):
        raise SolutionError(f"{path}: {name} is an object of type {type(array).__name__}; make it an array of NumPy.")
    if array.dtype.kind not in "fiub":
        raise SolutionError(f"{path}: {name} has the dtype {array.dtype}; make it an array of real numbers.")


def _check_range(array: NDArray[Any], name: str, assignment: Assignment, function: str) -> None:
    """Raise SolutionError if the array has numbers that the elements of the buffer cannot be."""
    path, buffer = assignment.reference / ORACLE_FILE, assignment.buffers[name]
    if ELEMENTS[buffer.type].is_floating:
        return
    with np.errstate(invalid="ignore"):  # NaN becomes a number, and differs from it
        fits = np.array_equal(array.astype(DTYPES[buffer.type]), array)
    if not fits:
        raise SolutionError(
            f"{path}: `{function}` returns numbers for {name} that its type {buffer.type} cannot hold; "
            "change them or the type."
        )


def _check_shape(array: NDArray[Any], name: str, assignment: Assignment, sizes: Sizes) -> None:
    wanted = assignment.array_shape(name, sizes)
    if array.shape != wanted:
        path = assignment.reference / ORACLE_FILE
        raise SolutionError(
            f"{path}: {name} has the shape {array.shape}, but assignment.yaml says {wanted}; change one of them."
        )
