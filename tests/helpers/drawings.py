"""Figures of pages are drawn once in a run of the tests: the same numbers make the same text, as one of them holds.

To draw one takes a tenth of a second, and hundreds of pages are made of the same few results.
"""

from collections.abc import Iterator

import pytest

from grader.reports import figures
from grader.reports.html import overview


def remembered(draw):
    """The function, which works once for what it is given."""
    known = {}

    def drawn(*given):
        words = repr(given)
        if words not in known:
            known[words] = draw(*given)
        return known[words]

    return drawn


@pytest.fixture(scope="session", autouse=True)
def figures_are_drawn_once() -> Iterator[None]:
    """Wherever a page asks for one."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("timings", "rates", "roofline"):
            patch.setattr(figures, name, remembered(getattr(figures, name)))
        patch.setattr(overview, "drawn", remembered(overview.drawn))
        yield
