"""Corrections of a grade by an instructor. They are applied after everything else."""

import re
from dataclasses import dataclass

from grader.course.policies.deadlines import DECIMALS

POINTS = re.compile(r"(?P<sign>[-+\u2212]?)\s*(?P<digits>[0-9]{1,9}(?:[.,][0-9]{1,9})?)", re.ASCII)
"""Points as people write them. A decimal comma and a true minus sign are accepted, too."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """The points of a corrected grade (`to`), or else the difference from the earned points (`by`)."""

    to: float | None
    by: float = 0.0

    def points(self, earned: float, most: float) -> float:
        """Return the corrected points, which are never below zero. A bonus may exceed the full points of the
        assignment, but points that are set may not.
        """
        points = earned + self.by if self.to is None else min(self.to, most)
        return round(max(points, 0.0), DECIMALS)


def read_amount(text: str) -> Amount | None:
    """Read points such as 80, +5 or -2.5. Returns None if the text is not understood."""
    match = POINTS.fullmatch(text.strip())
    if match is None:
        return None
    number = float(match["digits"].replace(",", "."))
    if not match["sign"]:
        return Amount(to=number)
    return Amount(to=None, by=number if match["sign"] == "+" else -number)
