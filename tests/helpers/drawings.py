"""A cache of the figures in pages, so that each is drawn once in a test run. Another test checks that drawing is
deterministic.

A figure takes a tenth of a second, and tests make hundreds of pages from the same few results.
"""

from collections.abc import Iterator

import pytest

from grader.reports import figures
from grader.reports.html import page


def remembered(draw):
    """Return the function wrapped in a cache of its results."""
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
        for module, name in ((figures, "timings"), (figures, "rates"), (page, "roofline")):
            patch.setattr(module, name, remembered(getattr(module, name)))
        yield
