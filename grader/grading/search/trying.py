"""Tries edits on cases, in one session: each launch is given the number of the edit that it is to be."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter

import numpy as np

from grader.common.record import replace
from grader.course.assignment import Chosen
from grader.course.launches import ELEMENT_BYTES
from grader.course.rubric import Case
from grader.course.truth.poison import GUARD_BYTES
from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched
from grader.execution.plan import STUDENT, SUBMISSION, Bindings, Plan, Script, buffer_of, joined, submission_plan
from grader.grading.checks.inspection import Trial, is_right
from grader.grading.explain.build_log import parse
from grader.grading.search.abreast import FEWEST, Abreast, abreast
from grader.grading.search.sites import Edit
from grader.grading.search.switchboard import UNCHANGED, Switchboard, key
from grader.protocol.messages import BuildFailed, Opened
from grader.protocol.steps import CopyStep, KernelStep, KeyArg, ProgramSource

OPTIONS = ("-cl-opt-disable", "-w")
"""Compiling takes most of the time: an eighth of it without optimisation. What clang only warns of is not asked."""

BUILDS = 3
"""As often, edits are left out that a compiler refuses."""

FEWEST_TURNS = 300
"""Enough for what loops do whatever the sizes, such as the products of a tile."""

WIDEST_GUARD = 2**20


@dataclass(frozen=True, kw_only=True)
class TriedCase:
    """A case with its data, and the plan of a launch that is one of the edits."""

    case: Case
    trial: Trial
    plan: Plan

    @property
    def script(self) -> Script:
        """What is launched."""
        return self.plan.scripts[STUDENT]

    @cached_property
    def abreast(self) -> Abreast | None:
        """The same for many edits at once, where that can be."""
        return abreast(self.plan, self.words)

    @property
    def words(self) -> int:
        """Those of its largest array."""
        return max(buffer.size for buffer in self.plan.buffers) // ELEMENT_BYTES

    @property
    def few_turns(self) -> int:
        """Enough for the loops of a work-item that go a few times along each size."""
        return FEWEST_TURNS + 4 * sum(self.case.sizes.values())

    @property
    def many_turns(self) -> int:
        """Enough for those that go through the largest array twice."""
        return self.few_turns + 2 * self.words


def tried_case(assignment: Chosen, case: Case, trial: Trial, bindings: Bindings) -> TriedCase:
    """A case of the assignment; a wrong index may go as far as in the largest array, and in small cases guard
    bands do so, too.
    """
    plan = submission_plan(assignment, case.sizes, bindings)
    script = plan.scripts[STUDENT]
    steps = tuple(_keyed(step) for step in script.steps)
    largest = max(buffer.size for buffer in plan.buffers)
    guard = -(-min(largest, WIDEST_GUARD) // GUARD_BYTES) * GUARD_BYTES
    buffers = tuple(replace(buffer, guard=guard) for buffer in plan.buffers)
    return TriedCase(
        case=case, trial=trial, plan=Plan(buffers=buffers, scripts={STUDENT: replace(script, steps=steps)})
    )


def _keyed(step: KernelStep | CopyStep) -> KernelStep | CopyStep:
    """The launch with its key as the last argument."""
    return replace(step, args=(*step.args, KeyArg())) if isinstance(step, KernelStep) else step


Arrays = dict[str, Fetched]
"""The buffers after a launch, by name."""


def _are_same(one: Arrays | None, other: Arrays | None) -> bool:
    """Whether both were made, and hold the same."""
    if one is None or other is None:
        return False
    return all(np.array_equal(one[name].payload, other[name].payload) for name in one)


def _at_once(name: str) -> str:
    """The name of a case's launch that is many edits."""
    return f"{name}, many at once"


class OutOfTimeError(Exception):
    """The budget of the search is spent."""


@dataclass(kw_only=True)
class Tryout:
    """The session of a program of edits. It is opened again after an edit that ended it, which then counts as wrong."""

    worker: Worker
    cases: Mapping[str, TriedCase]
    ends: float
    board: Switchboard
    turns: dict[str, int] = field(default_factory=dict)
    takes_many: dict[str, bool] = field(default_factory=dict)
    is_open: bool = False

    @property
    def edits(self) -> list[Edit]:
        """Those that it tries."""
        return [*self.board.numbers]

    def open(self) -> bool:
        """Open the session, without the edits that do not compile; whether that could be done."""
        for _ in range(BUILDS):
            self.worker.load({SUBMISSION: ProgramSource(source=self.board.text, options=OPTIONS)})
            opened = self._open()
            if not isinstance(opened, BuildFailed):
                return self.is_open
            refused = {each.line for each in parse(opened.log) if each.severity == "error" and each.line is not None}
            if not refused or not self.board.lines:
                return False
            self.board = self.board.without(refused)
        return False

    def is_right(self, name: str) -> bool:
        """Whether the text as it is gives the right results in a case."""
        return self._is_right(self.cases[name], UNCHANGED)

    def is_quick(self, name: str) -> bool:
        """Whether a case can be tried with many edits at once."""
        many = self.cases[name].abreast
        return many is not None and self.board.keeps_to_its_arrays and self._takes_many(self.cases[name], many)

    def right(self, name: str, edits: Iterable[Edit]) -> list[Edit]:
        """Those of the edits that give the right results in a case."""
        case, likely = self.cases[name], self.likely(name, list(edits))
        return [edit for edit in likely if self._is_right(case, self.board.numbers[edit])]

    def close(self) -> None:
        """End the session."""
        if self.is_open:
            self.worker.close()
        self.is_open = False

    def _open(self) -> Opened | Failure:
        self.close()
        with self.worker.hurried(self._left()):
            opened = self.worker.open(joined(dict(self._plans())))
        self.is_open = isinstance(opened, Opened)
        return opened

    def _plans(self) -> Iterator[tuple[str, Plan]]:
        """The plan of each case, and that of many edits at once."""
        for name, case in self.cases.items():
            yield name, case.plan
            if case.abreast is not None:
                yield _at_once(name), case.abreast.plan

    def _is_right(self, case: TriedCase, number: int) -> bool:
        fetched = self._run(case, number, self._turns(case))
        return fetched is not None and is_right(case.trial, case.script, fetched)

    def _turns(self, case: TriedCase) -> int:
        """How many turns the loops of a call may make in a case."""
        name = case.case.name
        if name not in self.turns:
            made = self._run(case, UNCHANGED, case.many_turns)
            fewer = (FEWEST_TURNS, case.few_turns) if made else ()
            enough = (turns for turns in fewer if _are_same(self._run(case, UNCHANGED, turns), made))
            self.turns[name] = next(enough, case.many_turns)
        return self.turns[name]

    # --- many at once -------------------------------------------------------------------------

    def likely(self, name: str, edits: Sequence[Edit]) -> Iterator[Edit]:
        """Those of the edits that may give the right results: all of them where they cannot be tried at once, and all
        of a launch that one of them has ended.
        """
        case = self.cases[name]
        many = case.abreast
        if many is None or len(edits) < FEWEST or not self.is_quick(name):
            yield from edits
            return
        waiting = {self.board.numbers[edit]: edit for edit in edits}
        while waiting:
            first = min(waiting)
            together = [(number, waiting.pop(number)) for number in sorted(waiting) if number < first + many.count]
            fetched = self._run_many(case, many, first)
            for number, edit in together:
                if fetched is None or is_right(case.trial, case.script, many.results(fetched, number - first)):
                    yield edit

    def _takes_many(self, case: TriedCase, many: Abreast) -> bool:
        """Whether the text as it is makes the same of a case when it runs many times at once as when it runs alone. A
        kernel that asks how many dimensions there are may not.
        """
        name = case.case.name
        if name not in self.takes_many:
            alone = self._run(case, UNCHANGED, self._turns(case))
            together = self._run_many(case, many, 1 + max(self.board.numbers.values()))
            self.takes_many[name] = together is not None and all(
                _are_same(many.results(together, place), alone) for place in (0, many.count - 1)
            )
        return self.takes_many[name]

    def _run_many(self, case: TriedCase, many: Abreast, first: int) -> Arrays | None:
        """What a launch of the edits from this number on made; None if it has ended the session."""
        self._reopen()
        name, turns = _at_once(case.case.name), self._turns(case)
        arrays = {buffer_of(name, buffer): array for buffer, array in many.arrays(case.trial.arrays).items()}
        with self.worker.hurried(self._left()):
            outputs = tuple(buffer_of(name, buffer) for buffer in many.outputs)
            fetched = self.worker.run(name, arrays, many.key(first, turns), outputs)
        if not isinstance(fetched, dict):
            self.close()
            return None
        return {buffer: fetched[buffer_of(name, buffer)] for buffer in many.outputs}

    # --- one alone ----------------------------------------------------------------------------

    def _run(self, case: TriedCase, number: int, turns: int) -> Arrays | None:
        """What a launch made; None if it has ended the session."""
        self._reopen()
        name = case.case.name
        arrays = {buffer_of(name, buffer): array for buffer, array in case.trial.arrays.items()}
        with self.worker.hurried(self._left()):
            fetched = self.worker.run(name, arrays, key(number, case.words, turns))
        if not isinstance(fetched, dict):
            self.close()
            return None
        return {buffer: fetched[buffer_of(name, buffer)] for buffer in case.script.buffers}

    def _reopen(self) -> None:
        """Have the session open, after an edit that ended it."""
        if not self.is_open and not isinstance(self._open(), Opened):
            raise OutOfTimeError

    def _left(self) -> float:
        """The seconds that are left, for whatever it asks next."""
        seconds = self.ends - perf_counter()
        if seconds <= 0:
            raise OutOfTimeError
        return seconds
