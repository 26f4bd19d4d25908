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

The third judges arrays with the rule `judge`, for which `expected` does not return the truth:

    def check(got, **inputs_sizes_scalars_and_constants) -> str | None

`got` maps the names of these arrays to the results of a kernel, which may contain anything. The function returns None
if they are right, or a sentence that describes the error.

The fourth is for cases in which a kernel runs alone. It has the arguments of `expected`:

    def states(**inputs_sizes_scalars_and_constants) -> Iterable[dict[str, Truth]]

It returns or yields one dict for each launch, in order. The dict contains the arrays that the launch changes, with
their values after the launch (states.py).
"""

import importlib.util
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.common.phrases import sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.elements import Element
from grader.course.folders import ORACLE_FILE
from grader.course.structs import Struct, StructField
from grader.course.truth.fields import cast, dtype_of

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The right values of one array, in double precision or, for data that are only moved, in their own type.

    `magnitude` has the same shape. It is the sum of the absolute values of the terms from which each element is
    computed. Rounding errors are proportional to it, so the rule `rounding` measures in units of 2^-24 * magnitude. An
    array that is compared exactly needs no magnitude. `defined` also has the same shape, and is false for elements that
    may have any value.

    Arrays of structs are structured arrays, in which a float field may be a double. `magnitude` then contains only the
    fields that need one.
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


def arguments(assignment: Assignment, sizes: Sizes) -> dict[str, Any]:
    """Return the arguments of oracle.py other than the arrays. Vectors and structs by value are NumPy values, too."""
    made: dict[str, Any] = assignment.known(sizes)
    for name in assignment.stated_scalars:
        if not assignment.is_number(name):
            element = assignment.element(assignment.scalars[name].type)
            held = np.frombuffer(assignment.content(name, sizes), dtype_of(element))
            made[name] = held[0] if isinstance(element, Struct) else held
    return made


def consult(oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> dict[str, Truth]:
    """Return the truth for these inputs after checking it against the shapes in assignment.yaml. Raises SolutionError
    if the oracle fails.
    """
    path = assignment.reference / ORACLE_FILE
    try:
        truth = oracle.expected(**inputs, **arguments(assignment, sizes))
    except Exception as error:
        raise SolutionError(
            f"{_place(path, error)}: `expected` failed at {sizes_in_words(sizes)} with {error!r}."
        ) from error
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
    if name not in assignment.buffers or assignment.element(assignment.buffers[name].type).lanes != 3:
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
    element = assignment.element(assignment.buffers[name].type)
    stated = {name: truth.value, f"the magnitude of {name}": truth.magnitude, f"`defined` of {name}": truth.defined}
    for label, array in ((label, each) for label, each in stated.items() if each is not None):
        is_plain = isinstance(element, Element) or (array is truth.defined and array.dtype.names is None)
        _check_numbers(array, name, assignment, None if is_plain else _members(element, array, truth))
        _check_shape(array, name, assignment, sizes, label)
    _check_range(truth.value, name, assignment, function)


def _members(element: Element | Struct, array: NDArray[Any], truth: Truth) -> tuple[StructField, ...]:
    """The fields that an array must have. A magnitude may leave out fields that do not need one."""
    members = () if isinstance(element, Element) else element.members
    stated = array.dtype.names if isinstance(array, np.ndarray) and array is truth.magnitude else None
    return members if stated is None else tuple(member for member in members if member.name in stated)


def _place(path: Path, error: BaseException) -> str:
    """The path of the file, with the last of its lines in the traceback of an error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return f"{path}, line {lines[-1]}" if lines else str(path)


def judged(got: Arrays, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> str | None:
    """Return what `check` of oracle.py finds wrong with these arrays; None if they are right."""
    path = assignment.reference / ORACLE_FILE
    try:
        words = oracle.check(got, **inputs, **arguments(assignment, sizes))
    except Exception as error:
        raise SolutionError(
            f"{_place(path, error)}: `check` failed at {sizes_in_words(sizes)} with {error!r}."
        ) from error
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
            mistakes = oracle.mistakes(**inputs, **arguments(assignment, sizes))
    except Exception as error:
        raise SolutionError(
            f"{_place(path, error)}: `mistakes` failed at {sizes_in_words(sizes)} with {error!r}."
        ) from error
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
        made = oracle.inputs(generator, data, **arguments(assignment, sizes))
    except Exception as error:
        raise SolutionError(
            f"{_place(path, error)}: `inputs` failed at {sizes_in_words(sizes)} with {error!r}."
        ) from error
    for name, buffer in wanted.items():
        if name not in made:
            raise SolutionError(f"{path}: `inputs` does not return {name}, whose data are `made` in assignment.yaml.")
        element = assignment.element(buffer.type)
        members = element.members if isinstance(element, Struct) else None
        _check_numbers(made[name], name, assignment, members)
        _check_shape(made[name], name, assignment, sizes)
        _check_range(made[name], name, assignment, "inputs")
    return {name: cast(made[name], assignment.element(buffer.type)) for name, buffer in wanted.items()}


def _check_numbers(array: object, name: str, assignment: Assignment, members: tuple[StructField, ...] | None) -> None:
    """Raise SolutionError unless this is an array of real numbers, or a structured array with these fields."""
    path = assignment.reference / ORACLE_FILE
    if not isinstance(array, np.ndarray | np.generic):
        raise SolutionError(f"{path}: {name} is an object of type {type(array).__name__}; make it an array of NumPy.")
    if members is None:
        if array.dtype.kind not in "fiub":
            raise SolutionError(f"{path}: {name} has the dtype {array.dtype}; make it an array of real numbers.")
        return
    for member in members:
        shape = member.element.shape
        stated, _ = (array.dtype.fields or {}).get(member.name, (None, 0))[:2]
        if stated is None or stated.base.kind not in "fiub" or stated.shape != shape:
            fields = ", ".join(each.name for each in members)
            numbers = f"{prod(shape)} numbers" if shape else "a real number"
            raise SolutionError(
                f"{path}: {name} has the dtype {array.dtype}; make it a structured array with the fields {fields}, "
                f"in which {member.name} is {numbers}."
            )


def _check_range(array: NDArray[Any], name: str, assignment: Assignment, function: str) -> None:
    """Raise SolutionError if the array has numbers that the elements of the buffer cannot be."""
    path, buffer = assignment.reference / ORACLE_FILE, assignment.buffers[name]
    element = assignment.element(buffer.type)
    if isinstance(element, Struct):
        found = [(f"{name}.{each.name}", each.type, each.element, array[each.name]) for each in element.members]
    else:
        found = [(name, buffer.type, element, array)]
    for words, kind, each, numbers in found:
        if not _fits(numbers, each):
            raise SolutionError(
                f"{path}: `{function}` returns numbers for {words} that its type {kind} cannot hold; "
                "change them or the type."
            )


def _fits(array: NDArray[Any], element: Element) -> bool:
    """Return True if this type can represent these numbers."""
    if element.is_floating:
        return True
    with np.errstate(invalid="ignore"):  # NaN becomes a number, and differs from it
        return np.array_equal(array.astype(dtype_of(element)), array)


def _check_shape(array: NDArray[Any], name: str, assignment: Assignment, sizes: Sizes, label: str = "") -> None:
    wanted = assignment.array_shape(name, sizes)
    if array.shape != wanted:
        path = assignment.reference / ORACLE_FILE
        raise SolutionError(
            f"{path}: {label or name} has the shape {array.shape}, but assignment.yaml says {wanted}; change one of "
            "them."
        )
