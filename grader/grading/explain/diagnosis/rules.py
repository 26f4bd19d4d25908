"""Registry of the rules that explain a wrong array, each with a name and the evidence that it needs. The rules are
tried in this order, so those that reveal most about the kernel come first. The first rule that applies to a case
explains it.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from grader.grading.explain.diagnosis import mistakes, observations
from grader.grading.explain.diagnosis.evidence import Cases, Evidence, Explanation, Statement
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


LARGE = 2_000_000
"""Maximum number of elements of an array to which all rules are applied. In larger arrays, only places are searched
for. Cases are smaller, and during a timed run other gradings wait for the device.
"""

OF_PLACES = tuple(rule for rule in RULES if rule.needs is Needs.PLACES)


def explain(failed: Sequence[Evidence], passed: Iterable[Evidence] = ()) -> tuple[Explanation | None, ...]:
    """Explain each failed case of one array; None for a case to which no rule applies.

    `passed` are cases in which the array is right. They are read only if a mistake explains all failed cases.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # a wrong array may contain any value
        statements = _statements(Cases(failed=[case for case in failed if _is_small(case)], right=passed))
        return tuple(_first(statements, case) for case in failed)


def _is_small(case: Evidence) -> bool:
    return case.got.size <= LARGE


def _statements(cases: Cases) -> dict[Rule, Statement]:
    """The statements of the rules that apply, in order. Of the rules that need all cases, only the first one that
    applies is included.
    """
    found: dict[Rule, Statement] = {}
    for rule in RULES if cases.failed else OF_PLACES:
        is_answered = rule.needs is Needs.ALL_CASES and any(other.needs is Needs.ALL_CASES for other in found)
        statement = None if is_answered else rule.find(cases)
        if statement is not None:
            found[rule] = statement
    return found


def _first(statements: dict[Rule, Statement], case: Evidence) -> Explanation | None:
    for rule, statement in statements.items():
        said = statement(case) if rule in OF_PLACES or _is_small(case) else None
        if said is not None:
            return replace(said, rule=rule.name)
    return None
