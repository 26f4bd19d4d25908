"""Figures of pages are drawn once in a run of the tests. A test checks that the same numbers give the same text.

A figure takes a tenth of a second, and hundreds of pages are made of the same few results.
"""

from collections.abc import Iterator

import pytest

from grader.reports import figures
from grader.reports.html import overview


def remembered(draw):
    """Return the function with a cache of its results."""
    known = {}

    def drawn(*given):
        words = repr(given)
        if words not in known:
            known[words] = draw(*given)
        return known[words]

    return drawn


@pytest.fixture(scope="session", autouse=True)
def figures_are_drawn_once() -> Iterator[None]:
    """Use cached figures in all pages."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("timings", "rates", "roofline"):
            patch.setattr(figures, name, remembered(getattr(figures, name)))
        patch.setattr(overview, "drawn", remembered(overview.drawn))
        yield
