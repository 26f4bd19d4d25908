"""Arrays that are right up to a line that is the same size in every case: as if they had no more rows or columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grader.grading.explain.evidence import EXPLAINED, Evidence, Explanation, Use
from grader.grading.explain.regions import Mask, fills

DIFFERENT = 2
"""Places of the line that must be seen: at one, a size may be where it is by chance."""


@dataclass(frozen=True, kw_only=True)
class Edge:
    """Rows (axis 0) or columns (axis 1) from the number on that is the value of a size."""

    axis: int
    size: str

    def place(self, case: Evidence) -> int:
        """Where it lies in a case."""
        return case.sizes[self.size]

    def region(self, case: Evidence) -> Mask:
        """All elements from there on."""
        region = np.zeros(case.got.shape, dtype=bool)
        region[(slice(None),) * self.axis + (slice(self.place(case), None),)] = True
        return region

    def is_told_by(self, failed: Sequence[Evidence]) -> bool:
        """Whether it parts what is right from what is wrong in all of these cases."""
        different = {self.place(case) for case in failed}
        return len(different) >= DIFFERENT and all(
            self.region(case).any() and fills(case.wrong, self.region(case), EXPLAINED) for case in failed
        )

    def explain(self, case: Evidence) -> Explanation:
        """What it says of a case."""
        line = "element" if case.is_vector else ("row", "column")[self.axis]
        is_written = case.held.any()
        does = "wrong" if is_written else "not written"
        cause = f"{case.buffer} is {does} from {line} {self.size} on, as if it had no more {line}s"
        return Explanation(
            cause=cause,
            sentence=f"{cause}. Here {self.size} is {self.place(case):,}.",
            use=None if is_written else Use(array=case.buffer, writes=True),
        )


def edge_of(failed: Sequence[Evidence], passed: Callable[[], Iterable[Evidence]]) -> Edge | None:
    """The line that all cases agree on, if it is the only one; in those that passed there is nothing behind it."""
    told = [edge for edge in _edges(failed[0]) if edge.is_told_by(failed)]
    if len(told) != 1 or any(told[0].region(case).any() for case in passed()):
        return None
    return told[0]


def _edges(case: Evidence) -> Iterator[Edge]:
    for axis in (1,) if case.is_vector else (0, 1):
        for size in case.sizes:
            yield Edge(axis=axis, size=size)
