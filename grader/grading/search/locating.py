"""The search: which edits mend the cases that are wrong, break none that are right, and are they all in one line?

An edit that mends the smallest wrong cases is tried on all that are shown, from the smallest up. One that is left runs
on the simulator, too, where nothing may go wrong. A submission that is wrong in two places is told about an edit that
mends some of its cases, if these are at least `FEW` and no other line's edits mend as many. Hidden cases have no part
in any of this.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from pydantic import Field

from grader.common.record import Record, replace
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import trial_of
from grader.grading.search.edits import edits
from grader.grading.search.outline import Outline, outline
from grader.grading.search.switchboard import UNCHANGED, edited
from grader.grading.search.telling import Mended
from grader.grading.search.trying import OutOfTimeError, TriedCase, Tryout, tried_case

EDITS_PER_SECOND = 60
"""That can be tried, about; more of them than there is time for would be compiled for nothing."""

SMALLEST = 2
"""So many of the smallest wrong cases are tried with every edit, until one mends a case."""

FEW = 3


class SearchRules(Record):
    """How long a search may take, in seconds."""

    seconds: float = Field(default=5.0, gt=0)


Clean = Callable[[Built], bool]
"""Whether nothing goes wrong in a simulated run of a program."""


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A submission that builds, and whether each case that is shown, and counts, is right."""

    built: Built
    oracle: Oracle
    worker: Worker
    right: Mapping[str, bool]


def search(suspect: Suspect, rules: SearchRules, is_clean: Clean) -> Mended | None:
    """The edits that mend it, if they are all in one line; None too if there was no time to try all edits."""
    kernels = [binding.name for binding in suspect.built.bindings.values()]
    seen = outline(suspect.built.program.source, kernels)
    if seen is None:
        return None
    tryout = Tryout(
        worker=suspect.worker,
        cases={each.name: each for each in _cases(suspect)},
        edits=edits(seen, most=int(rules.seconds * EDITS_PER_SECOND)),
        ends=perf_counter() + rules.seconds,
    )
    mended = _tried(tryout, seen, suspect)
    helping = [tryout.edits[number - 1] for number in mended]
    if len({edit.line for edit in helping}) != 1:
        return None
    clean = next((edit for edit in helping if is_clean(_with(suspect.built, edited(seen, edit)))), None)
    if clean is None:
        return None
    cases = frozenset[str]().union(*mended.values())
    others = [edit for edit in helping if edit is not clean]
    is_all = len(cases) == len(_wrong(suspect))
    return Mended(outline=seen, edits=(clean, *others), cases=cases, is_all=is_all)


def _tried(tryout: Tryout, seen: Outline, suspect: Suspect) -> dict[int, set[str]]:
    """What comes of all edits: those that help, each with the cases that it mends."""
    with tryout.worker.hurried(max(1.0, tryout.ends - perf_counter())):
        try:
            return _mended(tryout, suspect) if tryout.build(seen) else {}
        except OutOfTimeError:
            return {}
        finally:
            tryout.close()


def _cases(suspect: Suspect) -> list[TriedCase]:
    """The cases that count and are shown, from the smallest up."""
    built, assignment = suspect.built, suspect.built.task.assignment
    tried = (
        tried_case(assignment, case, trial_of(case, built, suspect.oracle), built.bindings)
        for case in assignment.correctness.shown
        if case.name in suspect.right
    )
    return sorted(tried, key=lambda each: each.size)


def _wrong(suspect: Suspect) -> set[str]:
    return {name for name, is_right in suspect.right.items() if not is_right}


def _with(built: Built, text: str) -> Built:
    return replace(built, program=replace(built.program, source=text))


def _mended(tryout: Tryout, suspect: Suspect) -> dict[int, set[str]]:
    """The edits that mend the most cases and break none, each with the cases that it mends."""
    wrong = [name for name in tryout.cases if not suspect.right[name]]
    if tryout.right(wrong[0], [UNCHANGED]):
        return {}  # its mistake shows only when it is compiled in another way
    mended: dict[int, set[str]] = {}
    for place, name in enumerate(wrong):
        every = range(1, len(tryout.edits) + 1) if place < SMALLEST else range(0)
        for number in tryout.right(name, tuple(mended) or every):
            mended.setdefault(number, set()).add(name)
    most = max(map(len, mended.values()), default=0)
    helping = [number for number, names in mended.items() if len(names) == most >= min(FEW, len(wrong))]
    for name in tryout.cases:
        if suspect.right[name]:
            helping = tryout.right(name, helping)
    return {number: mended[number] for number in helping}
