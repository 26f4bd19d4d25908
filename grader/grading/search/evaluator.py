"""Evaluates edits on cases in one session. Each launch receives the number of its edit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import SUBMISSION, Plan, buffer_of, joined
from grader.grading.checks.trials.inspection import is_right
from grader.grading.explain.build_log import parse
from grader.grading.search.edits.sites import Edit
from grader.grading.search.evaluated_case import FEWEST, EditBatch, EvaluatedCase, Uploads
from grader.grading.search.mutants.mutant_schema import MutantSchema
from grader.grading.search.mutants.schema_tokens import UNCHANGED, key
from grader.protocol.messages import BuildFailed, Opened
from grader.protocol.steps import ProgramSource

OPTIONS = ("-cl-opt-disable", "-w")
"""Options for builds. Compiling takes most of the time, but only an eighth of that without optimisation. Warnings are
not needed.
"""

BUILDS = 3
"""Maximum number of builds of a program. Each build leaves out the edits that the compiler refused in the
previous one.
"""

TRIED_ITERATIONS = (16, 64, 256, 1024)
"""Limits on iterations that are tried on the unchanged text, to find out how many it needs."""

MORE_ITERATIONS = 4
"""How many times as many iterations an edit may run as the unchanged text needs."""

Results = dict[str, Fetched]
"""The buffers after a launch, by name."""


def _are_same(one: Results | None, other: Results | None) -> bool:
    """True if both results exist and are equal."""
    if one is None or other is None:
        return False
    return all(np.array_equal(one[name].payload, other[name].payload) for name in one)


def _name_in_batch(name: str) -> str:
    """The name of the plan that runs a case in batches."""
    return f"{name}, many at once"


class OutOfTimeError(Exception):
    """The time budget of the search is exhausted."""


@dataclass(frozen=True, kw_only=True)
class Unchanged:
    """Facts about the unchanged text, by the names of cases: the iterations that edits may run, whether a batch leaves
    its results unchanged, and whether they are right. All schemas of a text share them.
    """

    iterations: dict[str, int] = field(default_factory=dict)
    same_in_batch: dict[str, bool] = field(default_factory=dict)
    right: dict[str, bool] = field(default_factory=dict)


@dataclass(kw_only=True)
class Evaluator:
    """A session of a mutant schema. An edit that ends the session counts as wrong, and the session is opened again."""

    worker: Worker
    cases: Mapping[str, EvaluatedCase]
    ends: float
    schema: MutantSchema
    types: str = ""
    unchanged: Unchanged = field(default_factory=Unchanged)
    is_open: bool = False

    @property
    def edits(self) -> list[Edit]:
        """The edits of the schema."""
        return [*self.schema.numbers]

    def open(self) -> bool:
        """Open the session without the edits that do not compile. Returns True if it is open."""
        for _ in range(BUILDS):
            self.worker.load({SUBMISSION: ProgramSource(source=self.schema.text, options=OPTIONS, types=self.types)})
            opened = self._open()
            if not isinstance(opened, BuildFailed):
                return self.is_open
            refused = {each.line for each in parse(opened.log) if each.severity == "error" and each.line is not None}
            if not refused or not self.schema.lines:
                return False
            self.schema = self.schema.without(refused)
        return False

    def is_right(self, name: str) -> bool:
        """True if the unchanged text produces the right results in a case."""
        known = self.unchanged.right
        if name not in known:
            known[name] = self._is_right(self.cases[name], UNCHANGED)
        return known[name]

    def is_batchable(self, name: str) -> bool:
        """True if a case allows the evaluation of edits in batches."""
        batch = self.cases[name].batch
        return batch is not None and self._is_same_in_batch(self.cases[name], batch)

    def right(self, name: str, edits: Iterable[Edit]) -> list[Edit]:
        """The edits that make the results of a case right."""
        case, likely = self.cases[name], self.likely(name, list(edits))
        return [edit for edit in likely if self._is_right(case, self.schema.numbers[edit])]

    def close(self) -> None:
        """End the session."""
        if self.is_open:
            self.worker.close()
        self.is_open = False

    def _open(self) -> Opened | Failure:
        self.close()
        with self.worker.timeouts.hurried(self._left()):
            opened = self.worker.open(joined(dict(self._plans())))
        self.is_open = isinstance(opened, Opened)
        return opened

    def _plans(self) -> Iterator[tuple[str, Plan]]:
        """The plans of each case, for one edit and for a batch."""
        for name, case in self.cases.items():
            yield name, case.plan
            if case.batch is not None:
                yield _name_in_batch(name), case.batch.plan

    def _is_right(self, case: EvaluatedCase, number: int) -> bool:
        fetched = self._run(case, number, self._iterations(case))
        return fetched is not None and is_right(case.trial, case.script, fetched)

    def _iterations(self, case: EvaluatedCase) -> int:
        """Number of iterations that the loops of a call may run in a case. An edit may run several times as many as the
        unchanged text needs, and at least as many as a work-item needs if all share the work.
        """
        known = self.unchanged.iterations
        name = case.case.name
        if name not in known:
            few, many = case.few_iterations, case.many_iterations
            made = self._run(case, UNCHANGED, many)
            fewer = (*(each for each in TRIED_ITERATIONS if each < few), few) if made else ()
            enough = next((each for each in fewer if _are_same(self._run(case, UNCHANGED, each), made)), many)
            known[name] = min(max(MORE_ITERATIONS * enough, case.even_iterations), few) if enough <= few else many
        return known[name]

    # --- in batches ---------------------------------------------------------------------------

    def likely(self, name: str, edits: Sequence[Edit]) -> Iterator[Edit]:
        """Yield the edits that may make a case right. If batches are not possible, these are all edits. If an edit ends
        a batch, all edits of that batch are included.
        """
        case = self.cases[name]
        batch = case.batch
        if batch is None or len(edits) < FEWEST or not self.is_batchable(name):
            yield from edits
            return
        waiting = {self.schema.numbers[edit]: edit for edit in edits}
        while waiting:
            first = min(waiting)
            together = [(number, waiting.pop(number)) for number in sorted(waiting) if number < first + batch.count]
            fetched = self._run_batch(case, batch, first)
            for number, edit in together:
                if fetched is None or is_right(case.trial, case.script, batch.results(fetched, number - first)):
                    yield edit

    def _is_same_in_batch(self, case: EvaluatedCase, batch: EditBatch) -> bool:
        """True if the unchanged text produces the same results in a batch as alone. This may be false for a kernel that
        uses the number of dimensions.
        """
        known = self.unchanged.same_in_batch
        name = case.case.name
        if name not in known:
            alone = self._run(case, UNCHANGED, self._iterations(case))
            together = self._run_batch(case, batch, 1 + max(self.schema.numbers.values()))
            known[name] = together is not None and all(
                _are_same(batch.results(together, place), alone) for place in (0, batch.count - 1)
            )
        return known[name]

    # --- launches -----------------------------------------------------------------------------

    def _run(self, case: EvaluatedCase, number: int, iterations: int) -> Results | None:
        """The results of a launch of one edit; None if the edit ended the session."""
        launch_key = key(number, case.words, iterations)
        return self._launch(case.case.name, case.trial.arrays, launch_key, case.script.buffers)

    def _run_batch(self, case: EvaluatedCase, batch: EditBatch, first: int) -> Results | None:
        """The results of a launch of the edits from this number on; None if an edit ended the session."""
        name, launch_key = _name_in_batch(case.case.name), batch.key(first, self._iterations(case))
        fetched = tuple(buffer_of(name, buffer) for buffer in batch.outputs)
        return self._launch(name, batch.arrays(case.trial.arrays), launch_key, batch.outputs, fetched)

    def _launch(
        self, name: str, arrays: Uploads, key: int, buffers: Iterable[str], fetched: tuple[str, ...] | None = None
    ) -> Results | None:
        self._reopen()
        uploads = {buffer_of(name, buffer): array for buffer, array in arrays.items()}
        with self.worker.timeouts.hurried(self._left()):
            made = self.worker.session.run(name, uploads, key, fetched)
        if not isinstance(made, dict):
            self.close()
            return None
        return {buffer: made[buffer_of(name, buffer)] for buffer in buffers}

    def _reopen(self) -> None:
        """Open the session again if an edit ended it."""
        if not self.is_open and not isinstance(self._open(), Opened):
            raise OutOfTimeError

    def _left(self) -> float:
        """Remaining seconds of the budget. Raises OutOfTimeError if no time is left."""
        seconds = self.ends - perf_counter()
        if seconds <= 0:
            raise OutOfTimeError
        return seconds
