"""Compares the buffers after a launch with the expected results, which are never sent to a worker."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.common.optional import OptionalWork
from grader.common.phrases import listed, quoted
from grader.course.truth.comparison import Mismatch, compare, first_stray_write, unchanged
from grader.course.truth.oracle import judged
from grader.course.truth.states import last_change
from grader.execution.plan import Script
from grader.grading.checks.trials.array_evidence import evidence, is_of_numbers
from grader.grading.checks.trials.trial import Launched, Trial, launched_array, standard_of
from grader.grading.explain.diagnosis.evidence import Evidence, nothing_remade
from grader.grading.explain.diagnosis.rules import explain
from grader.grading.explain.error_map import error_map
from grader.grading.explain.problem import EXPLANATION, Problem, evidence_of
from grader.grading.explain.wrong_arrays import explained, of_changed_input, of_mismatch, of_stray_write
from grader.protocol.steps import RepeatSteps
from grader.results.verdicts import Reason


def inspect(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """Return the first problem of the fetched buffers, explained from this launch alone; None if all are right."""
    problem = examine(trial, script, fetched)
    if problem is None or problem.error_map is None:
        return problem
    buffer = problem.error_map.buffer
    with OptionalWork(EXPLANATION) as work:
        return _explained(problem, evidence(trial, script, buffer, (fetched,)))
    return replace(problem, faults=(*problem.faults, work.fault))


def _explained(problem: Problem, case: Evidence) -> Problem:
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


def stray_write(fetched: Launched, repetitions: Sequence[RepeatSteps] = ()) -> Problem | None:
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
    return {name: listed(map(quoted, each), "or") for name, each in names.items()}


def _changed_input(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    for name in script.inputs:
        if name in fetched and not unchanged(fetched[name].payload, trial.arrays[name]):
            return of_changed_input(name)
    return None


def _wrong_output(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """The problem of the first wrong array, with a map of its wrong elements unless it was not written at all."""
    mismatch = next(_mismatches(trial, script, fetched), None)
    if mismatch is None:
        return _judged(trial, script, fetched)
    earlier = next(_intermediate_mismatches(trial, script, fetched), None)
    if earlier is not None:
        mismatch = earlier
    problem = of_mismatch(mismatch)
    if earlier is not None:
        problem = replace(problem, detail=evidence_of(problem.detail, _made_by(trial, script, mismatch.buffer)))
    if problem.reason is not Reason.WRONG_OUTPUT or not is_of_numbers(trial.assignment, mismatch.buffer):
        return problem
    with OptionalWork(EXPLANATION) as work:
        case = evidence(trial, script, mismatch.buffer, (fetched,))
        return replace(problem, error_map=error_map(case.buffer, case.wrong, case.unwritten, case.blocks))
    return replace(problem, faults=(*problem.faults, work.fault))


def _mismatches(trial: Trial, script: Script, fetched: Launched) -> Iterator[Mismatch]:
    """Mismatch of each wrong output, in the order of the outputs."""
    for name in script.outputs:
        if name in trial.truth and trial.assignment.buffers[name].is_judged:
            yield from _mismatch(trial, name, fetched)


def _intermediate_mismatches(trial: Trial, script: Script, fetched: Launched) -> Iterator[Mismatch]:
    """Mismatch of each wrong intermediate array whose truth the oracle gives, in the order of the launches.

    Students may lay out an intermediate array in their own way, so it counts only if a result is wrong, too.
    """
    for name in dict.fromkeys(arg for launch in script.launches for arg in launch.args):
        if name in fetched and name in trial.truth and trial.assignment.buffers[name].part == "scratch":
            yield from _mismatch(trial, name, fetched)


def _mismatch(trial: Trial, name: str, fetched: Launched) -> Iterator[Mismatch]:
    """Yield the mismatch of an array; nothing if it is right."""
    mismatch = compare(name, launched_array(trial, name, fetched), trial.truth[name], standard_of(trial, name))
    if mismatch is not None:
        yield mismatch


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


def _judged(trial: Trial, script: Script, fetched: Launched) -> Problem | None:
    """Problem that `check` of the oracle finds; None if it decides about no array or finds none."""
    names = [name for name in script.outputs if trial.assignment.buffers[name].is_judged and name not in trial.truth]
    if not names:
        return None
    got = {name: launched_array(trial, name, fetched) for name in names}
    words = judged(got, trial.oracle, trial.assignment, trial.inputs, trial.sizes)
    return None if words is None else Problem(reason=Reason.WRONG_OUTPUT, message=words)
