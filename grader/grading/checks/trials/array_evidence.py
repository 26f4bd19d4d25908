"""Evidence about an array after launches, from which its mistakes are explained."""

import re
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from grader.common.errors import SolutionError
from grader.course.assignment import Assignment
from grader.course.elements import Element
from grader.course.structs import Struct
from grader.course.truth.comparators import of_numbers
from grader.course.truth.fields import as_numbers, cast, is_uniform, parts_of
from grader.course.truth.oracle import Arrays, Truth, consult, consult_about
from grader.execution.plan import Script
from grader.grading.checks.trials.trial import Launched, Trial, launched_array, standard_of
from grader.grading.explain.diagnosis.evidence import Evidence


def evidence(trial: Trial, script: Script, name: str, launches: Sequence[Launched]) -> Evidence:
    """Return the evidence about an array from one or more launches on equal data."""
    return _evidence(trial, script, name, [launched_array(trial, name, launched) for launched in launches])


def evidence_of_right(trial: Trial, script: Script, name: str) -> Evidence:
    """Return the evidence about an array from a launch with right results, for which the expected results are used."""
    right = cast(trial.truth[name].value, trial.assignment.element_of(name))
    return _evidence(trial, script, name, [right])


def _evidence(trial: Trial, script: Script, name: str, made: Sequence[NDArray[Any]]) -> Evidence:
    assignment, element = trial.assignment, trial.assignment.element_of(name)
    got, *repeats = (_matrix(each, element) for each in made)

    def mistakes() -> dict[str, Truth]:
        listed = consult_about(name, trial.oracle, assignment, trial.inputs, trial.sizes)
        return {words: _matrices(truth, element) for words, truth in listed.items()}

    def remade(changed: Arrays) -> Truth | None:
        if assignment.structs or any(buffer.data == "made" for buffer in assignment.buffers.values()):
            return None  # the oracle may rely on properties of data that it has made itself
        try:
            truth = consult(trial.oracle, assignment, {**trial.inputs, **changed}, trial.sizes)
        except SolutionError:  # an oracle may need more of its inputs than the assignment states
            return None
        return _matrices(truth[name], element)

    return Evidence(
        buffer=name,
        got=got,
        truth=_matrices(trial.truth[name], element),
        standard=of_numbers(standard_of(trial, name)),
        inputs={
            upload: _numbers(trial.arrays[upload], assignment.element_of(upload))
            for upload in script.uploads
            if is_of_numbers(assignment, upload)
        },
        blocks=_blocks(assignment),
        mistakes=mistakes,
        remade=remade,
        sizes=trial.sizes,
        rows=_row_lengths(trial),
        is_vector=len(assignment.array_shape(name, trial.sizes)) < 2 and not isinstance(element, Struct),
        fields=tuple(part.words[1:] for part in parts_of(element)) if isinstance(element, Struct) else (),
        repeats=tuple(repeats),
    )


def is_of_numbers(assignment: Assignment, buffer: str) -> bool:
    """True if explanations can treat the array as numbers of one type."""
    element = assignment.element_of(buffer)
    return not isinstance(element, Struct) or is_uniform(element)


def _numbers(array: NDArray[Any], element: Element | Struct) -> NDArray[Any]:
    """The array, with one more dimension if it has structs."""
    return as_numbers(array, element) if isinstance(element, Struct) and array.dtype.names else array


def _matrix(array: NDArray[Any], element: Element | Struct) -> NDArray[Any]:
    """The numbers of the array in two dimensions. A vector becomes one row, and all dimensions except the last one are
    merged into rows.
    """
    numbers = _numbers(array, element)
    return numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim else numbers.reshape(1, 1)


def _matrices(truth: Truth, element: Element | Struct) -> Truth:
    magnitude = truth.magnitude
    return Truth(
        value=_matrix(truth.value, element), magnitude=None if magnitude is None else _matrix(magnitude, element)
    )


def _row_lengths(trial: Trial) -> dict[str, str]:
    """The expression for the length of a row of each buffer with two dimensions."""
    return {
        name: str(buffer.shape[-1])
        for name, buffer in trial.assignment.buffers.items()
        if buffer.image is None and len(trial.assignment.array_shape(name, trial.sizes)) == 2
    }


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
