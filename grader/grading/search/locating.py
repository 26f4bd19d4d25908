"""The search: which edits mend the cases that are wrong, break none that are right, and are they all in one line?

Each edit is tried on the smallest wrong case, and what mends that on all that are little: some hundred edits together,
the likeliest first, until one mends everything. What is left is graded as a text of its own, on every case that is
shown, and runs on the simulator, where nothing may go wrong. A submission that is wrong in two places is told about an
edit that mends some of its cases, if these are at least `FEW` and no other line's edits mend as many. Hidden cases have
no part in any of this.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from time import perf_counter

from grader.common.record import replace
from grader.course.rubric import Case
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.execution.plan import SUBMISSION
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import Tried, trial_of, try_cases
from grader.grading.checks.inspection import make_trial
from grader.grading.checks.sanitizer import NUMBER
from grader.grading.checks.simulated_run import SIMULATION_KEY
from grader.grading.rules import SearchRules
from grader.grading.search.edits import edits
from grader.grading.search.sites import Edit
from grader.grading.search.switchboard import edited, switchboards
from grader.grading.search.telling import Mended
from grader.grading.search.trying import OutOfTimeError, TriedCase, Tryout, tried_case
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.results.result import Verdict

EDITS_PER_SECOND = 400
"""That can be tried, about; more of them than there is time for would be compiled for nothing."""

CONFIRMING = 3.0
"""Seconds more to grade what helps as a text of its own: a second each, most of it for the compiler."""

SMALLEST = 2
"""Of so many of the smallest wrong cases each is tried with every edit, the next one only if no edit mends the last."""

FEW = 3

LITTLE = 2**16
"""The product of the sizes of a case that every edit may be tried on. Their program is slow: it is not optimised, and
compares numbers wherever it could be edited.
"""

PER_LINE, LINES = 3, 3
"""So many edits of so many lines are graded as texts of their own."""

SIMULATED = "in the simulator"
"""The case of the simulator's sizes, which is no case of the assignment."""


IsClean = Callable[[Built, bool], bool]
"""Whether nothing goes wrong in a simulated run of a program that is said to be right, or right in some cases."""

Helping = dict[Edit, set[str]]
"""Edits that mend the most cases and break none, each with the cases that it mends."""


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A submission that builds, and whether each case that is shown, and counts, is right."""

    built: Built
    oracle: Oracle
    worker: Worker
    right: Mapping[str, bool]

    @property
    def wrong(self) -> set[str]:
        """The names of the cases that are wrong."""
        return {name for name, is_right in self.right.items() if not is_right}


def search(suspect: Suspect, rules: SearchRules, is_clean: IsClean) -> Mended | None:
    """The edits that mend it, if they are all in one line; None too if there was no time to find that out."""
    seen = outline(suspect.built.program.source, [binding.name for binding in suspect.built.bindings.values()])
    if seen is None:
        return None
    found = Search(suspect=suspect, seen=seen, is_clean=is_clean, ends=perf_counter() + rules.seconds)
    helping: Helping = {}
    confirmed: Helping = {}
    try:
        with suspect.worker.in_one_process():
            for helping in found.rounds(most=int(rules.seconds * EDITS_PER_SECOND)):
                confirmed = found.confirmed(helping)
                if suspect.wrong in confirmed.values():
                    break
    except OutOfTimeError:
        return None
    if len(confirmed) != 1:
        return None
    ((edit, names),) = confirmed.items()
    alike = (each for each in helping if each is not edit and each.line == edit.line)
    return Mended(outline=seen, edits=(edit, *alike), cases=frozenset(names), is_all=names == suspect.wrong)


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search that must end at some time; `graded` are the edits that were graded as texts of their own."""

    suspect: Suspect
    seen: Outline
    is_clean: IsClean
    ends: float
    graded: Helping = field(default_factory=dict)

    def rounds(self, most: int) -> Iterator[Helping]:
        """What comes of so many edits on little cases, the likeliest first: whenever a program of them has one that
        mends everything, and at the end.
        """
        suspect = self.suspect
        cases = {each.case.name: each for each in _cases(suspect)}
        wrong = suspect.wrong & cases.keys()
        tried = edits(self.seen, most=most)
        helping: Helping = {}
        for place in range(SMALLEST):
            for board in switchboards(self.seen, tried):
                tryout = Tryout(worker=suspect.worker, cases=cases, ends=self.ends, board=board)
                try:
                    found = _tried(tryout, suspect, place) if tryout.open() else {}
                finally:
                    tryout.close()
                helping |= found
                if any(wrong <= names for names in found.values()):
                    yield _those_of_most(helping)
            if helping:
                break
        yield _those_of_most(helping)

    def confirmed(self, helping: Helping) -> Helping:
        """Of each line the first edit that helps when it is graded as a text of its own, and is clean; of these, those
        that mend the most. None if the lines are many.
        """
        by_line: dict[int, list[Edit]] = defaultdict(list)
        for edit in helping:
            by_line[edit.line].append(edit)
        if len(by_line) > LINES:
            return {}
        firsts = (next(filter(self._mended, of_line[:PER_LINE]), None) for of_line in by_line.values())
        return _those_of_most({edit: self._mended(edit) for edit in firsts if edit is not None})

    def _mended(self, edit: Edit) -> set[str]:
        """The wrong cases that are right with it; none if these are few, a right one is wrong, or it is not clean."""
        if edit not in self.graded:
            names, wrong = self._right(edit), self.suspect.wrong
            is_clean = bool(names) and self.is_clean(_edited(self.suspect.built, self.seen, edit), names == wrong)
            self.graded[edit] = names if is_clean else set()
        return self.graded[edit]

    def _right(self, edit: Edit) -> set[str]:
        """The same, without a look in the simulator."""
        suspect = self.suspect
        right = {each.case.name for each in self._graded(edit) if each.check.verdict is Verdict.PASSED}
        mended, is_worse = right & suspect.wrong, not suspect.right.keys() - suspect.wrong <= right
        return set() if is_worse or len(mended) < min(FEW, len(suspect.wrong)) else mended

    def _graded(self, edit: Edit) -> Iterator[Tried]:
        """The cases of the text with this edit."""
        built, worker = _edited(self.suspect.built, self.seen, edit), self.suspect.worker
        cases = tuple(case for case in built.task.assignment.correctness.shown if case.name in self.suspect.right)
        ends = self.ends + CONFIRMING
        with worker.load({SUBMISSION: built.program}).hurried(max(0.1, ends - perf_counter())):
            for each in try_cases(cases, built, self.suspect.oracle, worker):
                if perf_counter() > ends:
                    worker.stop()
                    raise OutOfTimeError
                yield each


def _tried(tryout: Tryout, suspect: Suspect, place: int) -> Helping:
    """What comes of the edits of a program that mend the wrong case at this place, counted from the smallest."""
    right = {name: suspect.right[name] if name in suspect.right else tryout.is_right(name) for name in tryout.cases}
    wrong = [name for name in tryout.cases if not right[name]]
    wrong = wrong[place:] + wrong[:place]
    mended = _mending(tryout, wrong, _worth_trying(tryout, wrong, right))
    helping = {edit: names for edit, names in _those_of_most(mended).items() if len(names) >= min(FEW, len(wrong))}
    for name in tryout.cases:
        if right[name]:
            helping = {edit: helping[edit] for edit in tryout.right(name, helping)}
    return helping


def _worth_trying(tryout: Tryout, wrong: Sequence[str], right: Mapping[str, bool]) -> list[Edit]:
    """All edits; where the first wrong case cannot be tried with many at once, those that break no case that can."""
    edits = tryout.edits
    if not tryout.is_quick(wrong[0]):
        for name in (each for each in tryout.cases if right[each] and tryout.is_quick(each)):
            edits = [*tryout.likely(name, edits)]
    return edits


def _mending(tryout: Tryout, wrong: Sequence[str], edits: Sequence[Edit]) -> Helping:
    """Of these edits, those that mend the first wrong case, with all that they mend: only those that mend all, if there
    are any.
    """
    first, *others = wrong
    mended: Helping = {edit: {first} for edit in tryout.right(first, edits)}
    whole = [*mended]
    for name in others:
        whole = tryout.right(name, whole)
    if whole:
        return {edit: set(wrong) for edit in whole}
    for name in others:
        for edit in tryout.right(name, mended):
            mended[edit].add(name)
    return mended


def _those_of_most(mended: Helping) -> Helping:
    most = max(map(len, mended.values()), default=0)
    return {edit: names for edit, names in mended.items() if len(names) == most}


def _cases(suspect: Suspect) -> list[TriedCase]:
    """The little cases that count and are shown, from the smallest up, and the one that was simulated: it is often
    smaller. Where none of them is wrong, the smallest wrong one is among them.
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
    tried = (tried_case(asked, case, trial, built.bindings) for case, trial in trials)
    return sorted(tried, key=lambda each: _size(each.case))


def _size(case: Case) -> int:
    """How much there is to do, about."""
    return prod(case.sizes.values())


def _edited(built: Built, seen: Outline, edit: Edit) -> Built:
    return replace(built, program=replace(built.program, source=edited(seen, edit)))
