"""Edits that fix wrong cases of a submission without breaking right ones, evaluated together on little cases."""

from collections.abc import Collection, Mapping, Sequence

from grader.grading.search.edits.sites import Edit
from grader.grading.search.evaluator import Evaluator
from grader.grading.search.suspect import Suspect

SURE = 4
"""Number of the smallest cases on which even a few edits are evaluated together. On a large case, a schema can take
seconds, because it is not optimised.
"""


FEW = 3
"""Minimum number of wrong cases that an edit must fix. If there are fewer wrong cases, it must fix all of them."""


PER_LINE, LINES = 3, 3
"""Maximum number of edits per line, and of lines, that are graded as separate texts."""


Fixes = dict[Edit, set[str]]
"""Edits that do not break any case, each with the wrong cases that it fixes."""


def evaluated_fixes(evaluator: Evaluator, suspect: Suspect, place: int) -> Fixes:
    """The best fixes of a schema among the edits that fix the wrong case at this position, counted from
    the smallest.
    """
    right = {
        name: suspect.right[name] if name in suspect.right else evaluator.is_right(name) for name in evaluator.cases
    }
    wrong = [name for name in evaluator.cases if not right[name]]
    wrong = wrong[place:] + wrong[:place]
    fixed = fixes_of(evaluator, wrong, _candidates(evaluator, wrong, right))
    fixes = {edit: names for edit, names in best_of(fixed).items() if len(names) >= min(FEW, len(wrong))}
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


def best_of(fixed: Fixes) -> Fixes:
    """The edits that fix the most cases."""
    most = max(map(len, fixed.values()), default=0)
    return {edit: names for edit, names in fixed.items() if len(names) == most}
