"""The data of a launch, and the buffers after it as arrays.

A case in which a kernel runs alone has the inputs of the whole program. From these inputs, the oracle computes the
arrays before the first launch of the kernel, and the right arrays after this launch. The trial then uses an assignment
with only this launch. A worker gets only the arrays before the launch. Each case has different inputs, so the arrays of
one case do not reveal a result of another case.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Case, DataSet, Sizes
from grader.course.expressions import evaluate
from grader.course.launches import Buffer
from grader.course.structs import Struct
from grader.course.truth.comparators import Standard
from grader.course.truth.fields import dtype_of
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Oracle, Truth, consult
from grader.course.truth.states import LaunchState, state_at
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


def case_trial(assignment: Assignment, oracle: Oracle, case: Case, key: tuple[int, ...]) -> Trial:
    """Return the data of a case, whose inputs depend only on the key."""
    whole = make_trial(assignment, oracle, case.sizes, case.data, key)
    return _alone(whole, case.alone) if case.alone else whole


def _alone(whole: Trial, kernel: str) -> Trial:
    """Return the data of the kernel's first launch in the program."""
    state = state_at(kernel, whole.oracle, whole.assignment, whole.inputs, whole.sizes)
    assignment = _of_launch(whole, state)
    return Trial(
        assignment=assignment,
        oracle=_oracle(whole, state),
        sizes=whole.sizes,
        data=whole.data,
        inputs={name: array for name, array in state.before.items() if name in assignment.buffers},
        truth=state.after,
    )


def _of_launch(whole: Trial, state: LaunchState) -> Assignment:
    """Return the assignment with this launch as its whole program. The iteration numbers of loops become values."""
    assignment, step = whole.assignment, state.launch
    arrays = assignment.arrays_of(step)
    loops = {name: value for name, value in step.sizes.items() if name not in assignment.sizes}
    return replace(
        assignment,
        values={**loops, **assignment.values},
        buffers={name: _buffer(name, whole, state) for name in assignment.buffers if name in arrays},
        launches=(replace(step.launch, args=step.args),),
        program=(),
        repeat=None,
    )


def _buffer(name: str, whole: Trial, state: LaunchState) -> Buffer:
    """Return an array with its role in this launch. Only arrays that the launch changes are compared."""
    buffer = whole.assignment.buffers[name]
    if name not in state.before:
        return replace(buffer, data=None, role="output")
    is_input = state.before[name] is whole.inputs.get(name)
    data = buffer.data if is_input else "made"
    if name in state.after:
        return replace(buffer, data=data, role="updated")
    return replace(buffer, data=data, role="input" if buffer.part == "input" else "scratch")


def _oracle(whole: Trial, state: LaunchState) -> Oracle:
    """Return the oracle of this launch. Mistakes are known only for arrays that already have their final values."""
    launch = state.launch.launch

    def expected(**given: Any) -> dict[str, Truth]:
        inputs = {name: given.get(name, array) for name, array in whole.inputs.items()}
        return dict(state_at(launch.kernel, whole.oracle, whole.assignment, inputs, whole.sizes).after)

    def mistakes(**_: Any) -> dict[str, dict[str, Truth]]:
        known = whole.oracle.mistakes(**whole.inputs, **whole.assignment.known(whole.sizes))
        return {words: _final(arrays, whole, state) for words, arrays in known.items()}

    return Oracle(expected=expected, mistakes=mistakes)


def _final(arrays: Mapping[str, Truth], whole: Trial, state: LaunchState) -> dict[str, Truth]:
    return {
        name: truth
        for name, truth in arrays.items()
        if name in state.after and name in whole.truth
        if np.array_equal(state.after[name].value, whole.truth[name].value)
    }
