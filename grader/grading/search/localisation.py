"""Finds the line of a fault by searching for edits that fix wrong cases without breaking right ones. The line is known
if all of these edits are in it.

Each edit is evaluated on the smallest wrong case. An edit that fixes it is evaluated on all little cases. Some hundred
edits are evaluated together, the likeliest first, until one edit fixes everything. A remaining edit is graded as a
separate text, on every case that is shown. It also runs on the simulator, which must report nothing. If a submission is
wrong in two places, the line of an edit is named if the edit fixes at least `FEW` cases and no edit of another line
fixes as many. Two lines are named if an edit of either fixes everything. Hidden cases are not used.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from grader.common.record import replace
from grader.execution.plan import SUBMISSION
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import Tried, try_cases
from grader.grading.rules import SearchRules
from grader.grading.search.edits import edits
from grader.grading.search.edits.sites import Edit
from grader.grading.search.evaluated_case import EvaluatedCase
from grader.grading.search.evaluator import Evaluator, OutOfTimeError, Unchanged
from grader.grading.search.fixes import FEW, LINES, PER_LINE, Fixes, best_of, evaluated_fixes
from grader.grading.search.hint import Fix
from grader.grading.search.mutants.mutant_schema import edited, mutant_schemas
from grader.grading.search.suspect import Suspect, kernel_runs, small_cases, suspicious_first
from grader.grading.source.guards import Guards
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.grading.source.values import Values
from grader.results.verdicts import Verdict

EDITS_PER_SECOND = 400
"""Approximate number of edits that are evaluated per second. Compiling more edits than fit into the available time
would be a waste.
"""

PER_TEXT, SLOWER = 3.0, 2.0
"""The maximum number of seconds to grade a separate text, and a factor. Grading usually takes about a second, most of
it for the compiler. On a busy machine, it may take this many times as long as the submission did. A text that takes
longer is not a fix, for example because a loop is endless.
"""


SMALLEST = 2
"""Number of the smallest wrong cases on which every edit is evaluated. The next case is used only if no edit fixes the
one before it.
"""


TOLD = 2
"""Most lines that a hint names."""


def text_seconds(own: float) -> float:
    """Maximum number of seconds to grade a separate text, and to confirm fixes after the search. `own` is the number of
    seconds that the submission's cases took.
    """
    return max(PER_TEXT, SLOWER * own)


IsClean = Callable[[Built, bool], bool]
"""Function that returns True if a simulated run of a program does not find a mistake. The flag is true if the program
should be right in all cases, and false if only in some.
"""


def search(suspect: Suspect, rules: SearchRules, is_clean: IsClean) -> Fix | None:
    """The edits that fix the submission, if they are all in one line, or in two lines and each fixes everything. None
    if they are not, or if the time runs out.
    """
    seen = outline(suspect.built.program.source, [binding.name for binding in suspect.built.bindings.values()])
    if seen is None:
        return None
    cases = {each.case.name: each for each in small_cases(suspect)}
    likely = edits(seen, most=int(rules.seconds * EDITS_PER_SECOND))
    likeliest = suspicious_first(likely, seen, kernel_runs(suspect))
    try:
        with suspect.worker.in_one_process():
            _start_process(suspect, cases)
            found = Search(
                suspect=suspect, seen=seen, cases=cases, is_clean=is_clean, ends=perf_counter() + rules.seconds
            )
            fixes, confirmed = found.first(likeliest)
            skipped = next((found.statement(edit) for edit in confirmed if found.skips(edit)), None)
            if skipped is not None:
                fixes, confirmed = found.first([edit for edit in likeliest if edit.first in skipped])
    except OutOfTimeError:
        return None
    is_all = suspect.wrong in confirmed.values()
    if not 1 <= len(confirmed) <= (TOLD if is_all else 1):
        return None
    lines = {edit.line for edit in confirmed}
    alike = (each for each in fixes if each not in confirmed and each.line in lines)
    names = frozenset(name for each in confirmed.values() for name in each)
    return Fix(outline=seen, edits=(*confirmed, *alike), cases=names, is_all=is_all)


def _start_process(suspect: Suspect, cases: Mapping[str, EvaluatedCase]) -> None:
    """Open the submission once, to start the process of the search. On a busy machine, starting a process takes
    seconds, which should not count as time of the search.
    """
    first = next(iter(cases.values()))
    suspect.worker.load({SUBMISSION: suspect.built.program}).open(first.plan)
    suspect.worker.close()


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search with a deadline. `graded` are the edits that were graded as separate texts."""

    suspect: Suspect
    seen: Outline
    cases: Mapping[str, EvaluatedCase]
    is_clean: IsClean
    ends: float
    graded: Fixes = field(default_factory=dict)

    def first(self, likeliest: Sequence[Edit]) -> tuple[Fixes, Fixes]:
        """The fixes among these edits on little cases, and the confirmed ones: up to the first that fixes everything,
        or all.
        """
        fixes: Fixes = {}
        confirmed: Fixes = {}
        for fixes in self.rounds(likeliest):
            confirmed = self.confirmed(fixes)
            if self.suspect.wrong in confirmed.values():
                break
        return fixes, confirmed

    def rounds(self, likeliest: Sequence[Edit]) -> Iterator[Fixes]:
        """Yield the best fixes so far on little cases: each time a schema has an edit that fixes everything, and at the
        end. The likeliest edits come first.
        """
        suspect = self.suspect
        wrong = suspect.wrong & self.cases.keys()
        fixes: Fixes = {}
        own = Unchanged()
        for place in range(SMALLEST):
            for schema in mutant_schemas(self.seen, likeliest):
                evaluator = Evaluator(
                    worker=suspect.worker,
                    cases=self.cases,
                    ends=self.ends,
                    schema=schema,
                    types=suspect.built.program.types,
                    unchanged=own if schema.outline is self.seen else Unchanged(),
                )
                try:
                    found = evaluated_fixes(evaluator, suspect, place) if evaluator.open() else {}
                finally:
                    evaluator.close()
                fixes |= found
                if any(wrong <= names for names in found.values()):
                    yield best_of(fixes)
            if fixes:
                break
        yield best_of(fixes)

    def confirmed(self, fixes: Fixes) -> Fixes:
        """The best of these fixes: for each line, the first edit that is still a fix when it is graded as a separate
        text, and that is clean. The result is empty if there are many lines. An edit of a condition does not count if
        there is also an edit of its statement, because it may only skip the statement.
        """
        by_line: dict[int, list[Edit]] = defaultdict(list)
        for edit in fixes:
            by_line[edit.line].append(edit)
        if len(by_line) > LINES:
            return {}
        found: Fixes = {}
        for of_line in sorted(by_line.values(), key=lambda edits: bool(self.statement(edits[0]))):
            may_skip = any(each.first in self.statement(of_line[0]) for each in found)
            first = None if may_skip else next(filter(self._fixed, of_line[:PER_LINE]), None)
            if first is not None:
                found[first] = self._fixed(first)
        return best_of(found)

    def statement(self, edit: Edit) -> range:
        """The tokens of the statement that the edited condition decides about; empty for other edits."""
        function = next(each for each in self.seen.functions if each.body[0] < edit.first < each.body[1])
        if edit.region.role not in {"condition", "loop condition"}:
            return range(0)
        guards = Guards(values=Values(outline=self.seen, function=function, calls={}))
        first, last = guards.statement(edit.region)
        return range(first, last + 1)

    def skips(self, edit: Edit) -> bool:
        """True if a fix of a condition may only skip the statement that is wrong: without the statement, all cases are
        right, too. Some kernels then do the same work elsewhere, such as in the loop after an unrolled loop.
        """
        region = edit.region
        if not self.statement(edit) or self._fixed(edit) != self.suspect.wrong:
            return False
        never = dataclasses.replace(
            edit, first=region.first, last=region.last, text="0", span=(region.first, region.last)
        )
        return self._right(never) == self.suspect.wrong

    def _fixed(self, edit: Edit) -> set[str]:
        """The wrong cases that an edit makes right; empty if there are too few, if the edit breaks a right case, or if
        its simulated run is not clean.
        """
        if edit not in self.graded:
            names, wrong = self._right(edit), self.suspect.wrong
            is_clean = bool(names) and self.is_clean(_edited(self.suspect.built, self.seen, edit), names == wrong)
            self.graded[edit] = names if is_clean else set()
        return self.graded[edit]

    def _right(self, edit: Edit) -> set[str]:
        """The wrong cases that an edit makes right, without a run in the simulator."""
        suspect = self.suspect
        right = {each.case.name for each in self._graded(edit) if each.check.verdict is Verdict.PASSED}
        fixed, is_worse = right & suspect.wrong, not suspect.right.keys() - suspect.wrong <= right
        return set() if is_worse or len(fixed) < min(FEW, len(suspect.wrong)) else fixed

    def _graded(self, edit: Edit) -> list[Tried]:
        """The graded cases of the text with this edit; empty if they take too long."""
        built, worker = _edited(self.suspect.built, self.seen, edit), self.suspect.worker
        cases = tuple(case for case in built.task.assignment.correctness.shown if case.name in self.suspect.right)
        allowed = text_seconds(self.suspect.seconds)
        last = self.ends + allowed
        ends = min(last, perf_counter() + allowed)
        graded: list[Tried] = []
        with worker.load({SUBMISSION: built.program}).timeouts.hurried(max(0.1, ends - perf_counter())):
            for each in try_cases(cases, built, self.suspect.oracle, worker):
                graded.append(each)
                if perf_counter() > ends:
                    worker.stop()
                    graded.clear()
                    break
        if perf_counter() > last:
            raise OutOfTimeError
        return graded


def _edited(built: Built, seen: Outline, edit: Edit) -> Built:
    return dataclasses.replace(built, program=replace(built.program, source=edited(seen, edit)))
