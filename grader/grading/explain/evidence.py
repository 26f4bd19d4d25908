"""A wrong array, everything that is known about it, and whether a prediction explains it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.comparison import POISON, Standard, wrong_elements
from grader.course.truth.oracle import Truth
from grader.grading.explain.regions import Blocks, Mask, place

EXPLAINED = 0.95
"""The share of the elements in question that a prediction must get right. A few may hold anything, such as what a tile
in local memory held before."""

KNOWN = 0.25
"""The least share of the elements written wrongly that a prediction must get right: at edges, it may be silent."""

FITTED = 8
"""Elements that a prediction must explain if something in it was chosen to fit (a factor), or where it may be right by
chance (small integers)."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All arrays are matrices: others are folded into two dimensions.

    `inputs` are the arrays that the kernel was given; `mistakes` makes the arrays of usual mistakes, by the words for
    them; `blocks` are the sides of the kernel's blocks; `repeats` is what further launches on the same data, in a
    session of their own, made of the array.
    """

    buffer: str
    got: NDArray[Any]
    truth: Truth
    standard: Standard
    inputs: Mapping[str, NDArray[Any]]
    blocks: Blocks
    mistakes: Callable[[], Mapping[str, Truth]]
    repeats: tuple[NDArray[Any], ...] = ()

    @cached_property
    def wrong(self) -> Mask:
        """Which elements are wrong."""
        return wrong_elements(self.buffer, self.got, self.truth, self.standard)

    @cached_property
    def unwritten(self) -> Mask:
        """Which elements still hold what they held before the launch."""
        unwritten: Mask = self.got.view(np.uint32) == POISON
        return unwritten

    @cached_property
    def held(self) -> Mask:
        """Which elements are wrong because of what the kernel wrote there."""
        return self.wrong & ~self.unwritten

    def fit(self, prediction: Truth, least: int = 1) -> str | None:
        """How many wrong elements the prediction explains, in words; None if too few.

        NaN predicts nothing. `least` is the number of wrong elements that must be so.
        """
        known = np.isfinite(prediction.value) & ~self.unwritten
        agrees = ~wrong_elements(self.buffer, self.got, prediction, self.standard)
        hits, wrong = int(np.count_nonzero(known & self.wrong & agrees)), int(np.count_nonzero(self.wrong))
        least = FITTED if self.standard.data == "integers" else least
        if hits < max(least, KNOWN * np.count_nonzero(self.held)):
            return None
        differs = wrong_elements(self.buffer, prediction.value.astype(self.got.dtype), self.truth, self.standard)
        in_question = known & (self.wrong | differs)
        if np.count_nonzero(in_question & agrees) < EXPLAINED * np.count_nonzero(in_question):
            return None
        if hits < wrong:
            return f"{hits:,} of the {wrong:,} wrong elements of {self.buffer}"
        return f"all {wrong:,} wrong elements of {self.buffer}" if wrong > 1 else f"the wrong element of {self.buffer}"

    def predict(self, value: NDArray[Any]) -> Truth:
        """A prediction of values, with the same allowance for rounding as the right ones."""
        return Truth(value=value, magnitude=self.truth.magnitude)

    def moved(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Truth:
        """A prediction: each element is what belongs to another row and column; nothing where they lie outside."""
        height, width = self.got.shape
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        rows, columns = np.where(inside, rows, 0), np.where(inside, columns, 0)
        magnitude = self.truth.magnitude
        return Truth(
            value=np.where(inside, self.truth.value[rows, columns], np.nan),
            magnitude=None if magnitude is None else magnitude[rows, columns],
        )

    @property
    def where(self) -> str:
        """Where it is wrong, such as " in the last row", if that has a simple shape."""
        words = place(self.wrong, self.blocks)
        return f" in {words}" if words else ""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why an array is wrong, or at least where.

    `cause` names the mistake in the same words for every size, so that it can be counted; it is empty where only a
    place is known. `sentence` is for the student.
    """

    sentence: str
    cause: str = ""
