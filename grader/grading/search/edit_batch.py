"""A batch evaluates many edits in one launch. Its groups have an additional dimension, along which each edit has
separate buffers.

    | guard | A of edit 7 | guard | A of edit 8 | guard | ...

Batches save time because a launch takes milliseconds even if it does little. A guard has as many words as the largest
array. Therefore, an index that a mutant schema accepts does not lead from one edit's buffer into the buffer of another
edit. A pointer that an edit moves far away may lead there, as in `vstore4(value, 0, to + i)`. The other edit then seems
wrong and is missed, which is rare. A batch does not detect that an edit writes outside its buffers or into its inputs,
so an edit that seems right also runs alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.record import replace
from grader.course.elements import WORD_BYTES
from grader.course.poison import GUARD_BYTES
from grader.execution.outcome import Fetched
from grader.execution.plan import STUDENT, Plan, Script
from grader.grading.search.mutants.schema_tokens import ALIGNED, key
from grader.protocol.steps import BufferSpec, Command, KernelStep

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
