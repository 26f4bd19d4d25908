"""Evidence about a wrong array, and the comparison of predictions with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.common.phrases import listed
from grader.course.truth.comparators import Standard, wrong_elements
from grader.course.truth.comparison import unwritten_elements
from grader.course.truth.oracle import Truth
from grader.grading.explain.regions import Blocks, Mask, place

EXPLAINED = 0.95
"""Minimum share of the elements in question that a prediction must get right. A few elements may have arbitrary values,
such as the earlier contents of a tile in local memory.
"""

KNOWN = 0.25
"""Minimum share of the wrongly written elements of a case that a prediction must get right to be supported by the case.
Over all supporting cases, it must also get this share of all wrong elements right. A prediction may leave elements at
edges open.
"""

FITTED = 8
"""Minimum number of wrong elements on which a statement may be based. Fewer elements may agree with it by chance, or
because many mistakes have the same effect in such small arrays.
"""

TYPICAL = 20_000
"""Maximum size of the array from which mistakes are proposed, if a failed case has an array of at most this size.
Larger arrays are not needed.
"""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """The comparison of a prediction with an array, in numbers of elements.

    `hits` counts wrong elements that the prediction gets right, and `various` counts hits that differ from the median
    of the hits. `in_question` counts written elements that are wrong or that the prediction changes. `agreed` counts
    the elements in question that have the predicted value.
    """

    hits: int
    various: int
    in_question: int
    agreed: int


Indices = NDArray[np.intp]
Source = Callable[[Indices, Indices], tuple[Indices, Indices]]
"""Function that maps the rows and columns of elements to the rows and columns from which their values come."""


def nothing_remade(_changed: Mapping[str, NDArray[Any]]) -> None:
    """Return None. This is the default if the oracle must not be run on other inputs."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """An array after a case, and all known facts about it.

    All arrays are matrices. Other arrays are folded into two dimensions, and vectors into one row (`is_vector`).
    `inputs` are the arrays that the kernel received. `rows` contains the expression for the row length of each array
    that has several rows. `mistakes` computes the arrays that usual mistakes produce, by their descriptions. `remade`
    computes the right result for other inputs. `blocks` contains the side lengths of the kernel's blocks. `repeats` are
    the results of further launches on the same data, in a separate session. An array of structs has a row for each
    struct, and a column for each of its numbers, which are called `fields`.
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
    fields: tuple[str, ...] = ()
    repeats: tuple[NDArray[Any], ...] = ()

    @cached_property
    def wrong(self) -> Mask:
        """Mask of the wrong elements."""
        return wrong_elements(self.got, self.truth, self.standard)

    @cached_property
    def unwritten(self) -> Mask:
        """Mask of the wrong elements that still have their bits from before the launch."""
        return self.wrong & unwritten_elements(self.got, self.wrong)

    @cached_property
    def held(self) -> Mask:
        """Mask of the elements that are wrong because the kernel wrote a wrong value."""
        return self.wrong & ~self.unwritten

    @cached_property
    def usual(self) -> Mapping[str, Truth]:
        """Arrays that usual mistakes produce, by their descriptions."""
        return self.mistakes()

    @cached_property
    def tallies(self) -> dict[str, Tally | None]:
        """Cache of the comparisons of predictions, by the causes of the mistakes; None for a mistake without a
        prediction.
        """
        return {}

    def tally(self, prediction: Truth) -> Tally:
        """Compare a prediction with the array. Elements whose prediction is NaN are ignored."""
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
        """Describe this number of wrong elements."""
        wrong = self.wrong_elements
        if hits < wrong:
            return f"{hits:,} of the {wrong:,} wrong elements of {self.buffer}"
        return f"all {wrong:,} wrong elements of {self.buffer}" if wrong > 1 else f"the wrong element of {self.buffer}"

    def other_lengths(self, array: str) -> Iterator[tuple[str, str]]:
        """Yield sizes that can be mistaken for the row length of an array, each preceded by a description of the
        mistake.
        """
        own = self.rows.get(array)
        for size in self.sizes if own else ():
            if size != own:
                yield f"rows of {array} are taken to be {size} long, not {own}", size

    def predict(self, value: NDArray[Any]) -> Truth:
        """A prediction of these values, with the same tolerance for rounding as the right values."""
        return Truth(value=value, magnitude=self.truth.magnitude)

    def moved(self, source: Source) -> Truth:
        """A prediction in which each element has the right value of another row and column. If these are outside the
        array, the element is left open.
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
        """The place of all wrong elements, such as " in the last row"; "" if they do not form a simple shape."""
        words = self.place(self.wrong)
        return f" in {words}" if words else ""

    def place(self, mask: Mask) -> str | None:
        """The place of the elements in a mask, in words that follow "in"; None if they do not form a simple shape."""
        if not self.fields:
            return place(mask, self.blocks, is_vector=self.is_vector)
        wrong = [
            name for name, column in zip(self.fields, np.any(mask, axis=0, keepdims=True)[0], strict=True) if column
        ]
        if 0 < len(wrong) < len(self.fields):
            return f"the field{'s' if len(wrong) > 1 else ''} {listed(wrong, 'and')}"
        return place(np.any(mask, axis=1, keepdims=True).T, self.blocks, is_vector=True)


@dataclass(frozen=True, kw_only=True)
class Use:
    """A use of an array by lines of the source."""

    array: str
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The reason why an array is wrong, or at least the place.

    `cause` describes the mistake in words that do not depend on sizes, so that it can be counted. It is empty if only a
    place is known. `sentence` is the explanation for the student. `use` describes the lines that the sentence concerns,
    if any. `rule` is the name of the rule that found the explanation.
    """

    sentence: str
    cause: str = ""
    use: Use | None = None
    rule: str = ""


Statement = Callable[[Evidence], Explanation | None]
"""Function that explains a case by a rule. It returns None if the rule does not apply to the case."""


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases of one array that are explained together. The array is wrong in `failed` cases and right in `right`
    cases. Right cases are computed only when they are needed.
    """

    failed: Sequence[Evidence]
    right: Iterable[Evidence]

    @cached_property
    def passed(self) -> tuple[Evidence, ...]:
        """The cases in which the array is right."""
        return tuple(self.right)

    @cached_property
    def typical(self) -> Evidence:
        """The failed case from which mistakes are proposed. It has a moderate size and as many wrong elements as
        possible. Cases with random data and at least `FITTED` wrongly written elements are preferred.
        """
        moderate = [case for case in self.failed if case.got.size <= TYPICAL]
        if not moderate:
            return min(self.failed, key=lambda case: case.got.size)
        rich = [case for case in moderate if case.standard.data == "random" and np.count_nonzero(case.held) >= FITTED]
        return max(rich or moderate, key=lambda case: case.wrong_elements)
