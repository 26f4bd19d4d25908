"""Evidence about a wrong array, and the comparison of predictions with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.course.truth.comparators import Standard, wrong_elements
from grader.course.truth.comparison import unwritten_elements
from grader.course.truth.oracle import Truth
from grader.grading.explain.regions import Blocks, Mask, place

EXPLAINED = 0.95
"""Share of the elements in question that a prediction must get right. A few elements may have any value, such as the
earlier contents of a tile in local memory."""

KNOWN = 0.25
"""Least share of the wrongly written elements of a case that a prediction must get right to be supported by the case.
It must also get this share of all wrong elements right, over all supporting cases. At edges, a prediction may say
nothing."""

FITTED = 8
"""Fewest wrong elements that a statement may rest on. Fewer may agree with it by chance, or because many mistakes have
the same effect in such small arrays."""

TYPICAL = 20_000
"""Most elements of the array from which mistakes are proposed, if some failed case has no more. More are not needed."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """The comparison of a prediction with an array, in numbers of elements.

    `hits` are wrong elements that the prediction gets right, and `various` the hits that differ from their median.
    `in_question` are written elements that are wrong or that the prediction changes. `agreed` are the elements in
    question that have the predicted value.
    """

    hits: int
    various: int
    in_question: int
    agreed: int


Indices = NDArray[np.intp]
Source = Callable[[Indices, Indices], tuple[Indices, Indices]]
"""Function from the rows and columns of elements to the rows and columns that their values come from."""


def nothing_remade(_changed: Mapping[str, NDArray[Any]]) -> None:
    """Return None: the default if an oracle must not be asked about other inputs."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One array after a case, and all facts that are known about it.

    All arrays are matrices. Other arrays are folded into two dimensions, and vectors into one row (`is_vector`).
    `inputs` are the arrays that the kernel got. `rows` are the words for the row length of each array that has several
    rows. `mistakes` makes the arrays of usual mistakes, by the words for them. `remade` makes the right result for
    other inputs. `blocks` are the sides of the kernel's blocks. `repeats` are the results of further launches on the
    same data, in a separate session.
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
        """Mask of the wrong elements."""
        return wrong_elements(self.got, self.truth, self.standard)

    @cached_property
    def unwritten(self) -> Mask:
        """Mask of the wrong elements that still have their bits from before the launch."""
        return self.wrong & unwritten_elements(self.got)

    @cached_property
    def held(self) -> Mask:
        """Mask of the elements that are wrong because the kernel wrote a wrong value."""
        return self.wrong & ~self.unwritten

    @cached_property
    def usual(self) -> Mapping[str, Truth]:
        """Arrays of usual mistakes, by the words for them."""
        return self.mistakes()

    @cached_property
    def tallies(self) -> dict[str, Tally | None]:
        """Comparisons of the predictions of mistakes, by the words for their causes; None for a mistake that predicts
        nothing.
        """
        return {}

    def tally(self, prediction: Truth) -> Tally:
        """Compare a prediction with the array. NaN predicts nothing."""
        known = np.isfinite(prediction.value)
        agrees = known & ~self.unwritten & ~wrong_elements(self.got, prediction, self.standard)
        differs = wrong_elements(prediction.value.astype(self.got.dtype), self.truth, self.standard)
        in_question = known & ~self.unwritten & (self.wrong | differs)
        hits = self.got[agrees & self.wrong]
        return Tally(
            hits=hits.size,
            various=int(np.count_nonzero(hits != np.sort(hits)[hits.size // 2])) if hits.size else 0,
            in_question=int(np.count_nonzero(in_question)),
            agreed=int(np.count_nonzero(in_question & agrees)),
        )

    def explained(self, hits: int) -> str:
        """Words for this number of wrong elements."""
        wrong = self.wrong_elements
        if hits < wrong:
            return f"{hits:,} of the {wrong:,} wrong elements of {self.buffer}"
        return f"all {wrong:,} wrong elements of {self.buffer}" if wrong > 1 else f"the wrong element of {self.buffer}"

    def other_lengths(self, array: str) -> Iterator[tuple[str, str]]:
        """Yield sizes that can be mistaken for the row length of an array, each after the words for this mistake."""
        own = self.rows.get(array)
        for size in self.sizes if own else ():
            if size != own:
                yield f"rows of {array} are taken to be {size} long, not {own}", size

    def predict(self, value: NDArray[Any]) -> Truth:
        """Prediction of these values, with the same allowance for rounding as the right values."""
        return Truth(value=value, magnitude=self.truth.magnitude)

    def moved(self, source: Source) -> Truth:
        """Prediction in which each element has the right value of another row and column. If they are outside the
        array, the prediction says nothing about the element.
        """
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
        """Number of wrong elements."""
        return int(np.count_nonzero(self.wrong))

    @cached_property
    def where(self) -> str:
        """The place of all wrong elements, such as " in the last row"; "" if it has no simple shape."""
        words = self.place(self.wrong)
        return f" in {words}" if words else ""

    def place(self, mask: Mask) -> str | None:
        """The place of the elements in a mask, in words that follow "in"; None if it has no simple shape."""
        return place(mask, self.blocks, is_vector=self.is_vector)


@dataclass(frozen=True, kw_only=True)
class Use:
    """A use of an array by lines of the source."""

    array: str
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The reason why an array is wrong, or at least the place.

    `cause` names the mistake in the same words for every size, so that it can be counted. It is empty if only a place
    is known. `sentence` is for the student. `use` describes the lines that the sentence is about, if there are any.
    `rule` is the name of the rule that found the explanation.
    """

    sentence: str
    cause: str = ""
    use: Use | None = None
    rule: str = ""


Statement = Callable[[Evidence], Explanation | None]
"""Function that explains a case by a rule; None if the rule does not apply to it."""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases of one array that are explained together. The array is wrong in `failed` cases and right in `right`
    cases. Right cases are made only when they are needed.
    """

    failed: Sequence[Evidence]
    right: Iterable[Evidence]

    @cached_property
    def passed(self) -> tuple[Evidence, ...]:
        """The cases in which the array is right."""
        return tuple(self.right)

    @cached_property
    def typical(self) -> Evidence:
        """The failed case from which mistakes are proposed. It has moderate size and as many wrong elements as
        possible. If there is such a case, it has random data and at least `FITTED` wrongly written elements.
        """
        moderate = [case for case in self.failed if case.got.size <= TYPICAL]
        if not moderate:
            return min(self.failed, key=lambda case: case.got.size)
        rich = [case for case in moderate if case.standard.data == "random" and np.count_nonzero(case.held) >= FITTED]
        return max(rich or moderate, key=lambda case: case.wrong_elements)
