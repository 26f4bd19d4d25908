"""Results that need no computation: nothing, zeros, ones, or a copy of an input. No tolerance may accept them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.assignment import Assignment, Timed
from grader.course.elements import Element, element_of
from grader.course.structs import Struct
from grader.course.submissions.submission import fresh_seed
from grader.course.truth.comparators import bits, wrong_elements
from grader.course.truth.fields import cast, dtype_of
from grader.course.truth.oracle import judged, load_oracle
from grader.execution.assignment_plans import reference_plan
from grader.execution.plan import STUDENT
from grader.grading.checks.trials.trial import Trial, case_trial, standard_of

Array = NDArray[Any]

WHAT = ("nothing", "zeros", "ones", "a copy of an input")


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """A result that takes no computing, and a case that accepts it although the right values are different."""

    what: str
    case: str


def accepted(assignment: Assignment) -> Iterator[Accepted]:
    """Yield every such result that a case accepts because of its tolerance. A case whose exact result is zeros does not
    count.
    """
    oracle, seed = load_oracle(assignment), fresh_seed()
    for number, case in enumerate(assignment.correctness.cases):
        trial = case_trial(assignment, oracle, case, (seed, 0, number))
        yield from (Accepted(what=what, case=case.name) for what in WHAT if _is_accepted(trial, what))


def _is_accepted(trial: Trial, what: str) -> bool:
    """True if the case accepts this result for every judged array, although at least one right result differs
    from it.
    """
    assignment = trial.assignment
    outputs = reference_plan(Timed(assignment), trial.sizes).scripts[STUDENT].outputs
    differs = False
    for_judge = {}
    for name in filter(lambda name: assignment.buffers[name].is_judged, outputs):
        element = assignment.element(assignment.buffers[name].type)
        if name not in trial.truth:
            unknown = np.zeros(assignment.array_shape(name, trial.sizes), dtype_of(element))
            for_judge[name] = _made(what, unknown, trial.inputs, element)
            continue
        right = cast(np.asarray(trial.truth[name].value), element)
        got = _made(what, right, trial.inputs, element)
        if wrong_elements(got, trial.truth[name], standard_of(trial, name)).any():
            return False
        differs = differs or not np.array_equal(got, right)
    if for_judge:
        return judged(for_judge, trial.oracle, assignment, trial.inputs, trial.sizes) is None
    return differs


def _made(what: str, right: Array, inputs: Mapping[str, Array], element: Element | Struct) -> Array:
    """Return an array with the shape and type of the right one. "a copy" means a copy of the first input of
    that type.
    """
    match what:
        case "zeros":
            return np.zeros_like(right)
        case "ones":
            return np.ones_like(right)
        case "a copy of an input":
            found = (each for each in inputs.values() if each.dtype == right.dtype and each.size)
            return np.resize(next(found, np.zeros_like(right)), right.shape)
    if isinstance(element, Struct):
        return np.resize(np.frombuffer(element.unwritten, right.dtype), right.shape)
    return np.full(right.shape, element_of(right.dtype.name).poison, bits(right).dtype).view(right.dtype)
