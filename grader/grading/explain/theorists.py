"""Where theories come from: what an assignment lists, then what goes wrong with any array."""

from collections.abc import Callable, Iterator
from functools import partial

from grader.course.truth.oracle import Truth
from grader.grading.explain.evidence import Evidence
from grader.grading.explain.misreadings import at_wrong_places, cut_short, of_each_other
from grader.grading.explain.theories import (
    Theory,
    copies,
    factors,
    layouts,
    repetitions,
    shifts,
    signs,
    tiles,
)


def usual_mistakes(case: Evidence) -> Iterator[Theory]:
    """The mistakes that the assignment's oracle.py lists; if their words begin as ours do, they mean the same lines."""
    ours = {_head(theory.cause): theory.use for theory in (*layouts(case), *at_wrong_places(case))}
    for words in case.usual:
        yield Theory(cause=words, predict=partial(_as_listed, words=words), use=ours.get(_head(words)))


def _head(words: str) -> str:
    """Such as "rows of A are taken to be height long", without what would be right."""
    return words.partition(",")[0]


def _as_listed(case: Evidence, words: str) -> Truth | None:
    return case.usual.get(words)


Theorist = Callable[[Evidence], Iterator[Theory]]

THEORISTS: tuple[Theorist, ...] = (
    usual_mistakes,
    copies,
    tiles,
    layouts,
    signs,
    shifts,
    factors,
    at_wrong_places,
    repetitions,
    of_each_other,
    cut_short,
)
"""In the order in which they are asked: what says most about the kernel comes first."""
