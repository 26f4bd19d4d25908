"""Rules by which an array counts as right, as assignment.yaml states them."""

from typing import Literal

from pydantic import model_validator

from grader.common.record import Record

ToleranceRule = Literal["exact", "rounding", "ulp", "relative", "absolute", "share", "multiset", "judge"]


class ToleranceWords(Record):
    """Words for a rule, and True if it has a limit `at_most`."""

    words: str
    """Condition for a right array, with {} for the limit or the factor."""

    has_limit: bool = False


RULES: dict[ToleranceRule, ToleranceWords] = {
    "exact": ToleranceWords(words="all bits are the same"),
    "rounding": ToleranceWords(words="errors are at most {} roundings of its terms"),
    "ulp": ToleranceWords(words="errors are at most {} units in the last place", has_limit=True),
    "relative": ToleranceWords(words="errors are at most {} times the right value", has_limit=True),
    "absolute": ToleranceWords(words="errors are at most {}", has_limit=True),
    "share": ToleranceWords(words="the share of elements that differ is at most {}", has_limit=True),
    "multiset": ToleranceWords(words="it has the right elements in any order"),
    "judge": ToleranceWords(words="a test of the course accepts it, since several results may be right"),
}
"""Rules by name. truth/comparators.py has their comparators."""


class Tolerance(Record):
    """Rule by which an array counts as right (truth/comparators.py)."""

    rule: ToleranceRule
    """Name of the rule. `exact`: the same bits. `rounding`: errors of at most `factor` units of u * magnitude, where u
    is the unit roundoff of the type (2^-24 for float), and oracle.py states the magnitude of each element. `ulp`: at
    most `at_most` units in the last place. `relative`: at most `at_most` times the right value. `absolute`: at most
    `at_most`. `share`: at most this share of the elements differs. `multiset`: the right elements in any order.
    `judge`: the function `check` of oracle.py decides."""

    factor: str | float = 1.0
    """Factor of the rule `rounding`: a number or an expression over sizes and constants."""

    at_most: str | float | None = None
    """Limit of the rules `ulp`, `relative`, `absolute` and `share`: a number or an expression."""

    @model_validator(mode="after")
    def _has_its_limit(self) -> "Tolerance":
        has_limit = RULES[self.rule].has_limit
        if has_limit and self.at_most is None:
            raise ValueError(f"the rule {self.rule} needs `at_most`")
        if not has_limit and self.at_most is not None:
            raise ValueError(f"the rule {self.rule} has no `at_most`")
        return self

    @property
    def amount(self) -> str | float:
        """The limit, or the factor of the rule `rounding`."""
        return self.factor if self.at_most is None else self.at_most
