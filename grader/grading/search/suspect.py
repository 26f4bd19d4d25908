"""A submission that builds and is wrong, its cases on which edits are evaluated, and the order of the edits.

In programs with several kernels, edits are ordered by how suspicious their kernels are. A kernel is most suspicious if
it is wrong alone, or runs only in wrong cases. A kernel that is right alone is less suspicious than others. A kernel
that does not run in the smallest wrong case comes last, because its edits cannot correct this case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from grader.course.assignment import Assignment
from grader.course.criteria import Case
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import trial_of
from grader.grading.checks.simulation.sanitizer_run import NUMBER
from grader.grading.checks.simulation.simulated_run import SIMULATION_KEY
from grader.grading.checks.trials.trial import make_trial
from grader.grading.search.edits.sites import Edit
from grader.grading.search.evaluated_case import EvaluatedCase, evaluated_case
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline

LITTLE = 2**16
"""Maximum product of the sizes of a small case, on which every edit may be evaluated. A mutant schema is slow because
it is not optimised and compares numbers at every place that can be edited.
"""


SIMULATED = "in the simulator"
"""Name of the case with the sizes of the sanitizer check, which is not a case of the assignment."""


SUSPICIOUS, UNKNOWN, UNSUSPICIOUS, ABSENT = range(4)
"""Ranks of kernels, from the most to the least suspicious."""


@dataclass(frozen=True, kw_only=True)
class KernelRun:
    """A case with the kernels that it launches. `is_alone` is true if one kernel runs with correct inputs."""

    kernels: frozenset[str]
    is_alone: bool
    is_right: bool


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


def small_cases(suspect: Suspect) -> list[EvaluatedCase]:
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


def kernel_runs(suspect: Suspect) -> list[KernelRun]:
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


def suspicious_first(edits: Sequence[Edit], seen: Outline, runs: Sequence[KernelRun]) -> list[Edit]:
    """Sort the edits by the suspicion of their kernels, the most suspicious first. `runs` are sorted by their sizes. An
    edit of a function belongs to the most suspicious kernel that calls the function.
    """
    ranks = {name: _rank(name, runs) for name in seen.kernels}
    if len(set(ranks.values())) < 2:
        return list(edits)
    of_places: dict[int, int] = {}
    for name, rank in ranks.items():
        own = outline(seen.text, [name])
        for region in own.regions if own is not None else ():
            of_places[region.first] = min(rank, of_places.get(region.first, ABSENT))
    return sorted(edits, key=lambda edit: of_places.get(edit.region.first, ABSENT))


def _rank(kernel: str, runs: Sequence[KernelRun]) -> int:
    first = next((each for each in runs if not each.is_right), None)
    mine = [each for each in runs if kernel in each.kernels]
    if first is None or first not in mine:
        return ABSENT
    alone = [each.is_right for each in mine if each.is_alone]
    if alone:
        return UNSUSPICIOUS if all(alone) else SUSPICIOUS
    return UNKNOWN if any(each.is_right for each in mine) else SUSPICIOUS
