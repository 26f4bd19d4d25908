"""Registry of the rules that explain a wrong array, each with a name and the evidence that it needs. The rules are
tried in this order, so those that reveal most about the kernel come first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from grader.grading.explain.diagnosis import mistakes, observations
from grader.grading.explain.diagnosis.evidence import Cases, Statement
from grader.grading.explain.diagnosis.matching import Propose, everywhere, in_part


class Needs(StrEnum):
    """The evidence on which a rule is based."""

    ALL_CASES = "a cause that fits all failed cases and that no right case contradicts"
    LAUNCHES = "several launches on the same data"
    FAILED_CASES = "a property of the wrong elements of all failed cases"
    ONE_CASE = "the wrong elements of one case"
    PLACES = "which elements of one case are wrong, however large the array is"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule to explain a wrong array. `find` examines all cases and returns a statement that explains each of them, or
    None if the rule does not apply.
    """

    name: str
    needs: Needs
    find: Callable[[Cases], Statement | None]


def _each(statement: Statement) -> Callable[[Cases], Statement]:
    """Return a function that applies a statement to each case separately."""
    return lambda _cases: statement


MISTAKES: dict[str, Propose] = {
    "listed mistake": mistakes.listed,
    "copy of an input": mistakes.copies,
    "swapped tiles": mistakes.tiles,
    "layout of the result": mistakes.layouts,
    "sign": mistakes.signs,
    "shift": mistakes.shifts,
    "factor or difference": mistakes.factors,
    "input read at wrong places": mistakes.misplaced_reads,
    "repetition": mistakes.repetitions,
    "exchanged inputs": mistakes.exchanges,
    "lost bits of inputs": mistakes.lost_bits,
}
"""Rules that predict the whole array."""

RULES: tuple[Rule, ...] = (
    *(Rule(name=name, needs=Needs.ALL_CASES, find=partial(everywhere, find)) for name, find in MISTAKES.items()),
    Rule(name="edge at another size", needs=Needs.ALL_CASES, find=observations.edge),
    Rule(name="mistake in a part", needs=Needs.ALL_CASES, find=partial(in_part, tuple(MISTAKES.values()))),
    Rule(name="every other launch", needs=Needs.LAUNCHES, find=_each(observations.every_other_launch)),
    Rule(name="unsteady results", needs=Needs.LAUNCHES, find=_each(observations.unsteady)),
    Rule(name="whole numbers", needs=Needs.FAILED_CASES, find=observations.whole_numbers),
    Rule(name="narrower floats", needs=Needs.FAILED_CASES, find=observations.narrower_floats),
    Rule(name="not a number", needs=Needs.ONE_CASE, find=_each(observations.not_a_number)),
    Rule(name="one value", needs=Needs.ONE_CASE, find=_each(observations.one_value)),
    Rule(name="nearly right", needs=Needs.ONE_CASE, find=_each(observations.nearly_right)),
    Rule(name="place that is not written", needs=Needs.PLACES, find=_each(observations.not_written)),
    Rule(name="place that is wrong", needs=Needs.PLACES, find=_each(observations.wrong_place)),
)
