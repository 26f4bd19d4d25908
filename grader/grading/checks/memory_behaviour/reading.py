"""Readings, which are measured values with the words and the advice to report."""

from dataclasses import dataclass

from grader.results.verdicts import Reason


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A measured value, with the reason, the description and the help to report if it exceeds the limit. The help may
    have to be adapted to the source (`remedies.fitted`) if it advises to make the rows of the array `lengthens` longer,
    or to do the work in line `tree_for` as a tree. `excess` names the array that causes the excess, if it is known.
    """

    value: float
    reason: Reason
    what: str
    help: str
    excess: str = ""
    lengthens: str = ""
    tree_for: int = 0


def in_digits(value: float) -> str:
    """Format a value: as a whole number from 1000 on, with three digits below."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
