"""What came back from a launch, held against what only the judge knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.assignment import Assignment, DataSet, Sizes
from grader.checking import Standard, compare, first_stray_write, unchanged
from grader.diagnosis import Problem, of_changed_input, of_mismatch, of_stray_write
from grader.expressions import evaluate
from grader.inputs import make_inputs
from grader.oracle import Oracle, Truth, consult
from grader.outcome import Fetched
from grader.plan import Script


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Data for one launch: its sizes, its inputs, and the truth about its outputs."""

    assignment: Assignment
    sizes: Sizes
    data: DataSet
    inputs: Mapping[str, NDArray[Any]]
    truth: Mapping[str, Truth]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a worker can be given: the inputs, and what steps of ours would have made of them."""
        return {**{name: truth.value for name, truth in self.truth.items()}, **self.inputs}


def make_trial(assignment: Assignment, oracle: Oracle, sizes: Sizes, data: DataSet, key: tuple[int, ...]) -> Trial:
    """Fresh inputs from the key, and what the oracle says about them."""
    inputs = make_inputs(assignment, sizes, data, key)
    truth = consult(oracle, assignment, inputs, sizes)
    return Trial(assignment=assignment, sizes=sizes, data=data, inputs=inputs, truth=truth)


def inspect(trial: Trial, script: Script, fetched: Mapping[str, Fetched]) -> Problem | None:
    """The first thing wrong with the fetched buffers, the likeliest cause first; None if all is right."""
    return _stray_write(fetched) or _changed_input(trial, script, fetched) or _wrong_output(trial, script, fetched)


def _stray_write(fetched: Mapping[str, Fetched]) -> Problem | None:
    for name, buffer in fetched.items():
        if buffer.poison is None:
            continue
        after = first_stray_write(buffer.after, buffer.poison)
        if after is not None:
            return of_stray_write(name, after)
        before = first_stray_write(buffer.before[::-1], buffer.poison)
        if before is not None:
            return of_stray_write(name, -1 - before)
    return None


def _changed_input(trial: Trial, script: Script, fetched: Mapping[str, Fetched]) -> Problem | None:
    for name in script.uploads:
        if name in fetched and not unchanged(fetched[name].payload, trial.arrays[name]):
            return of_changed_input(name)
    return None


def _wrong_output(trial: Trial, script: Script, fetched: Mapping[str, Fetched]) -> Problem | None:
    assignment = trial.assignment
    tolerance = assignment.correctness.tolerance
    factor = evaluate(tolerance.factor, assignment.names(trial.sizes))
    standard = Standard(tolerance=tolerance, factor=factor, data=trial.data)
    for name in script.outputs:
        shape = assignment.shape(assignment.buffers[name], trial.sizes)
        got = fetched[name].payload.view(np.float32).reshape(shape)
        mismatch = compare(name, got, trial.truth[name], standard)
        if mismatch is not None:
            return of_mismatch(mismatch)
    return None
