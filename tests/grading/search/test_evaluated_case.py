"""evaluated_case.py: a batch runs many edits in one launch, each with separate inputs and results."""

import dataclasses

import numpy as np
import pytest

from grader.common.record import replace
from grader.execution.outcome import Fetched
from grader.execution.plan import STUDENT, SUBMISSION, Plan, Script
from grader.grading.checks.trials.inspection import stray_write
from grader.grading.search.evaluated_case import FEW_ITERATIONS, MOST, apart, edit_batch
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, KeyArg, RepeatSteps, UntilBelow

ARGS = (BufferArg(buffer="A"), BufferArg(buffer="B"), KeyArg())
STEP = KernelStep(program=SUBMISSION, kernel="k", args=ARGS, global_size=(8,), local_size=(4,))
SCRIPT = Script(steps=(STEP,), uploads=("A",), outputs=("B",))
SPECS = tuple(BufferSpec(name=name, size=size, guard=128, poison=7) for name, size in (("A", 12), ("B", 160)))
WORDS = 40


def plan(script=SCRIPT, specs=SPECS):
    """Return a plan with one script."""
    return Plan(buffers=specs, scripts={STUDENT: script})


def until(times):
    """Return a script that repeats until it has converged, but at most `times` times."""
    test = UntilBelow(buffer="B", type="float32", below=1.0)
    return dataclasses.replace(SCRIPT, steps=(RepeatSteps(times=times, steps=(STEP,), until=test),))


def test_each_edit_has_groups_and_buffers_of_its_own():
    """In a batch, the launch has a third dimension with one index for each edit. In each buffer, the parts of two edits
    are separated by at least the length of the largest buffer.
    """
    batch = edit_batch(plan(), WORDS)
    (step,) = batch.plan.scripts[STUDENT].steps
    assert (step.global_size, step.local_size) == ((8, 1, MOST), (4, 1, 1))
    assert apart(WORDS) >= 2 * WORDS
    assert [spec.size for spec in batch.plan.buffers] == [4 * MOST * apart(WORDS)] * 2
    assert all(spec.guard >= 4 * WORDS for spec in batch.plan.buffers)


def test_what_goes_in_comes_back_as_it_was():
    """The inputs are written to the beginning of each edit's part of a buffer, and the rest is filled with poison. The
    outputs of an edit are read from the same part.
    """
    batch = edit_batch(plan(), WORDS)
    sent = batch.arrays({"A": np.array([1, 2, 3], dtype=np.uint32)})["A"].reshape(MOST, apart(WORDS))
    assert (sent[:, :3] == [1, 2, 3]).all()
    assert (sent[:, 3:] == 7).all()
    made = np.arange(MOST * apart(WORDS), dtype=np.uint32)
    band = np.empty(0, dtype=np.uint32)
    result = batch.results({"B": Fetched(before=band, payload=made, after=band, poison=7)}, 2)["B"]
    assert result.payload.tolist() == list(range(2 * apart(WORDS), 2 * apart(WORDS) + 40))


def test_numbers_of_eight_bytes_have_no_stray_writes():
    """Results of an edit in an array with elements of eight bytes can be inspected for stray writes."""
    batch = edit_batch(plan(specs=tuple(replace(spec, unit=8, poison=2**63) for spec in SPECS)), WORDS)
    made = np.zeros(MOST * apart(WORDS) // 2, dtype=np.uint64)
    results = batch.results({"B": Fetched(before=made, payload=made, after=made, poison=2**63)}, 2)
    assert stray_write(results) is None


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (dataclasses.replace(SCRIPT, steps=(replace(STEP, global_size=(8, 1, 1), local_size=(4, 1, 1)),)), WORDS),
        (until(FEW_ITERATIONS + 1), WORDS),
        (SCRIPT, 2**22),
    ],
    ids=["three dimensions", "a convergence test", "large buffers"],
)
def test_what_cannot_be_many(script, words):
    """Edits cannot run as a batch if the launch already has three dimensions, if many iterations need a convergence
    test, or if the buffers are too large.
    """
    assert edit_batch(plan(script), words) is None


def test_a_few_iterations_are_all_made():
    """If a script has only a few iterations, a batch runs all of them without a convergence test, because the test
    would see the results of all edits together.
    """
    (repetition,) = edit_batch(plan(until(FEW_ITERATIONS)), WORDS).plan.scripts[STUDENT].steps
    assert (repetition.times, repetition.until) == (FEW_ITERATIONS, None)
    assert repetition.steps[0].global_size == (8, 1, MOST)
