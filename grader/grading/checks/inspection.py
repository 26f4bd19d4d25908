"""Compares what came back from a launch with what only the judge knows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from grader.course.assignment import Assignment
from grader.course.expressions import evaluate
from grader.course.rubric import DataSet, Sizes
from grader.course.truth.comparison import Standard, compare, first_stray_write, unchanged
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import DTYPES, Oracle, Truth, consult, consult_about
from grader.execution.outcome import Fetched
from grader.execution.plan import Script
from grader.grading.explain.error_map import error_map
from grader.grading.explain.evidence import Evidence
from grader.grading.explain.hypotheses import explain
from grader.grading.explain.problem import Problem, explained, of_changed_input, of_mismatch, of_stray_write
from grader.results.result import Reason


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Data for one launch: its sizes, its inputs, and the truth about its outputs."""

    assignment: Assignment
    oracle: Oracle
    sizes: Sizes
    data: DataSet
    inputs: Mapping[str, NDArray[Any]]
    truth: Mapping[str, Truth]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array that a worker may be sent: the inputs, and the results of our own steps on them."""
        return {**{name: truth.value for name, truth in self.truth.items()}, **self.inputs}


def make_trial(assignment: Assignment, oracle: Oracle, sizes: Sizes, data: DataSet, key: tuple[int, ...]) -> Trial:
    """Fresh inputs from the key, and what the oracle says about them."""
    inputs = make_inputs(assignment, oracle, sizes, data, key)
    truth = consult(oracle, assignment, inputs, sizes)
    return Trial(assignment=assignment, oracle=oracle, sizes=sizes, data=data, inputs=inputs, truth=truth)


Launched = Mapping[str, Fetched]
"""The buffers after a launch, by name."""


def inspect(trial: Trial, script: Script, fetched: Launched, repeats: Sequence[Launched] = ()) -> Problem | None:
    """The first thing wrong with the fetched buffers, the likeliest cause first; None if all is right.

    `repeats` are launches on the same data, made to see whether a wrong result is always the same.
    """
    return (
        stray_write(fetched) or _changed_input(trial, script, fetched) or _wrong_output(trial, script, fetched, repeats)
    )


def stray_write(fetched: Mapping[str, Fetched]) -> Problem | None:
    """The first word of a guard band that has changed."""
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
    for name in script.inputs:
        if name in fetched and not unchanged(fetched[name].payload, trial.arrays[name]):
            return of_changed_input(name)
    return None


def _wrong_output(trial: Trial, script: Script, fetched: Launched, repeats: Sequence[Launched]) -> Problem | None:
    assignment = trial.assignment
    tolerance = assignment.correctness.tolerance
    factor = evaluate(tolerance.factor, assignment.names(trial.sizes))
    standard = Standard(tolerance=tolerance, factor=factor, data=trial.data)
    for name in script.outputs:
        if not assignment.buffers[name].is_judged:
            continue
        mismatch = compare(name, _payload(trial, name, fetched), trial.truth[name], standard)
        if mismatch is not None:
            return _explain(of_mismatch(mismatch), _evidence(trial, script, name, standard, (fetched, *repeats)))
    return None


def _explain(problem: Problem, evidence: Evidence) -> Problem:
    """The problem with a map of what is wrong and, if that can be told, why."""
    if problem.reason is not Reason.WRONG_OUTPUT:  # nothing was written, and that is all there is to say
        return problem
    picture = error_map(evidence.buffer, evidence.wrong, evidence.unwritten, evidence.blocks)
    explanation = explain(evidence)
    return replace(explained(problem, explanation) if explanation else problem, error_map=picture)


def _evidence(trial: Trial, script: Script, name: str, standard: Standard, launches: tuple[Launched, ...]) -> Evidence:
    got, *repeats = (_matrix(_payload(trial, name, launched)) for launched in launches)

    def mistakes() -> dict[str, Truth]:
        made = consult_about(name, trial.oracle, trial.assignment, trial.inputs, trial.sizes)
        return {words: _as_matrices(truth) for words, truth in made.items()}

    return Evidence(
        buffer=name,
        got=got,
        truth=_as_matrices(trial.truth[name]),
        standard=standard,
        inputs={upload: trial.arrays[upload] for upload in script.uploads},
        blocks=_blocks(trial.assignment),
        mistakes=mistakes,
        repeats=tuple(repeats),
    )


def _payload(trial: Trial, name: str, fetched: Launched) -> NDArray[Any]:
    return as_array(trial.assignment, name, fetched[name], trial.sizes)


def as_array(assignment: Assignment, name: str, fetched: Fetched, sizes: Sizes) -> NDArray[Any]:
    """The content of a buffer, in the shape and type that assignment.yaml states."""
    buffer = assignment.buffers[name]
    return fetched.payload.view(DTYPES[buffer.type]).reshape(assignment.shape(buffer, sizes))


def _as_matrices(truth: Truth) -> Truth:
    magnitude = truth.magnitude
    return Truth(value=_matrix(truth.value), magnitude=None if magnitude is None else _matrix(magnitude))


def _matrix(array: NDArray[Any]) -> NDArray[Any]:
    """The array in two dimensions: a vector as one row, and all but the last dimension of a larger one as rows."""
    return array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)


def _blocks(assignment: Assignment) -> dict[str, int]:
    """The constants in the launch sizes of the student's kernels: the sides of their blocks."""
    expressions = [
        expression
        for launch in assignment.student_launches
        for expression in (*launch.global_size, *launch.local_size, launch.optional_local or "")
    ]
    used = set(re.findall(r"[A-Za-z_]\w*", " ".join(map(str, expressions))))
    return {
        name: value
        for name, value in assignment.constants.items()
        if name in used and isinstance(value, int) and value > 1
    }
