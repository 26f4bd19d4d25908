"""What an instructor decides of a grade by hand; it comes after everything else."""

import re
from dataclasses import dataclass

from grader.course.policies.deadlines import DECIMALS

POINTS = re.compile(r"(?P<sign>[-+\u2212]?)\s*(?P<digits>[0-9]{1,9}(?:[.,][0-9]{1,9})?)", re.ASCII)
"""Points as people write them: a decimal comma and a true minus sign are taken, too."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """The points that a grade is to have, or None and how many more or less."""

    to: float | None
    by: float = 0.0

    def points(self, earned: float, most: float) -> float:
        """The corrected points, never below zero. A bonus may exceed the assignment's points; points that are set may
        not.
        """
        points = earned + self.by if self.to is None else min(self.to, most)
        return round(max(points, 0.0), DECIMALS)


def read_amount(text: str) -> Amount | None:
    """Points such as 80, +5 or -2.5; None if it is not understood."""
    match = POINTS.fullmatch(text.strip())
    if match is None:
        return None
    number = float(match["digits"].replace(",", "."))
    if not match["sign"]:
        return Amount(to=number)
    return Amount(to=None, by=number if match["sign"] == "+" else -number)
