"""Compares predictions with cases to decide whether a mistake explains the wrong elements.

A mistake is proposed from one case and compared with all cases. Predictions are compared with the same tolerance as
results. In every failed case, the prediction must be right for nearly all elements that are wrong or predicted to be
wrong, and a right case must not contradict it. Therefore a mistake that fits only one size is never reported.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from grader.course.truth.oracle import Truth
from grader.grading.explain.diagnosis.evidence import (
    EXPLAINED,
    FITTED,
    KNOWN,
    Cases,
    Evidence,
    Explanation,
    Statement,
    Tally,
    Use,
)

SINGLE = 2
"""Minimum number of cases that must support a mistake if the array has a single element that is computed from several.
Such an array does not have other elements to compare.
"""

SEVERAL_CASES = 2
"""Minimum number of failed cases that must agree on a mistake that is not made in all cases."""

MOST = 2
"""Maximum number of mistakes that are reported if the cases do not distinguish them. Three would be a guess."""


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A mistake: the description of its cause, and the array that it predicts for a case (None if it makes no
    prediction).
    """

    cause: str
    predict: Callable[[Evidence], Truth | None]
    use: Use | None = None


Propose = Callable[[Evidence], Iterator[Mistake]]
"""Function that yields the mistakes of one kind that a case suggests."""

Hits = Callable[[Mistake, Evidence], int | None]
"""Function that counts the wrong elements of a case that a mistake explains; None if the case contradicts it."""


def everywhere(propose: Propose, cases: Cases) -> Statement | None:
    """The statement of the mistake that explains all failed cases, or of two mistakes if the cases do not distinguish
    them.
    """
    supported = [mistake for mistake in _proposed(propose, cases) if _is_supported(mistake, cases.failed, _hits)]
    lasting = [each for each in supported if all(_hits(each, case) is not None for case in cases.passed)]
    return partial(_say_everywhere, lasting) if 1 <= len(lasting) <= MOST else None


def in_part(proposals: Iterable[Propose], cases: Cases) -> Statement | None:
    """The statement of the only mistake that explains all wrong elements but is not made everywhere; None if there are
    several.

    If no element of a failed case is right, a second failed case must distinguish the mistake from others.
    """
    if len(cases.failed) < SEVERAL_CASES and not all(case.where for case in cases.failed):
        return None
    for propose in proposals:
        supported = [each for each in _proposed(propose, cases) if _is_supported(each, cases.failed, _hits_in_part)]
        if supported:
            return partial(_say_in_part, supported[0]) if len(supported) == 1 else None
    return None


def _proposed(propose: Propose, cases: Cases) -> list[Mistake]:
    """Mistakes that the typical case suggests and does not contradict, without repetition."""
    typical = cases.typical
    suggested = {mistake.cause: mistake for mistake in propose(typical)}.values()
    return [each for each in suggested if _hits(each, typical) is not None or _hits_in_part(each, typical)]


def _hits(mistake: Mistake, case: Evidence) -> int | None:
    tally = _tally(mistake, case)
    if tally is None:
        return 0
    return _counted(case, tally) if tally.agreed >= EXPLAINED * tally.in_question else None


def _hits_in_part(mistake: Mistake, case: Evidence) -> int | None:
    """Count the hits of a mistake among the wrong elements only. Returns None unless the mistake explains nearly all of
    them, and they are all elements or form a place that can be described.
    """
    tally = _tally(mistake, case)
    if tally is None:
        return 0
    if tally.hits < EXPLAINED * case.wrong_elements or not (case.wrong.all() or case.where):
        return None
    return _counted(case, tally)


def _tally(mistake: Mistake, case: Evidence) -> Tally | None:
    if mistake.cause not in case.tallies:
        prediction = mistake.predict(case)
        case.tallies[mistake.cause] = None if prediction is None else case.tally(prediction)
    return case.tallies[mistake.cause]


def _counted(case: Evidence, tally: Tally) -> int:
    """The number of hits. It is 0 if the prediction covers almost no element of this case, or if a few small whole
    numbers may be right by chance.
    """
    least = FITTED if case.standard.data == "integers" else 1
    return tally.hits if tally.hits >= max(least, KNOWN * np.count_nonzero(case.held)) else 0


def _is_supported(mistake: Mistake, failed: Sequence[Evidence], count: Hits) -> bool:
    """True if the failed cases support the mistake with enough elements that do not all have the same value."""
    counts = [count(mistake, case) for case in failed]
    if None in counts:
        return False
    supporting = [case for case, number in zip(failed, counts, strict=True) if number]
    if max(case.got.size for case in failed) == 1:
        large = [case for case in supporting if any(array.size >= FITTED for array in case.inputs.values())]
        return len(large) >= SINGLE and len({float(case.got[0, 0]) for case in large}) > 1
    explained = sum(filter(None, counts))
    various = sum(tally.various for case in supporting if (tally := _tally(mistake, case)))
    enough = max(FITTED, KNOWN * sum(case.wrong_elements for case in supporting))
    return explained >= enough and various > (1 - EXPLAINED) * explained


def _say_everywhere(mistakes: Sequence[Mistake], case: Evidence) -> Explanation | None:
    count = max(_hits(mistake, case) or 0 for mistake in mistakes)
    if not count:
        return None
    explained = f"explains {case.explained(count)}"
    first, *others = mistakes
    if others:
        return Explanation(sentence=f"{first.cause}, or {others[0].cause}. Either {explained}.")
    return Explanation(cause=first.cause, sentence=f"{first.cause}. That {explained}.", use=first.use)


def _say_in_part(mistake: Mistake, case: Evidence) -> Explanation | None:
    count = _hits_in_part(mistake, case)
    if not count:
        return None
    where = f", but only{case.where}" if case.where else " in this case, but not in others"
    return Explanation(
        cause=f"{mistake.cause}, but not everywhere",
        sentence=f"{mistake.cause}{where}. That explains {case.explained(count)}.",
        use=mistake.use,
    )
