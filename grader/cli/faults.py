"""Faults of ours while a submission is graded: its reports tell them, too."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from grader.common.errors import InputError, InterruptedGradingError

if TYPE_CHECKING:
    from grader.results.result import Ungraded


@contextmanager
def noted(write: "Callable[[Ungraded], None]", assignment: str, path: Path) -> Iterator[None]:
    """In the block, a fault of ours is written to the files, too."""
    try:
        yield
    except (InputError, InterruptedGradingError):
        raise
    except Exception as error:
        from grader.grading.grade import ungraded  # noqa: PLC0415 - what it takes to grade may not be imported yet

        write(ungraded(assignment, path, error))
        raise
