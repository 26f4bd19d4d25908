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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from time import perf_counter

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Case
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.execution.plan import SUBMISSION
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import Tried, trial_of, try_cases
from grader.grading.checks.inspection import make_trial
from grader.grading.checks.sanitizer_run import NUMBER
from grader.grading.checks.simulated_run import SIMULATION_KEY
from grader.grading.rules import SearchRules
from grader.grading.search.edits import edits
from grader.grading.search.evaluator import EvaluatedCase, Evaluator, OutOfTimeError, Unchanged, evaluated_case
from grader.grading.search.hint import Fix
from grader.grading.search.mutant_schema import edited, mutant_schemas
from grader.grading.search.sites import Edit
from grader.grading.search.suspicion import KernelRun, suspicious_first
from grader.grading.source.guards import Guards
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.grading.source.values import Values
from grader.results.check import Verdict

EDITS_PER_SECOND = 400
"""Approximate number of edits that are evaluated per second. Compiling more edits than fit into the available time
would be a waste.
"""

PER_TEXT, SLOWER = 3.0, 2.0
"""The maximum number of seconds to grade a separate text, and a factor. Grading usually takes about a second, most of
it for the compiler. On a busy machine, it may take this many times as long as the submission did. A text that takes
longer is not a fix, for example because a loop is endless.
"""

SURE = 4
"""Number of the smallest cases on which even a few edits are evaluated together. On a large case, a schema can take
seconds, because it is not optimised.
"""

SMALLEST = 2
"""Number of the smallest wrong cases on which every edit is evaluated. The next case is used only if no edit fixes the
one before it.
"""

FEW = 3
"""Minimum number of wrong cases that an edit must fix. If there are fewer wrong cases, it must fix all of them."""

LITTLE = 2**16
"""Maximum product of the sizes of a small case, on which every edit may be evaluated. A mutant schema is slow because
it is not optimised and compares numbers at every place that can be edited.
"""

PER_LINE, LINES = 3, 3
"""Maximum number of edits per line, and of lines, that are graded as separate texts."""

TOLD = 2
"""Most lines that a hint names."""

SIMULATED = "in the simulator"
"""Name of the case with the sizes of the sanitizer check, which is not a case of the assignment."""


def text_seconds(own: float) -> float:
    """Maximum number of seconds to grade a separate text, and to confirm fixes after the search. `own` is the number of
    seconds that the submission's cases took.
    """
    return max(PER_TEXT, SLOWER * own)


IsClean = Callable[[Built, bool], bool]
"""Function that returns True if a simulated run of a program does not find a mistake. The flag is true if the program
should be right in all cases, and false if only in some.
"""

Fixes = dict[Edit, set[str]]
"""Edits that do not break any case, each with the wrong cases that it fixes."""


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A submission that builds. `right` maps each shown case that counts to True if it is right. `seconds` is the time
    that its cases took.
    """

    built: Built
    oracle: Oracle
    worker: Worker
    right: Mapping[str, bool]
    seconds: float = 0.0

    @property
    def wrong(self) -> set[str]:
        """The names of the wrong cases."""
        return {name for name, is_right in self.right.items() if not is_right}


def search(suspect: Suspect, rules: SearchRules, is_clean: IsClean) -> Fix | None:
    """The edits that fix the submission, if they are all in one line, or in two lines and each fixes everything. None
    if they are not, or if the time runs out.
    """
    seen = outline(suspect.built.program.source, [binding.name for binding in suspect.built.bindings.values()])
    if seen is None:
        return None
    cases = {each.case.name: each for each in _cases(suspect)}
    likely = edits(seen, most=int(rules.seconds * EDITS_PER_SECOND))
    likeliest = suspicious_first(likely, seen, _runs(suspect))
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
                    found = _evaluate(evaluator, suspect, place) if evaluator.open() else {}
                finally:
                    evaluator.close()
                fixes |= found
                if any(wrong <= names for names in found.values()):
                    yield _best(fixes)
            if fixes:
                break
        yield _best(fixes)

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
        return _best(found)

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


def _evaluate(evaluator: Evaluator, suspect: Suspect, place: int) -> Fixes:
    """The best fixes of a schema among the edits that fix the wrong case at this position, counted from
    the smallest.
    """
    right = {
        name: suspect.right[name] if name in suspect.right else evaluator.is_right(name) for name in evaluator.cases
    }
    wrong = [name for name in evaluator.cases if not right[name]]
    wrong = wrong[place:] + wrong[:place]
    fixed = fixes_of(evaluator, wrong, _candidates(evaluator, wrong, right))
    fixes = {edit: names for edit, names in _best(fixed).items() if len(names) >= min(FEW, len(wrong))}
    for number, name in enumerate(name for name in evaluator.cases if right[name]):
        if _are_sure(fixes, number):
            break
        fixes = {edit: fixes[edit] for edit in evaluator.right(name, fixes)}
    return fixes


def _are_sure(edits: Collection[Edit], number: int) -> bool:
    """True if few edits are left after this number of cases. On larger cases, it is then faster to run each edit as a
    separate text.
    """
    return number >= SURE and len(edits) <= PER_LINE


def _candidates(evaluator: Evaluator, wrong: Sequence[str], right: Mapping[str, bool]) -> list[Edit]:
    """The edits to evaluate. If the first wrong case cannot be evaluated in batches, edits that break a right case that
    can are left out.
    """
    edits = evaluator.edits
    if not evaluator.is_batchable(wrong[0]):
        for name in (each for each in evaluator.cases if right[each] and evaluator.is_batchable(each)):
            edits = [*evaluator.likely(name, edits)]
    return edits


def fixes_of(evaluator: Evaluator, wrong: Sequence[str], edits: Sequence[Edit]) -> Fixes:
    """The edits that fix the first wrong case, each with all cases that it fixes. If some edits fix all cases, only
    these are returned.
    """
    first, *others = wrong
    fixed: Fixes = {edit: {first} for edit in evaluator.right(first, edits)}
    whole = [*fixed]
    for number, name in enumerate(others, start=1):
        if _are_sure(whole, number):
            break
        whole = evaluator.right(name, whole)
    if whole:
        return {edit: set(wrong) for edit in whole}
    for name in others:
        for edit in evaluator.right(name, fixed):
            fixed[edit].add(name)
    return fixed


def _best(fixed: Fixes) -> Fixes:
    most = max(map(len, fixed.values()), default=0)
    return {edit: names for edit, names in fixed.items() if len(names) == most}


def _cases(suspect: Suspect) -> list[EvaluatedCase]:
    """The small cases that count and are shown, from the smallest up, and the simulated case, which is often smaller.
    The smallest wrong case is always included.
    """
    built, oracle = suspect.built, suspect.oracle
    asked = built.task.assignment
    shown = [case for case in asked.correctness.shown if case.name in suspect.right]
    most = max(LITTLE, min(_size(case) for case in shown if case.name in suspect.wrong))
    trials = [(case, trial_of(case, built, oracle)) for case in shown if _size(case) <= most]
    if asked.sanitizer is not None and not asked.sanitizer.hidden:
        case = Case(name=SIMULATED, sizes=asked.sanitizer.sizes)
        key = (built.task.seed, SIMULATION_KEY, NUMBER)
        trials.append((case, make_trial(asked, oracle, case.sizes, case.data, key)))
    cases = (evaluated_case(case, trial, built.bindings) for case, trial in trials)
    return sorted(cases, key=lambda each: _size(each.case))


def _runs(suspect: Suspect) -> list[KernelRun]:
    """The shown cases that count, from the smallest to the largest, with the kernels of the student that each
    launches.
    """
    built, asked = suspect.built, suspect.built.task.assignment
    cases = [case for case in asked.correctness.shown if case.name in suspect.right]
    return [
        KernelRun(
            kernels=frozenset(built.bindings[name].name for name in _launched(asked, case)),
            is_alone=bool(case.alone),
            is_right=suspect.right[case.name],
        )
        for case in sorted(cases, key=_size)
    ]


def _launched(asked: Assignment, case: Case) -> set[str]:
    """The kernels of the student that a case launches."""
    if case.alone:
        return {case.alone}
    launches = (each.launch for each in asked.sequence(case.sizes).launches)
    return {each.kernel for each in launches if each.solution_of is None}


def _size(case: Case) -> int:
    """Approximate amount of work in a case."""
    return prod(case.sizes.values())


def _edited(built: Built, seen: Outline, edit: Edit) -> Built:
    return dataclasses.replace(built, program=replace(built.program, source=edited(seen, edit)))
