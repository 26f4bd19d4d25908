"""The data of a launch, and the buffers after it as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.expressions import evaluate
from grader.course.structs import Struct
from grader.course.truth.comparators import Standard
from grader.course.truth.fields import dtype_of
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Oracle, Truth, consult
from grader.execution.outcome import Fetched


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The data of one launch: its sizes, its inputs, and the expected outputs."""

    assignment: Assignment
    oracle: Oracle
    sizes: Sizes
    data: DataSet
    inputs: Mapping[str, NDArray[Any]]
    truth: Mapping[str, Truth]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a worker, by name: the inputs, and the expected results of grader's own steps, which are inputs of
        the student's kernels.
        """
        return {**{name: truth.value for name, truth in self.truth.items()}, **self.inputs}


def make_trial(assignment: Assignment, oracle: Oracle, sizes: Sizes, data: DataSet, key: tuple[int, ...]) -> Trial:
    """Generate inputs from the key, and compute their expected outputs with the oracle."""
    inputs = make_inputs(assignment, oracle, sizes, data, key)
    truth = consult(oracle, assignment, inputs, sizes)
    return Trial(assignment=assignment, oracle=oracle, sizes=sizes, data=data, inputs=inputs, truth=truth)


def standard_of(trial: Trial, name: str) -> Standard:
    """Return the standard by which an array counts as right."""
    tolerance = trial.assignment.tolerance_of(name)
    amount = evaluate(tolerance.amount, trial.assignment.names(trial.sizes))
    element = trial.assignment.element_of(name)
    struct = element if isinstance(element, Struct) else None
    return Standard(tolerance=tolerance, amount=amount, data=trial.data, lanes=element.lanes, struct=struct)


Launched = Mapping[str, Fetched]
"""The buffers after a launch, by name."""


def launched_array(trial: Trial, name: str, fetched: Launched) -> NDArray[Any]:
    """Content of a buffer after a launch, as as_array returns it."""
    return as_array(trial.assignment, name, fetched[name], trial.sizes)


def as_array(assignment: Assignment, name: str, fetched: Fetched, sizes: Sizes) -> NDArray[Any]:
    """Content of a buffer, in the shape and type that assignment.yaml states."""
    dtype = dtype_of(assignment.element_of(name))
    return fetched.payload.view(dtype).reshape(assignment.array_shape(name, sizes))
