"""A case for the evaluation of edits: its data, its launches, and the iterations that its loops may need.

A batch evaluates many edits in one launch. Its groups have an additional dimension, along which each edit has separate
buffers.

    | guard | A of edit 7 | guard | A of edit 8 | guard | ...

Batches save time because a launch takes milliseconds even if it does little. A guard has as many words as the largest
array. Therefore, an index that a mutant schema accepts does not lead from one edit's buffer into the buffer of another
edit. A pointer that an edit moves far away may lead there, as in `vstore4(value, 0, to + i)`. The other edit then seems
wrong and is missed, which is rare. A batch does not detect that an edit writes outside its buffers or into its inputs,
so an edit that seems right also runs alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.record import replace
from grader.course.assignment import Chosen
from grader.course.criteria import Case
from grader.course.elements import WORD_BYTES
from grader.course.poison import GUARD_BYTES
from grader.execution.assignment_plans import submission_plan
from grader.execution.outcome import Fetched
from grader.execution.plan import STUDENT, Bindings, Plan, Script
from grader.grading.checks.trials.trial import Trial
from grader.grading.search.mutants.schema_tokens import ALIGNED, key
from grader.protocol.steps import BufferSpec, Command, KernelStep, KeyArg, with_runs

FEWEST, MOST = 8, 32
"""Minimum and maximum number of edits in a batch. With fewer edits, a batch saves little. If one edit ends the process,
all edits of its batch run alone, so a batch should not be too large.
"""

MOST_BYTES = 2**24
"""Maximum number of bytes of all buffers together, which are filled and read for each launch."""

FEW_ITERATIONS = 10
"""Maximum number of iterations of a repetition that a convergence test ends. In a batch, all edits run all iterations,
because the test would see the sums of all edits together. Therefore a batch misses an edit that is right only because
its repetition ends sooner. A batch does not accept additional edits.
"""

Uploads = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class EditBatch:
    """A case that is repeated `count` times, one after the other, in the buffers of a session. `one` is the plan of the
    case alone, and `words` is the size of its largest buffer.
    """

    one: Plan
    plan: Plan
    count: int
    words: int

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the buffers that are fetched."""
        return self.plan.scripts[STUDENT].outputs

    def key(self, number: int, iterations: int) -> int:
        """The key of a launch in which the first edit has this number."""
        return key(number, self.words, iterations)

    def arrays(self, arrays: Uploads) -> dict[str, NDArray[np.unsignedinteger[Any]]]:
        """The arrays to upload: each input of the case, repeated `count` times."""
        uploads = self.plan.scripts[STUDENT].uploads
        return {spec.name: self._repeated(spec, arrays[spec.name]) for spec in self.one.buffers if spec.name in uploads}

    def results(self, fetched: Mapping[str, Fetched], place: int) -> dict[str, Fetched]:
        """The outputs of the edit at a place in the batch, without guard bands."""
        return {
            spec.name: self._own(spec, fetched[spec.name], place) for spec in self.one.buffers if spec.name in fetched
        }

    def _own(self, spec: BufferSpec, fetched: Fetched, place: int) -> Fetched:
        payload = fetched.payload.reshape(self.count, -1)[place, : spec.size // spec.unit]
        no_band = payload[:0]
        return Fetched(before=no_band, payload=payload, after=no_band, poison=spec.poison)

    def _repeated(self, spec: BufferSpec, array: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        own = np.ascontiguousarray(array).reshape(-1).view(f"u{spec.unit}")
        room = WORD_BYTES * apart(self.words) // spec.unit
        all_of_them = np.full((self.count, room), spec.poison or 0, dtype=own.dtype)
        all_of_them[:, : own.size] = own
        return all_of_them.reshape(-1)


def apart(words: int) -> int:
    """Distance in words from the beginning of one edit's buffer to the next, if the largest buffer has this
    many words.
    """
    return 2 * ALIGNED * -(-words // ALIGNED)


def edit_batch(plan: Plan, words: int) -> EditBatch | None:
    """The batch of a plan with one script. None if the plan does not have a free dimension, if a test ends a repetition
    with many iterations, if its buffers are large, or if one buffer is an image, which edits cannot share.
    """
    script = plan.scripts[STUDENT]
    count = min(MOST, MOST_BYTES // (WORD_BYTES * apart(words) * len(plan.buffers)))
    is_flat = all(len(step.global_size) <= 2 for step in script.kernels)
    has_image = any(spec.image is not None for spec in plan.buffers)
    if has_image or count < FEWEST or not is_flat or not _ends_soon(script):
        return None
    guard = -(-apart(words) * WORD_BYTES // 2 // GUARD_BYTES) * GUARD_BYTES
    size = WORD_BYTES * apart(words) * count
    buffers = tuple(replace(spec, size=size, guard=guard, read_only=False) for spec in plan.buffers)
    widened = script.in_all_turns().of_commands(partial(_widened, count=count))
    return EditBatch(one=plan, plan=Plan(buffers=buffers, scripts={STUDENT: widened}), count=count, words=words)


def _ends_soon(script: Script) -> bool:
    return all(each.until is None or each.times <= FEW_ITERATIONS for each in script.repetitions)


def _widened(step: Command, count: int) -> Command:
    if not isinstance(step, KernelStep):
        return step
    flat_global, flat_local = ((*sizes, 1)[:2] for sizes in (step.global_size, step.local_size))
    return replace(step, global_size=(*flat_global, count), local_size=(*flat_local, 1))


FEWEST_ITERATIONS = 300
"""Number of iterations that is enough for loops that do not depend on the sizes, such as the products of a tile."""

ITERATIONS_IN_ALL = 2**20
"""Number of iterations that a right text may need, summed over all work-items. An edit with endless loops should not
take seconds, and 2**27 iterations of the unoptimised program take 5 s on a busy machine.
"""

WIDEST_GUARD = 2**20


@dataclass(frozen=True, kw_only=True)
class EvaluatedCase:
    """A case with its data, and the plan of a launch of one edit."""

    case: Case
    trial: Trial
    plan: Plan

    @property
    def script(self) -> Script:
        """The script of a launch of one edit."""
        return self.plan.scripts[STUDENT]

    @cached_property
    def batch(self) -> EditBatch | None:
        """The plan of a launch of many edits; None if a batch is impossible."""
        return edit_batch(self.plan, self.words)

    @property
    def words(self) -> int:
        """Words of the largest array of the case."""
        return -(-max(buffer.size for buffer in self.plan.buffers) // WORD_BYTES)

    @property
    def few_iterations(self) -> int:
        """Number of iterations that is enough for loops that run a few times along each size."""
        return FEWEST_ITERATIONS + 4 * sum(self.case.sizes.values())

    @property
    def many_iterations(self) -> int:
        """Number of iterations that is enough for loops that run through the largest array twice."""
        return self.few_iterations + 2 * self.words

    @property
    def even_iterations(self) -> int:
        """Number of iterations that is enough for each work-item if they share the work."""
        runs = with_runs(self.script.steps)
        items = sum(times * prod(command.global_size) for command, times in runs if isinstance(command, KernelStep))
        return min(self.few_iterations, ITERATIONS_IN_ALL // max(1, items))


def evaluated_case(case: Case, trial: Trial, bindings: Bindings) -> EvaluatedCase:
    """Prepare a case. A wrong index may be off by the length of the largest array, so guard bands
    have this width, up to a limit.
    """
    plan = submission_plan(Chosen(trial.assignment), case.sizes, bindings)
    script = plan.scripts[STUDENT]
    largest = max(buffer.size for buffer in plan.buffers)
    guard = -(-min(largest, WIDEST_GUARD) // GUARD_BYTES) * GUARD_BYTES
    buffers = tuple(buffer if buffer.image else replace(buffer, guard=guard) for buffer in plan.buffers)
    keyed = Plan(buffers=buffers, scripts={STUDENT: script.of_commands(_keyed)})
    return EvaluatedCase(case=case, trial=trial, plan=keyed)


def _keyed(command: Command) -> Command:
    """Add the key to the arguments of a launch, as the last one."""
    if isinstance(command, KernelStep):
        return replace(command, args=(*command.args, KeyArg()))
    return command
