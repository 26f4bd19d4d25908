"""The search: which edits mend the cases that are wrong, break none that are right, and are they all in one line?

An edit that mends the smallest wrong cases is tried on all that are shown, from the smallest up. One that is left runs
on the simulator, too, where nothing may go wrong. A submission that is wrong in two places is told about an edit that
mends some of its cases, if these are at least `FEW` and no other line's edits mend as many. Hidden cases have no part
in any of this.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from grader.common.record import Record, replace
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.grading.checks.building import Built
from grader.grading.checks.correctness import trial_of
from grader.grading.search.edits import Edit, edits
from grader.grading.search.outline import outline
from grader.grading.search.switchboard import UNCHANGED, edited
from grader.grading.search.telling import Mended
from grader.grading.search.trying import OutOfTimeError, TriedCase, Tryout, tried_case

EDITS_PER_SECOND = 80
"""That can be tried, about; more of them than there is time for would be compiled for nothing."""

SMALLEST = 3
"""So many of the smallest wrong cases are tried with every edit, until one mends a case."""

FEW = 3


class SearchRules(Record):
    """How long a search may take, in seconds."""

    seconds: float = 5.0


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
    ends = perf_counter() + rules.seconds
    kernels = [binding.name for binding in suspect.built.bindings.values()]
    seen = outline(suspect.built.program.source, kernels)
    if seen is None:
        return None
    found = edits(seen, most=int(rules.seconds * EDITS_PER_SECOND))
    cases = {each.name: each for each in _cases(suspect)}
    tryout = Tryout(worker=suspect.worker, cases=cases, edits=found, ends=ends)
    with suspect.worker.hurried(rules.seconds):
        try:
            if not tryout.build(seen):
                return None
            mended = _mended(tryout, suspect)
        except OutOfTimeError:
            return None
        finally:
            tryout.close()
    wrong = frozenset(name for name, is_right in suspect.right.items() if not is_right)
    helping = [tryout.edits[number - 1] for number in mended]
    if len({edit.line for edit in helping}) != 1:
        return None
    first = next((edit for edit in helping if is_clean(_with(suspect.built, edited(seen, edit)))), None)
    if first is None:
        return None
    healed = frozenset().union(*mended.values())
    return Mended(outline=seen, edits=_first(first, helping), cases=healed, is_all=healed == wrong)


def _first(first: Edit, helping: Sequence[Edit]) -> tuple[Edit, ...]:
    return (first, *(each for each in helping if each is not first))


def _with(built: Built, text: str) -> Built:
    return replace(built, program=replace(built.program, source=text))


def _cases(suspect: Suspect) -> list[TriedCase]:
    """The cases that count and are shown, from the smallest up."""
    built = suspect.built
    assignment = built.task.assignment
    shown = (case for case in assignment.correctness.shown if case.name in suspect.right)
    tried = (tried_case(assignment, case, trial_of(built, suspect.oracle, case), built.bindings) for case in shown)
    return sorted(tried, key=lambda each: each.size)


def _mended(tryout: Tryout, suspect: Suspect) -> dict[int, set[str]]:
    """The edits that mend the most cases and break none, each with the cases that it mends."""
    wrong = [name for name in tryout.cases if not suspect.right[name]]
    if tryout.right(wrong[0], [UNCHANGED]):
        return {}  # its mistake shows only when it is compiled in another way
    mended: dict[int, set[str]] = {}
    for name in wrong:
        numbers = mended or (range(1, len(tryout.edits) + 1) if name in wrong[:SMALLEST] else ())
        for number in tryout.right(name, list(numbers)):
            mended.setdefault(number, set()).add(name)
    most = max(map(len, mended.values()), default=0)
    if most < min(FEW, len(wrong)):
        return {}
    numbers = [number for number, names in mended.items() if len(names) == most]
    for name in tryout.cases:
        if suspect.right[name]:
            numbers = tryout.right(name, numbers)
    return {number: mended[number] for number in numbers}
