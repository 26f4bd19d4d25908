"""Runs edits on cases, in one session: a launch is given the number of the edit that it is to be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from grader.common.record import replace
from grader.course.assignment import Chosen
from grader.course.launches import ELEMENT_BYTES
from grader.course.rubric import Case
from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched, Timing
from grader.execution.plan import STUDENT, SUBMISSION, Bindings, Plan, Script, buffer_of, joined, submission_plan
from grader.grading.checks.inspection import Trial, is_right
from grader.grading.explain.build_log import parse
from grader.grading.search.edits import Edit
from grader.grading.search.outline import Outline
from grader.grading.search.switchboard import accepted, key, switchboard
from grader.protocol.messages import BuildFailed, Done, Opened
from grader.protocol.steps import CopyStep, KernelStep, KeyArg, ProgramSource

OPTIONS = ("-cl-opt-disable", "-w")
"""Compiling takes most of the time: an eighth of it without optimisation. What clang only warns of is not asked."""

FEWEST_TURNS = 128

BUILDS = 3
"""As often, edits are left out that a compiler refuses."""


@dataclass(frozen=True, kw_only=True)
class TriedCase:
    """A case with its data, and the plan of a launch that is one of the edits."""

    name: str
    trial: Trial
    plan: Plan

    @property
    def script(self) -> Script:
        """What is launched."""
        return self.plan.scripts[STUDENT]

    @property
    def size(self) -> int:
        """Bytes of all its buffers."""
        return sum(buffer.size for buffer in self.plan.buffers)

    @property
    def turns(self) -> int:
        """What the loops of a work-item may make: enough to go through the largest array twice."""
        return FEWEST_TURNS + 2 * max(buffer.size for buffer in self.plan.buffers) // ELEMENT_BYTES


def tried_case(assignment: Chosen, case: Case, trial: Trial, bindings: Bindings) -> TriedCase:
    """A case of the assignment."""
    plan = submission_plan(assignment, case.sizes, bindings)
    script = plan.scripts[STUDENT]
    steps = tuple(_keyed(step) for step in script.steps)
    keyed = Plan(buffers=plan.buffers, scripts={STUDENT: replace(script, steps=steps)})
    return TriedCase(name=case.name, trial=trial, plan=keyed)


def _keyed(step: KernelStep | CopyStep) -> KernelStep | CopyStep:
    """The launch with the number of the edit as its last argument."""
    return replace(step, args=(*step.args, KeyArg())) if isinstance(step, KernelStep) else step


class OutOfTimeError(Exception):
    """The budget of the search is spent."""


@dataclass(kw_only=True)
class Tryout:
    """The session. It is opened again after an edit that has ended it, which then counts as wrong."""

    worker: Worker
    cases: Mapping[str, TriedCase]
    edits: Sequence[Edit]
    ends: float
    is_open: bool = False

    def build(self, outline: Outline) -> bool:
        """Open the session with all edits that compile; whether that could be done."""
        for _ in range(BUILDS):
            board = switchboard(outline, self.edits)
            self.worker.load({SUBMISSION: ProgramSource(source=board.text, options=OPTIONS)})
            opened = self._open()
            if not isinstance(opened, BuildFailed):
                return isinstance(opened, Opened)
            refused = {each.line for each in parse(opened.log) if each.severity == "error" and each.line is not None}
            kept = accepted(self.edits, board, refused)
            if len(kept) == len(self.edits):
                return False
            self.edits = kept
        return False

    def right(self, name: str, numbers: Iterable[int]) -> list[int]:
        """Those of the edits that give the right results in a case."""
        return [number for number in numbers if self._is_right(self.cases[name], number)]

    def close(self) -> None:
        """End the session."""
        if self.is_open:
            self.worker.close()
        self.is_open = False

    def _open(self) -> Opened | Failure:
        self._check_time()
        self.close()
        opened = self.worker.open(joined({name: case.plan for name, case in self.cases.items()}))
        self.is_open = isinstance(opened, Opened)
        return opened

    def _is_right(self, case: TriedCase, number: int) -> bool:
        self._check_time()
        if not self.is_open and not isinstance(self._open(), Opened):
            raise OutOfTimeError
        fetched = self._run(case, number)
        if not isinstance(fetched, dict):
            self.close()
            return False
        return is_right(case.trial, case.script, fetched)

    def _run(self, case: TriedCase, number: int) -> dict[str, Fetched] | Failure:
        arrays = {buffer_of(case.name, name): array for name, array in case.trial.arrays.items()}
        staged = self.worker.stage(case.name, arrays)
        if not isinstance(staged, Done):
            return staged
        launched = self.worker.launch(case.name, key(number, case.turns))
        if not isinstance(launched, Timing):
            return launched
        fetched = self.worker.fetch(tuple(buffer_of(case.name, name) for name in case.script.buffers))
        if not isinstance(fetched, dict):
            return fetched
        return {name: fetched[buffer_of(case.name, name)] for name in case.script.buffers}

    def _check_time(self) -> None:
        if perf_counter() > self.ends:
            raise OutOfTimeError
