"""Orders edits by how suspicious their kernels are, for programs with several kernels.

A kernel is most suspicious if it is wrong alone, or runs only in wrong cases. A kernel that is right alone is less
suspicious than others. A kernel that does not run in the smallest wrong case comes last, because its edits cannot
correct this case.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.grading.search.edits.sites import Edit
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline

SUSPICIOUS, UNKNOWN, UNSUSPICIOUS, ABSENT = range(4)
"""Ranks of kernels, from the most to the least suspicious."""


@dataclass(frozen=True, kw_only=True)
class KernelRun:
    """A case with the kernels that it launches. `is_alone` is true if one kernel runs with correct inputs."""

    kernels: frozenset[str]
    is_alone: bool
    is_right: bool


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
