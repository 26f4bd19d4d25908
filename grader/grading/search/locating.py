"""The search: which edits mend the cases that are wrong, break none that are right, and are they all in one line?

Each edit is tried on the smallest wrong case, and what mends that on all that are shown: some hundred edits together,
the likeliest first, until one mends everything. What is left runs on the simulator, too, where nothing may go wrong. A
submission that is wrong in two places is told about an edit that mends some of its cases, if these are at least `FEW`
and no other line's edits mend as many. Hidden cases have no part in any of this.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from pydantic import Field

from grader.common.record import Record, replace
from grader.course.rubric import Case
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import trial_of
from grader.grading.checks.inspection import make_trial
from grader.grading.checks.sanitizer import NUMBER
from grader.grading.checks.simulated_run import SIMULATION_KEY
from grader.grading.search.edits import edits
from grader.grading.search.outline import Outline
from grader.grading.search.reading import outline
from grader.grading.search.sites import Edit
from grader.grading.search.switchboard import edited, switchboards
from grader.grading.search.telling import Mended
from grader.grading.search.trying import OutOfTimeError, TriedCase, Tryout, tried_case

EDITS_PER_SECOND = 100
"""That can be tried, about; more of them than there is time for would be compiled for nothing."""

SMALLEST = 2
"""So many of the smallest wrong cases are tried with every edit, until one mends a case."""

FEW = 3

SIMULATED = "in the simulator"
"""The case of the simulator's sizes, which is no case of the assignment."""


class SearchRules(Record):
    """How long a search may take, in seconds; 0 leaves it out."""

    seconds: float = Field(default=5.0, ge=0)


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
    try:
        helping = _helping(suspect, seen, rules.seconds)
    except OutOfTimeError:
        return None
    if len({edit.line for edit in helping}) != 1:
        return None
    cases = frozenset[str]().union(*helping.values()) & suspect.right.keys()
    is_all = cases == suspect.wrong
    clean = next((edit for edit in helping if is_clean(_edited(suspect.built, seen, edit), is_all)), None)
    if clean is None:
        return None
    others = [edit for edit in helping if edit is not clean]
    return Mended(outline=seen, edits=(clean, *others), cases=cases, is_all=is_all)


def _helping(suspect: Suspect, seen: Outline, seconds: float) -> Helping:
    """What comes of the edits, the likeliest first, until a program of them has one that mends everything."""
    ends = perf_counter() + seconds
    cases = {each.case.name: each for each in _cases(suspect)}
    helping: Helping = {}
    for board in switchboards(seen, edits(seen, most=int(seconds * EDITS_PER_SECOND))):
        tryout = Tryout(worker=suspect.worker, cases=cases, ends=ends, board=board)
        try:
            helping |= _tried(tryout, suspect) if tryout.open() else {}
        finally:
            tryout.close()
        if any(suspect.wrong <= names for names in helping.values()):
            break
    return _those_of_most(helping)


def _tried(tryout: Tryout, suspect: Suspect) -> Helping:
    """What comes of the edits of a program."""
    right = {name: suspect.right[name] if name in suspect.right else tryout.is_right(name) for name in tryout.cases}
    wrong = [name for name in tryout.cases if not right[name]]
    mended: Helping = defaultdict(set)
    for place, name in enumerate(wrong):
        every = tryout.edits if place < SMALLEST else []
        for edit in tryout.right(name, list(mended) or every):
            mended[edit].add(name)
    helping = {edit: names for edit, names in _those_of_most(mended).items() if len(names) >= min(FEW, len(wrong))}
    for name in tryout.cases:
        if right[name]:
            helping = {edit: helping[edit] for edit in tryout.right(name, helping)}
    return helping


def _those_of_most(mended: Helping) -> Helping:
    most = max(map(len, mended.values()), default=0)
    return {edit: names for edit, names in mended.items() if len(names) == most}


def _cases(suspect: Suspect) -> list[TriedCase]:
    """The cases that count and are shown, from the smallest up, and the one that was simulated: it is often smaller."""
    built, oracle = suspect.built, suspect.oracle
    asked = built.task.assignment
    trials = [(case, trial_of(case, built, oracle)) for case in asked.correctness.shown if case.name in suspect.right]
    if asked.sanitizer is not None and not asked.sanitizer.hidden:
        case = Case(name=SIMULATED, sizes=asked.sanitizer.sizes)
        key = (built.task.seed, SIMULATION_KEY, NUMBER)
        trials.append((case, make_trial(asked, oracle, case.sizes, case.data, key)))
    tried = (tried_case(asked, case, trial, built.bindings) for case, trial in trials)
    return sorted(tried, key=lambda each: each.size)


def _edited(built: Built, seen: Outline, edit: Edit) -> Built:
    return replace(built, program=replace(built.program, source=edited(seen, edit)))
