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
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.elements import Element
from grader.course.folders import ORACLE_FILE
from grader.course.structs import Struct, StructField
from grader.course.truth.fields import cast, dtype_of
from grader.course.truth.oracle_function import OracleFunction, in_words, place_of

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
    except Exception as error:  # an instructor's module may raise anything, and each error is a fault of this oracle
        raise SolutionError(f"{place_of(error, path)}: cannot be loaded: {in_words(error)}.") from error
    if not hasattr(module, "expected"):
        raise _without_expected(path, module)
    return Oracle(
        expected=module.expected,
        inputs=getattr(module, "inputs", no_inputs),
        mistakes=getattr(module, "mistakes", no_mistakes),
        check=getattr(module, "check", no_check),
        states=getattr(module, "states", no_states),
    )


def _without_expected(path: Path, module: ModuleType) -> SolutionError:
    """Return the error for an oracle.py without `expected`. It suggests the function with the most similar name."""
    found = {name: each for name, each in vars(module).items() if inspect.isfunction(each)}
    own = [name for name, each in found.items() if each.__module__ == module.__name__]
    near = get_close_matches("expected", own, n=1)
    line = f", line {found[near[0]].__code__.co_firstlineno}" if near else ""
    hint = f"did you mean `{near[0]}`?" if near else "add one that returns a dict with a Truth for each array."
    return SolutionError(f"{path}{line}: {ORACLE_FILE} defines no function `expected`; {hint}")


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
    function = OracleFunction(assignment, "expected", oracle.expected)
    truth = function.call(sizes, **inputs, **arguments(assignment, sizes))
    if not isinstance(truth, Mapping):
        kind = type(truth).__name__
        raise function.refused(
            f"`expected` returns an object of type {kind}; return a dict with a Truth for each array."
        )
    for name, buffer in assignment.buffers.items():
        if not buffer.is_judged or assignment.tolerance_of(name).rule == "judge":
            continue
        if name not in truth:
            raise function.refused(f"`expected` returns nothing for {name}; add a Truth for it.")
    for name in truth.keys() & assignment.buffers.keys():
        check_truth(truth[name], name, sizes, function)
    return {name: without_padding(each, assignment, name) for name, each in truth.items()}


def without_padding(truth: Truth, assignment: Assignment, name: str) -> Truth:
    """Return the truth with the fourth number of vectors of three undefined."""
    if name not in assignment.buffers or assignment.element_of(name).lanes != 3:
        return truth
    defined = np.ones(truth.value.shape, dtype=np.bool_) if truth.defined is None else truth.defined.copy()
    defined[..., 3] = False
    return replace(truth, defined=defined)


def check_truth(truth: Truth, name: str, sizes: Sizes, function: OracleFunction) -> None:
    """Raise SolutionError if the truth from this function does not fit the shape and type of the array."""
    if not isinstance(truth, Truth):
        kind = type(truth).__name__
        raise function.refused(
            f"`{function.name}` returns an object of type {kind} for {name}; return Truth(value=...)."
        )
    element = function.assignment.element_of(name)
    stated = {name: truth.value, f"the magnitude of {name}": truth.magnitude, f"`defined` of {name}": truth.defined}
    for label, array in ((label, each) for label, each in stated.items() if each is not None):
        is_plain = isinstance(element, Element) or (array is truth.defined and array.dtype.names is None)
        function.check_numbers(array, name, None if is_plain else _members(element, array, truth))
        function.check_shape(array, name, sizes, label)
    function.check_range(truth.value, name)


def _members(element: Element | Struct, array: NDArray[Any], truth: Truth) -> tuple[StructField, ...]:
    """The fields that an array must have. A magnitude may leave out fields that do not need one."""
    members = () if isinstance(element, Element) else element.members
    stated = array.dtype.names if isinstance(array, np.ndarray) and array is truth.magnitude else None
    return members if stated is None else tuple(member for member in members if member.name in stated)


def judged(got: Arrays, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> str | None:
    """Return what `check` of oracle.py finds wrong with these arrays; None if they are right."""
    function = OracleFunction(assignment, "check", oracle.check)
    words = function.call(sizes, got, **inputs, **arguments(assignment, sizes))
    if words is not None and not isinstance(words, str):
        raise function.refused(f"`check` returned {words!r}; it must return None or a sentence.")
    return words


def consult_about(
    buffer: str, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes
) -> dict[str, Truth]:
    """Return one array as each common mistake produces it from these inputs, by the description of the mistake."""
    function = OracleFunction(assignment, "mistakes", oracle.mistakes)
    with np.errstate(all="ignore"):
        mistakes = function.call(sizes, **inputs, **arguments(assignment, sizes))
    made = {words: arrays[buffer] for words, arrays in mistakes.items() if buffer in arrays}
    for truth in made.values():
        function.check_shape(truth.value, buffer, sizes)
    return made


def make(
    oracle: Oracle, assignment: Assignment, generator: np.random.Generator, data: DataSet, sizes: Sizes
) -> dict[str, NDArray[Any]]:
    """Make the arrays of the kind `made`, and check them against the shapes and types in assignment.yaml."""
    function = OracleFunction(assignment, "inputs", oracle.inputs)
    wanted = {name: buffer for name, buffer in assignment.buffers.items() if buffer.data == "made"}
    if not wanted:
        return {}
    made = function.call(sizes, generator, data, **arguments(assignment, sizes))
    for name, buffer in wanted.items():
        if name not in made:
            raise function.refused(
                f"`inputs` does not return {name}, whose data are `made` in assignment.yaml; return it."
            )
        element = assignment.element(buffer.type)
        members = element.members if isinstance(element, Struct) else None
        function.check_numbers(made[name], name, members)
        function.check_shape(made[name], name, sizes)
        function.check_range(made[name], name)
    return {name: cast(made[name], assignment.element(buffer.type)) for name, buffer in wanted.items()}
