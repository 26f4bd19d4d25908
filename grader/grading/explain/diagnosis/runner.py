"""Explains each case in which an array is wrong with the statement of the first rule that applies to it."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from grader.grading.explain.diagnosis.evidence import Cases, Evidence, Explanation, Statement
from grader.grading.explain.diagnosis.rules import RULES, Needs, Rule

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
