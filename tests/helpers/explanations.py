"""Is the first explanation of a mutant true? What a machine can tell of that, which is not all.

It can tell whether a line is named that was changed, or that shows the effect at once (effects.py); whether only other
lines are named; and a few claims that cannot hold for what was done: no barrier is missing from a text that has all of
them. It cannot tell whether words without a line are true, nor whether all of a sentence is that names the right line.
"""

import re
from enum import StrEnum

from mutations import Mutation
from operators import Kind

from grader.results.result import Check, Reason, lines_named


class Judgement(StrEnum):
    """Of a first explanation."""

    NAMED = "named"
    FALSE = "false"
    WORDS = "words"
    NONE = "none"


WHEREABOUTS = " In your file, "
"""From here on, all lines that use global memory are listed, which says nothing."""

BARRIERS = frozenset({Kind.NO_BARRIER, Kind.MOVED_BARRIER})
NO_INDEX = BARRIERS | {
    *(Kind.GUARD, Kind.LOGIC, Kind.RELATION, Kind.BOUND, Kind.ACCUMULATOR, Kind.INITIAL, Kind.TYPE, Kind.RETURN)
}

CLAIMS = {
    r"\bA barrier\([^)]*\) is missing": frozenset(Kind) - BARRIERS,
    r"rows and columns swapped|stored by columns|by columns, at|not its transpose|block \(j, i\) belongs": NO_INDEX,
    r"taken to be \w+ long": NO_INDEX,
    r"half float": frozenset(Kind) - {Kind.TYPE},
}
"""What is false of mutants of these kinds. What only usually is so, is no claim."""

SYMPTOMS = frozenset({Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN})
"""Of these, a message without a cause says what is wrong with the results, and where in them."""


def first_sentences(check: Check) -> str:
    """What a check says first, without the lines that it lists for every wrong result."""
    return check.message.partition(WHEREABOUTS)[0]


def judged(mutation: Mutation, check: Check) -> Judgement:
    """Of the check that is read first."""
    told = first_sentences(check)
    lines = set(lines_named(told))
    if any(re.search(claim, told) and mutation.kind in kinds for claim, kinds in CLAIMS.items()):
        return Judgement.FALSE
    if lines:
        return Judgement.NAMED if lines & (mutation.lines | mutation.effect) else Judgement.FALSE
    return Judgement.NONE if check.reason in SYMPTOMS and not check.cause else Judgement.WORDS
