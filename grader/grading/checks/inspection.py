"""Compares the buffers after a launch with the expected results, which are never sent to a worker."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.common.optional import OptionalWork
from grader.common.phrases import listed
from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.elements import Element
from grader.course.expressions import evaluate
from grader.course.structs import Struct
from grader.course.truth.comparators import Standard, of_numbers
from grader.course.truth.comparison import Mismatch, compare, first_stray_write, unchanged
from grader.course.truth.fields import as_numbers, cast, dtype_of, is_uniform, parts_of
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Arrays, Oracle, Truth, consult, consult_about, judged
from grader.course.truth.states import last_change
from grader.execution.outcome import Fetched
from grader.execution.plan import Script
from grader.grading.explain.diagnosis.evidence import Evidence, nothing_remade
from grader.grading.explain.diagnosis.runner import explain
from grader.grading.explain.error_map import error_map
from grader.grading.explain.problem import (
    EXPLANATION,
    Problem,
    evidence_of,
    explained,
    of_changed_input,
    of_mismatch,
    of_stray_write,
)
from grader.protocol.steps import RepeatSteps
from grader.results.check import ErrorMap, Reason


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


Launched = Mapping[str, Fetched]
"""The buffers after a launch, by name."""


def inspect(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """Return the first problem of the fetched buffers, explained from this launch alone; None if all are right."""
    problem = examine(trial, script, fetched)
    if problem is None or problem.error_map is None:
        return problem
    buffer = problem.error_map.buffer
    with OptionalWork(EXPLANATION) as work:
        return _told(problem, evidence(trial, script, buffer, (fetched,)))
    return replace(problem, faults=(*problem.faults, work.fault))


def _told(problem: Problem, case: Evidence) -> Problem:
    (explanation,) = explain([replace(case, remade=nothing_remade)])  # others may wait for this device
    return explained(problem, explanation) if explanation else problem


def examine(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """Return the first problem of the fetched buffers; None if all are right. The most likely cause is
    checked first.
    """
    stray = stray_write(fetched, script.repetitions)
    return stray or _changed_input(trial, script, fetched) or _wrong_output(trial, script, fetched)


def is_right(trial: Trial, script: Script, fetched: Launched) -> bool:
    """True if all fetched buffers are right."""
    faults = stray_write(fetched, script.repetitions) or _changed_input(trial, script, fetched)
    is_wrong = faults or any(_mismatches(trial, script, fetched)) or _judged(trial, script, fetched)
    return not is_wrong


def stray_write(fetched: Mapping[str, Fetched], repetitions: Sequence[RepeatSteps] = ()) -> Problem | None:
    """Return the problem of the first changed word in a guard band; None if no word has changed."""
    names = _swapped_names(repetitions)
    for name, buffer in fetched.items():
        if buffer.poison is None:
            continue
        after = first_stray_write(buffer.after, buffer.poison)
        if after is not None:
            return of_stray_write(names.get(name, name), after // buffer.units)
        before = first_stray_write(buffer.before[::-1], buffer.poison)
        if before is not None:
            return of_stray_write(names.get(name, name), -1 - before // buffer.units)
    return None


def _swapped_names(repetitions: Sequence[RepeatSteps]) -> dict[str, str]:
    """Descriptions of buffers that are swapped between iterations. Kernels have accessed such a buffer under all
    these names.
    """
    names: dict[str, list[str]] = {}
    for old, new in (pair for each in repetitions if each.times > 1 for pair in each.swap):
        for name in (old, new):
            names[name] = [*dict.fromkeys((*names.get(name, ()), new, old))]
    return {name: listed(each, "or") for name, each in names.items()}


def _changed_input(trial: Trial, script: Script, fetched: Mapping[str, Fetched]) -> Problem | None:
    for name in script.inputs:
        if name in fetched and not unchanged(fetched[name].payload, trial.arrays[name]):
            return of_changed_input(name)
    return None


def _wrong_output(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """The problem of the first wrong array, with a map of its wrong elements unless it was not written at all."""
    mismatch = next(_mismatches(trial, script, fetched), None)
    if mismatch is None:
        return _judged(trial, script, fetched)
    earlier = _first_wrong_intermediate(trial, script, fetched)
    if earlier is not None:
        mismatch = earlier
    problem = of_mismatch(mismatch)
    if earlier is not None:
        problem = replace(problem, detail=evidence_of(problem.detail, _made_by(trial, script, mismatch.buffer)))
    if problem.reason is not Reason.WRONG_OUTPUT or not _is_of_numbers(trial.assignment, mismatch.buffer):
        return problem
    with OptionalWork(EXPLANATION) as work:
        return replace(problem, error_map=_error_map(evidence(trial, script, mismatch.buffer, (fetched,))))
    return replace(problem, faults=(*problem.faults, work.fault))


def _error_map(case: Evidence) -> ErrorMap:
    return error_map(case.buffer, case.wrong, case.unwritten, case.blocks)


def _mismatches(trial: Trial, script: Script, fetched: Launched) -> Iterator[Mismatch]:
    """Mismatch of each wrong output, in the order of the outputs."""
    for name in script.outputs:
        if name in trial.truth and trial.assignment.buffers[name].is_judged:
            mismatch = compare(name, _payload(trial, name, fetched), trial.truth[name], standard_of(trial, name))
            if mismatch is not None:
                yield mismatch


def _first_wrong_intermediate(trial: Trial, script: Script, fetched: Launched) -> Mismatch | None:
    """Mismatch of the first intermediate array that is wrong, if the oracle gives the truth of such arrays.

    Students may lay out an intermediate array in their own way, so it counts only if a result is wrong, too.
    """
    for name in dict.fromkeys(arg for launch in script.launches for arg in launch.args):
        if name in fetched and name in trial.truth and trial.assignment.buffers[name].part == "scratch":
            mismatch = compare(name, _payload(trial, name, fetched), trial.truth[name], standard_of(trial, name))
            if mismatch is not None:
                return mismatch
    return None


def _made_by(trial: Trial, script: Script, buffer: str) -> str:
    """Sentence that names the launch after which this intermediate array should be right. This is the last launch that
    changes the array if the oracle gives states, and otherwise the first launch with the array. With repetitions,
    launches have no fixed numbers.
    """
    number = last_change(buffer, trial.oracle, trial.assignment, trial.inputs, trial.sizes)
    if number is None:
        number = next(number for number, step in enumerate(script.launches, 1) if buffer in step.args)
    kernel = script.launches[number - 1].launch.kernel
    launch = f"the last launch of {kernel}" if script.repetitions else f"launch {number}, {kernel}"
    return f"`{buffer}` is already wrong after {launch}; everything later follows from it."


def standard_of(trial: Trial, name: str) -> Standard:
    """Return the standard by which an array counts as right."""
    tolerance = trial.assignment.tolerance_of(name)
    amount = evaluate(tolerance.amount, trial.assignment.names(trial.sizes))
    element = _element(trial.assignment, name)
    struct = element if isinstance(element, Struct) else None
    return Standard(tolerance=tolerance, amount=amount, data=trial.data, lanes=element.lanes, struct=struct)


def _element(assignment: Assignment, buffer: str) -> Element | Struct:
    return assignment.element(assignment.buffers[buffer].type)


def _judged(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """Problem that `check` of the oracle finds; None if it decides about no array or finds none."""
    names = [name for name in script.outputs if trial.assignment.buffers[name].is_judged and name not in trial.truth]
    if not names:
        return None
    got = {name: _payload(trial, name, fetched) for name in names}
    words = judged(got, trial.oracle, trial.assignment, trial.inputs, trial.sizes)
    return None if words is None else Problem(reason=Reason.WRONG_OUTPUT, message=words)


def evidence(trial: Trial, script: Script, name: str, launches: Sequence[Launched]) -> Evidence:
    """Return the evidence about an array from one or more launches on equal data."""
    return _evidence(trial, script, name, [_payload(trial, name, launched) for launched in launches])


def evidence_of_right(trial: Trial, script: Script, name: str) -> Evidence:
    """Return the evidence about an array from a launch with right results, for which the expected results are used."""
    right = cast(trial.truth[name].value, _element(trial.assignment, name))
    return _evidence(trial, script, name, [right])


def _fields(assignment: Assignment, buffer: str) -> tuple[str, ...]:
    """Names of the numbers of a struct; empty for an array of numbers."""
    element = _element(assignment, buffer)
    return tuple(part.words[1:] for part in parts_of(element)) if isinstance(element, Struct) else ()


def _is_of_numbers(assignment: Assignment, buffer: str) -> bool:
    """True if explanations can treat the array as numbers of one type."""
    element = _element(assignment, buffer)
    return not isinstance(element, Struct) or is_uniform(element)


def _as_numbers(assignment: Assignment, buffer: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array, with one more dimension if it has structs."""
    element = _element(assignment, buffer)
    return as_numbers(array, element) if isinstance(element, Struct) and array.dtype.names else array


def _evidence(trial: Trial, script: Script, name: str, made: Sequence[NDArray[Any]]) -> Evidence:
    assignment = trial.assignment
    got, *repeats = (_matrix(_as_numbers(assignment, name, each)) for each in made)

    def mistakes() -> dict[str, Truth]:
        listed = consult_about(name, trial.oracle, assignment, trial.inputs, trial.sizes)
        return {words: _as_matrices(_of_numbers(assignment, name, truth)) for words, truth in listed.items()}

    def remade(changed: Arrays) -> Truth | None:
        if assignment.structs or any(buffer.data == "made" for buffer in assignment.buffers.values()):
            return None  # the oracle may rely on properties of data that it has made itself
        try:
            truth = consult(trial.oracle, assignment, {**trial.inputs, **changed}, trial.sizes)
        except SolutionError:  # an oracle may need more of its inputs than the assignment states
            return None
        return _as_matrices(truth[name])

    return Evidence(
        buffer=name,
        got=got,
        truth=_as_matrices(_of_numbers(assignment, name, trial.truth[name])),
        standard=of_numbers(standard_of(trial, name)),
        inputs={
            upload: _as_numbers(assignment, upload, trial.arrays[upload])
            for upload in script.uploads
            if _is_of_numbers(assignment, upload)
        },
        blocks=_blocks(assignment),
        mistakes=mistakes,
        remade=remade,
        sizes=trial.sizes,
        rows={
            each: str(buffer.shape[-1])
            for each, buffer in assignment.buffers.items()
            if buffer.image is None and len(assignment.array_shape(each, trial.sizes)) == 2
        },
        is_vector=len(assignment.array_shape(name, trial.sizes)) < 2 and not assignment.is_of_structs(name),
        fields=_fields(assignment, name),
        repeats=tuple(repeats),
    )


def _of_numbers(assignment: Assignment, name: str, truth: Truth) -> Truth:
    """The truth with one more dimension if the array has structs."""
    if not assignment.is_of_structs(name):
        return truth
    magnitude = truth.magnitude
    return Truth(
        value=_as_numbers(assignment, name, truth.value),
        magnitude=None if magnitude is None else _as_numbers(assignment, name, magnitude),
    )


def _payload(trial: Trial, name: str, fetched: Launched) -> NDArray[Any]:
    return as_array(trial.assignment, name, fetched[name], trial.sizes)


def as_array(assignment: Assignment, name: str, fetched: Fetched, sizes: Sizes) -> NDArray[Any]:
    """Content of a buffer, in the shape and type that assignment.yaml states."""
    dtype = dtype_of(_element(assignment, name))
    return fetched.payload.view(dtype).reshape(assignment.array_shape(name, sizes))


def _as_matrices(truth: Truth) -> Truth:
    magnitude = truth.magnitude
    return Truth(value=_matrix(truth.value), magnitude=None if magnitude is None else _matrix(magnitude))


def _matrix(array: NDArray[Any]) -> NDArray[Any]:
    """The array in two dimensions. A vector becomes one row, and all dimensions except the last one are merged into
    rows.
    """
    return array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)


def _blocks(assignment: Assignment) -> dict[str, int]:
    """Constants that occur in the launch sizes of the student's kernels, which are the side lengths of their blocks."""
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
