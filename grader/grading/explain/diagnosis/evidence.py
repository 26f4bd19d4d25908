"""A wrong array, everything that is known about it, and how a prediction compares with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.comparison import Standard, wrong_elements
from grader.course.truth.oracle import Truth
from grader.course.truth.poison import POISON
from grader.grading.explain.regions import Blocks, Mask, place

EXPLAINED = 0.95
"""The share of the elements in question that a prediction must get right. A few may hold anything, such as what a tile
in local memory held before."""

KNOWN = 0.25
"""The least share of the elements written wrongly in a case that a prediction must get right for the case to speak for
it, and of all wrong elements of such cases: at edges, it may be silent."""

FITTED = 8
"""Wrong elements that a statement must rest on: fewer may agree with it by chance, or because in arrays this small many
mistakes come to the same."""

TYPICAL = 20_000
"""Elements of the arrays from which mistakes are proposed, if some failed case has no more: that is enough of them."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How a prediction compares with an array.

    `hits` are wrong elements that it gets right, `various` those of them that differ from their median. In question are
    elements that were written and are wrong, or should be by the prediction; `agreed` of them are what it says.
    """

    hits: int
    various: int
    in_question: int
    agreed: int


Indices = NDArray[np.intp]
Source = Callable[[Indices, Indices], tuple[Indices, Indices]]
"""From which row and column the value of each element comes."""


def nothing_remade(_changed: Mapping[str, NDArray[Any]]) -> None:
    """Used where an oracle is not to be asked about other inputs."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One array after a case, and everything that is known about it.

    All arrays are matrices: others are folded into two dimensions, vectors into one row (`is_vector`). `inputs` are the
    arrays that the kernel was given, `rows` the words for the length of the rows of each array that has several;
    `mistakes` makes the arrays of usual mistakes, by the words for them, and `remade` what would be right for other
    inputs; `blocks` are the sides of the kernel's blocks; `repeats` is what further launches on the same data, in a
    session of their own, made of the array.
    """

    buffer: str
    got: NDArray[Any]
    truth: Truth
    standard: Standard
    inputs: Mapping[str, NDArray[Any]]
    blocks: Blocks
    mistakes: Callable[[], Mapping[str, Truth]]
    remade: Callable[[Mapping[str, NDArray[Any]]], Truth | None] = nothing_remade
    sizes: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    is_vector: bool = False
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

    @cached_property
    def usual(self) -> Mapping[str, Truth]:
        """The arrays of usual mistakes."""
        return self.mistakes()

    @cached_property
    def tallies(self) -> dict[str, Tally | None]:
        """How the predictions of mistakes compare, by the words for their causes; None if they predict nothing."""
        return {}

    def tally(self, prediction: Truth) -> Tally:
        """Compare a prediction with what is there. NaN predicts nothing."""
        known = np.isfinite(prediction.value)
        agrees = known & ~self.unwritten & ~wrong_elements(self.buffer, self.got, prediction, self.standard)
        differs = wrong_elements(self.buffer, prediction.value.astype(self.got.dtype), self.truth, self.standard)
        in_question = known & ~self.unwritten & (self.wrong | differs)
        hits = self.got[agrees & self.wrong]
        return Tally(
            hits=hits.size,
            various=int(np.count_nonzero(hits != np.sort(hits)[hits.size // 2])) if hits.size else 0,
            in_question=int(np.count_nonzero(in_question)),
            agreed=int(np.count_nonzero(in_question & agrees)),
        )

    def explained(self, hits: int) -> str:
        """So many wrong elements, in words."""
        wrong = self.wrong_elements
        if hits < wrong:
            return f"{hits:,} of the {wrong:,} wrong elements of {self.buffer}"
        return f"all {wrong:,} wrong elements of {self.buffer}" if wrong > 1 else f"the wrong element of {self.buffer}"

    def other_lengths(self, array: str) -> Iterator[tuple[str, str]]:
        """Sizes that the rows of an array may be taken to be long, each after the words for that."""
        own = self.rows.get(array)
        for size in self.sizes if own else ():
            if size != own:
                yield f"rows of {array} are taken to be {size} long, not {own}", size

    def predict(self, value: NDArray[Any]) -> Truth:
        """A prediction of values, with the same allowance for rounding as the right ones."""
        return Truth(value=value, magnitude=self.truth.magnitude)

    def moved(self, source: Source) -> Truth:
        """A prediction: each element is what belongs to another row and column; nothing where they lie outside."""
        height, width = self.got.shape
        rows, columns = source(np.arange(height)[:, None], np.arange(width))
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        rows, columns = np.where(inside, rows, 0), np.where(inside, columns, 0)
        magnitude = self.truth.magnitude
        return Truth(
            value=np.where(inside, self.truth.value[rows, columns], np.nan),
            magnitude=None if magnitude is None else magnitude[rows, columns],
        )

    @cached_property
    def wrong_elements(self) -> int:
        """How many are wrong."""
        return int(np.count_nonzero(self.wrong))

    @cached_property
    def where(self) -> str:
        """The place of all wrong elements, such as " in the last row", if it has a simple shape."""
        words = self.place(self.wrong)
        return f" in {words}" if words else ""

    def place(self, mask: Mask) -> str | None:
        """The place of some of its elements, in words that follow "in"."""
        return place(mask, self.blocks, is_vector=self.is_vector)


@dataclass(frozen=True, kw_only=True)
class Use:
    """The use of an array by lines of the source."""

    array: str
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why an array is wrong, or at least where.

    `cause` names the mistake in the same words for every size, so that it can be counted; it is empty where only a
    place is known. `sentence` is for the student. `use` is what the lines do that it speaks of, if it speaks of some.
    `rule` is the name of the rule that says it.
    """

    sentence: str
    cause: str = ""
    use: Use | None = None
    rule: str = ""


Statement = Callable[[Evidence], Explanation | None]
"""Explains a case by a rule; None if the rule does not apply to it."""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases of one array that are explained together: those in which it is wrong, and those in which it is right,
    which are not made before they are needed.
    """

    failed: Sequence[Evidence]
    right: Iterable[Evidence]

    @cached_property
    def passed(self) -> tuple[Evidence, ...]:
        """The cases in which it is right."""
        return tuple(self.right)

    @cached_property
    def typical(self) -> Evidence:
        """The failed case from which mistakes are proposed: of moderate size, with as many wrong elements as possible,
        and enough of any numbers if there is such a case.
        """
        moderate = [case for case in self.failed if case.got.size <= TYPICAL]
        if not moderate:
            return min(self.failed, key=lambda case: case.got.size)
        rich = [case for case in moderate if case.standard.data == "random" and np.count_nonzero(case.held) >= FITTED]
        return max(rich or moderate, key=lambda case: case.wrong_elements)
