"""Judgements about the first explanation of a mutant, as far as a program can judge it.

A program can decide whether an explanation points to a changed line, to a line that shows the direct effect
(mutation_effects.py), or only to other lines. It also knows a few claims that must be false for a kind of mutation. For
example, a barrier cannot be missing if the mutation did not touch any barrier. The program cannot decide whether words
without a line are true, or whether everything that is said about the right line is true.
"""

import re
from enum import StrEnum

from mutation_operators import Kind
from mutations import Mutation

from grader.results.check import Check
from grader.results.findings import lines_named
from grader.results.verdicts import Reason


class Judgement(StrEnum):
    """Judgement about the first explanation of a mutant."""

    NAMED = "named"
    FALSE = "false"
    WORDS = "words"
    NONE = "none"


WHEREABOUTS = " Follow one element by hand: "
"""Beginning of the list of all lines that use global memory. The list does not explain anything."""

BARRIERS = frozenset({Kind.NO_BARRIER, Kind.MOVED_BARRIER})
NO_INDEX = BARRIERS | {
    *(Kind.GUARD, Kind.LOGIC, Kind.RELATION, Kind.BOUND, Kind.ACCUMULATOR, Kind.INITIAL, Kind.TYPE, Kind.RETURN)
}

MISSING = r"\b[Aa] barrier(?:\([^)]*\))? is missing"

CLAIMS = {
    MISSING: frozenset(Kind) - BARRIERS,
    r"rows and columns swapped|stored by columns|by columns, at|not its transpose|block \(j, i\) belongs": NO_INDEX,
    r"taken to be \w+ long": NO_INDEX,
    r"half float": frozenset(Kind) - {Kind.TYPE},
}
"""Patterns of claims, with the kinds of mutations for which they are always false. Claims that are only usually false
are left out.
"""

SYMPTOMS = frozenset({Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN})
"""Reasons whose messages, if they have no cause, only state which results are wrong and where."""


def first_sentences(check: Check) -> str:
    """Return the first words of a check, without the list of lines that follows each wrong result."""
    return f" {check.sentences}".partition(WHEREABOUTS)[0].strip()


def is_near(mutation: Mutation, check: Check) -> bool:
    """True if the first sentence names a line that is at most one line away from a changed line or from the place of a
    removed barrier.
    """
    named = lines_named(first_sentences(check).partition(". ")[0])
    return any(abs(line - changed) <= 1 for line in named for changed in mutation.lines | mutation.around)


def judged(mutation: Mutation, check: Check) -> Judgement:
    """Return the judgement about the check that a student reads first."""
    told = first_sentences(check)
    lines = set(lines_named(told))
    if (
        mutation.kind is Kind.NO_BARRIER
        and re.search(MISSING, told)
        and min(lines) <= min(mutation.lines) <= max(lines)
    ):
        return Judgement.NAMED  # both accesses are named, and a barrier anywhere between them is right
    if any(re.search(claim, told) and mutation.kind in kinds for claim, kinds in CLAIMS.items()):
        return Judgement.FALSE
    if lines:
        return Judgement.NAMED if lines & (mutation.lines | mutation.around | mutation.effect) else Judgement.FALSE
    return Judgement.NONE if check.reason in SYMPTOMS and not check.cause else Judgement.WORDS
