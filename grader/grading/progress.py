"""Messages about a grading while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from grader.results.check import Check


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A decided check, which hidden checks cannot change. `sentence` is the reason for its failure. It is empty if a
    later phase may explain the failure better.
    """

    check: Check
    sentence: str = ""

    def __str__(self) -> str:
        return self.check.name


Progress = Callable[[str | Decided], None]
"""Function that is called with the name of each phase that begins, and with each decided check."""


def quietly(_: str | Decided) -> None:
    """No-op, for a grading whose progress is not shown."""


def prefixed(name: str, progress: Progress) -> Progress:
    """Return a listener that puts a name before each step, and leaves out decided checks."""

    def tell(event: str | Decided) -> None:
        if isinstance(event, str):
            progress(f"{name}: {event}")

    return tell
