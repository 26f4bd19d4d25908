"""The states of arrays before and after a launch, as oracle.py computes them, for a kernel that runs alone.

The function `states` of oracle.py gives the arrays that each launch of the program changes:

    def states(data, **_):
        sums = data.reshape(-1, 8).sum(axis=1)
        yield {"sums": Truth(value=sums)}                              # after launch 1
        yield {"total": Truth(value=sums.sum(keepdims=True))}          # after launch 2

Only the states up to the tested launch are computed. Of each repetition, `states` gives only
the launches of the first iteration.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.run_sequence import FillAt, LaunchAt, SingleStep
from grader.course.truth.fields import cast, dtype_of
from grader.course.truth.oracle import Arrays, Oracle, Truth, check_truth, without_padding
from grader.course.truth.oracle_function import OracleFunction


@dataclass(frozen=True, kw_only=True)
class LaunchState:
    """A launch, with the arrays that have values before it, and the changed arrays after it."""

    launch: LaunchAt
    before: Arrays
    after: Mapping[str, Truth]


def state_at(kernel: str, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> LaunchState:
    """Return the state at the first launch of a kernel. Raises SolutionError if the oracle does not give it."""
    steps = assignment.sequence(sizes).single_steps
    earlier = list(takewhile(lambda step: not (isinstance(step, LaunchAt) and step.launch.kernel == kernel), steps))
    launch = steps[len(earlier)]
    assert isinstance(launch, LaunchAt), "an assignment names only kernels that its program launches"
    states = _States(oracle, assignment, inputs, sizes)
    before = dict(inputs)
    for step in earlier:
        before |= _made_by(step, assignment, sizes, states)
    after = states.after(launch)
    for name in assignment.arrays_of(launch):
        if name not in before.keys() | after.keys():
            raise states.function.refused(
                f"`states` gives no values for {name}, which {kernel} needs in launch {states.number}; add a Truth to "
                "the launch that writes it."
            )
    return LaunchState(launch=launch, before=before, after=after)


def last_change(buffer: str, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> int | None:
    """Return the number of the last launch that changes an array; None if the oracle does not give it."""
    states = _States(oracle, assignment, inputs, sizes)
    steps = zip(assignment.sequence(sizes).launches, states.given, strict=False)
    changed = ({step.places.get(name, name) for name in arrays} for step, arrays in steps)
    return max((number for number, names in enumerate(changed, 1) if buffer in names), default=None)


def _made_by(step: SingleStep, assignment: Assignment, sizes: Sizes, states: "_States") -> dict[str, NDArray[Any]]:
    """Arrays that a step changes, with their values after the step."""
    match step:
        case FillAt():
            dtype = dtype_of(assignment.element_of(step.buffer))
            return {step.buffer: np.full(assignment.array_shape(step.buffer, sizes), step.value, dtype)}
        case LaunchAt():
            return {name: cast(truth.value, assignment.element_of(name)) for name, truth in states.after(step).items()}
    return {}  # results are copied only at the end of a program


class _States:
    """The states that `states` of oracle.py gives, in the order of the launches."""

    def __init__(self, oracle: Oracle, assignment: Assignment, inputs: Arrays, sizes: Sizes) -> None:
        self.function = OracleFunction(assignment, "states", oracle.states)
        self.number = 0
        self._assignment = assignment
        self._sizes = sizes
        self.given: Iterator[Mapping[str, Truth]] = self.function.iterate(sizes, **inputs, **assignment.known(sizes))

    def after(self, step: LaunchAt) -> dict[str, Truth]:
        """Return the arrays that the next launch changes, by the names of the buffers that contain them."""
        self.number += 1
        what = f"launch {self.number}, {step.launch.kernel}"
        given = next(self.given, None)
        if not isinstance(given, Mapping) or not given:
            raise self.function.refused(
                f"`states` gives no arrays for {what}; yield a dict with a Truth for each array that it changes."
            )
        for name, truth in given.items():
            if name not in step.launch.args or name not in self._assignment.buffers:
                raise self.function.refused(
                    f"`states` gives {name} for {what}, which has no such array; correct the name."
                )
            if self._assignment.tolerance_of(name).rule == "judge":
                raise self.function.refused(
                    f"`states` gives {name}, which only `check` can judge; give it another rule, or do not run a "
                    "kernel alone that changes it."
                )
            check_truth(truth, name, self._sizes, self.function)
        return {
            step.places.get(name, name): without_padding(truth, self._assignment, name) for name, truth in given.items()
        }
