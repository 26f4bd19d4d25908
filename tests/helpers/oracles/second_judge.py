"""A second judge for mutants, independent of grader's judge, that decides if a text is wrong at all.

It compares results from PoCL with oracle.py by a separate rule, at many sizes that no case uses. If all results are
right, it looks for complaints of Oclgrind without grader's plugin. It does not use grader's cases, checks or findings.
It uses only grader's building of a program and its communication with a worker.
"""

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from project import ROOT, importable

from grader.common.errors import InputError, SolutionError
from grader.course.assignment import Assignment
from grader.course.criteria import DataSet, Sizes
from grader.course.expressions import evaluate
from grader.course.structs import Struct
from grader.course.submissions.submission import Task, parse_submission
from grader.course.truth.comparators import Standard, wrong_elements
from grader.course.truth.fields import dtype_of
from grader.course.truth.inputs import make_inputs
from grader.course.truth.oracle import Arrays, Truth, arguments, load_oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.client import Worker
from grader.execution.outcome import Fetched
from grader.execution.plan import STUDENT
from grader.execution.series import Series
from grader.grading.checks.compilation.building import Built, build
from grader.protocol.steps import BufferSpec, Step

SIZES = 20
"""Number of runs on PoCL. Half of them use integers, whose results are exact."""

LARGE = 3
"""Number of runs whose sizes are about as large as possible, so that a loop over a grid has several iterations."""

SIMULATED = 3
"""Number of runs in Oclgrind. Their sizes are not multiples of a block's side, so that guards and second loop
iterations matter.
"""

LARGEST, LARGEST_SIMULATED = 150_000, 6_000
"""Limits on the number of elements of the largest array."""

PATIENCE = 60
"""Time limit in seconds for Oclgrind."""


class Fault(StrEnum):
    """A fault that the second judge can find, or none."""

    NONE = "right"
    UNBUILT = "does not build"
    FAILED = "did not end well"
    RESULTS = "wrong results"
    STRAY = "wrote elsewhere"
    COMPLAINT = "Oclgrind complains"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A launch of all steps, with its sizes, the kind of its data, and the seed of its data."""

    sizes: Sizes
    data: DataSet
    key: tuple[int, ...]


def fault(assignment: Assignment, source: str, worker: Worker, seed: int) -> Fault:
    """Return the first fault. Equal seeds give equal faults, except for the effects of races."""
    submission = parse_submission(Path("kernels.cl"), source.encode())
    built = build(Task(assignment=assignment, submission=submission, seed=seed), worker)
    if not isinstance(built, Built):
        return Fault.UNBUILT
    runs = list(_runs(assignment, seed))
    found = _on_pocl(built, runs, worker)
    if found is Fault.NONE and complaints(built, [run for run in runs if _is_small(built, run)][:SIMULATED]):
        return Fault.COMPLAINT
    return found


# --- sizes ------------------------------------------------------------------------------------


def _runs(assignment: Assignment, seed: int) -> Iterator[Run]:
    """Yield runs whose sizes do not exceed the largest case's. Some sizes are near multiples of a block, others are
    random.
    """
    chance = Random(f"{assignment.called} {seed}")
    most = {name: max(case.sizes[name] for case in assignment.correctness.cases) for name in assignment.sizes}
    for number in range(SIZES):
        if number < SIMULATED:
            sizes = _drawn(assignment, partial(_ragged, chance), most, LARGEST_SIMULATED)
        elif number < SIMULATED + LARGE:
            sizes = _drawn(assignment, partial(_large, chance), most, LARGEST)
        else:
            sizes = _drawn(assignment, partial(_size, chance), most, LARGEST)
        yield Run(sizes=sizes, data="integers" if number % 2 else "random", key=(seed, number))


def _drawn(assignment: Assignment, draw: Callable[[list[int], int], int], most: Sizes, limit: int) -> Sizes:
    sides = [value for value in assignment.constants.values() if isinstance(value, int) and value > 1]
    for _ in range(1000):
        sizes = {name: draw(sides, most[name]) for name in assignment.sizes}
        try:
            assignment.check_at(sizes)
        except InputError:
            continue
        largest = max(prod(assignment.shape(buffer, sizes)) for buffer in assignment.buffers.values())
        if largest <= limit and _has_inputs(assignment, sizes):
            return sizes
    raise AssertionError(f"no sizes of {assignment.called} are small enough")


def _has_inputs(assignment: Assignment, sizes: Sizes) -> bool:
    """Return False if the oracle refuses these sizes with InputError. assignment.yaml cannot state, for example, that a
    sparse matrix has no more entries than places. Any other error is a fault of the oracle.
    """
    try:
        make_inputs(assignment, load_oracle(assignment), sizes, "random", (0,))
    except SolutionError as error:
        if isinstance(error.__cause__, InputError):
            return False
        raise
    return True


def _ragged(chance: Random, sides: list[int], most: int) -> int:
    """Return a size of up to three whole blocks and a part of another."""
    side = chance.choice(sides) if sides else 8
    return min(most, side * chance.choice((0, 1, 1, 2, 2, 3)) + chance.randrange(1, side))


def _large(chance: Random, _sides: list[int], most: int) -> int:
    """Return a size from the upper half of the possible sizes, on a logarithmic scale."""
    return round(2 ** (np.log2(most) * chance.uniform(0.5, 1)))


def _size(chance: Random, sides: list[int], most: int) -> int:
    """Return either a size at or near a multiple of a block's side, or any size. Sizes are evenly spread on a
    logarithmic scale.
    """
    anywhere = round(2 ** chance.uniform(0, np.log2(most)))
    side = chance.choice(sides) if sides else 1
    near = side * chance.randrange(1, 5) + chance.choice((-1, 0, 0, 1, 3))
    return min(most, max(1, chance.choice((anywhere, near))))


# --- PoCL -------------------------------------------------------------------------------------


def _on_pocl(built: Built, runs: list[Run], worker: Worker) -> Fault:
    assignment = built.task.assignment
    plans = {str(number): submission_plan(assignment, run.sizes, built.bindings) for number, run in enumerate(runs)}
    series = Series(worker, plans)
    try:
        for number, run in enumerate(runs):
            inputs = make_inputs(assignment, load_oracle(assignment), run.sizes, run.data, run.key)
            fetched = series.run(str(number), _given(assignment, run, inputs))
            if not isinstance(fetched, dict):
                return Fault.FAILED
            found = _compared(assignment, run, inputs, fetched)
            if found is not Fault.NONE:
                return found
    finally:
        series.close()
    return Fault.NONE


def _given(assignment: Assignment, run: Run, inputs: Arrays) -> dict[str, NDArray[Any]]:
    """Return the inputs, and the expected results of the steps that grader's own kernels compute."""
    truth = load_oracle(assignment).expected(**inputs, **arguments(assignment, run.sizes))
    return {**{name: each.value for name, each in truth.items()}, **inputs}


def _compared(assignment: Assignment, run: Run, inputs: Arrays, fetched: Mapping[str, Fetched]) -> Fault:
    truth = load_oracle(assignment).expected(**inputs, **arguments(assignment, run.sizes))
    for name, buffer in assignment.buffers.items():
        if name not in fetched:
            continue
        got = fetched[name]
        if any((band != got.poison).any() for band in (got.before, got.after)):
            return Fault.STRAY
        if buffer.part == "input" and name in inputs and got.payload.tobytes() != inputs[name].tobytes():
            return Fault.STRAY
        if buffer.is_judged and name in truth:
            values = got.payload.view(dtype_of(assignment.element(buffer.type))).reshape(truth[name].value.shape)
            if not _agrees(name, values, truth[name], assignment, run):
                return Fault.RESULTS
    return Fault.NONE


def _agrees(name: str, got: NDArray[Any], truth: Truth, assignment: Assignment, run: Run) -> bool:
    """True if the results are equal to the bit, or differ by at most what the assignment allows for rounding. An oracle
    that makes its own inputs ignores the request for integers.
    """
    rule = assignment.tolerance_of(name)
    element = assignment.element(assignment.buffers[name].type)
    struct = element if isinstance(element, Struct) else None
    if rule.rule not in {"exact", "rounding"} or struct is not None:
        amount = evaluate(rule.amount, assignment.names(run.sizes))
        standard = Standard(tolerance=rule, amount=amount, data=run.data, struct=struct)
        return not wrong_elements(got, truth, standard).any()
    compared = np.ones(truth.value.shape, dtype=np.bool_) if truth.defined is None else truth.defined
    got, value = got[compared], truth.value[compared]
    is_whole = run.data == "integers" and np.array_equal(value, np.rint(value))
    if rule.rule == "exact" or is_whole or truth.magnitude is None:
        return bool(np.array_equal(got, value.astype(got.dtype)))
    unit = np.finfo(got.dtype).eps / 2
    allowed = evaluate(rule.factor, assignment.names(run.sizes)) * unit * truth.magnitude[compared]
    return bool((np.abs(got.astype(np.float64) - value) <= allowed).all())


# --- Oclgrind ---------------------------------------------------------------------------------


Session = tuple[tuple[Step, ...], tuple[BufferSpec, ...], dict[str, NDArray[np.uint8]]]
"""A launch for plain_oclgrind.py: its steps, its buffers, and the contents of some buffers."""


def _is_small(built: Built, run: Run) -> bool:
    shapes = (built.task.assignment.shape(buffer, run.sizes) for buffer in built.task.assignment.buffers.values())
    return max(map(prod, shapes)) <= LARGEST_SIMULATED


def complaints(built: Built, runs: list[Run]) -> tuple[str, ...]:
    """Return the first lines of Oclgrind's complaints about these runs, or the reason why it could not finish."""
    job = (built.program.text, [_session(built, run) for run in runs])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "plain_oclgrind"],
            input=pickle.dumps(job),
            env={"PYTHONPATH": f"{importable(__file__)}:{ROOT}", "PATH": "/usr/bin:/bin"},
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ("takes too long",)
    if done.returncode:
        return (f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}",)
    return tuple(done.stdout.decode().splitlines())


def _session(built: Built, run: Run) -> Session:
    """Return a run in the form that plain_oclgrind.py reads."""
    assignment = built.task.assignment
    plan = submission_plan(assignment, run.sizes, built.bindings).watched("ascending")
    script = plan.scripts[STUDENT]
    given = _given(assignment, run, make_inputs(assignment, load_oracle(assignment), run.sizes, run.data, run.key))
    contents = {name: np.ascontiguousarray(given[name]).ravel().view(np.uint8) for name in script.uploads}
    return script.steps, plan.buffers, contents
