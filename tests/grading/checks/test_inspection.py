"""inspection.py: a message about changed memory outside a buffer uses the kernels' names for the buffer."""

import numpy as np
import pytest

from grader.course.poison import POISON
from grader.execution.outcome import Fetched
from grader.grading.checks.inspection import stray_write
from grader.protocol.steps import RepeatSteps

BAND = np.full(4, POISON, dtype=np.uint32)
CHANGED = np.array([0, *BAND[1:]], dtype=np.uint32)


@pytest.mark.parametrize(
    ("repeat", "name"),
    [
        (None, "old"),
        (RepeatSteps(times=1, swap=(("old", "new"),)), "old"),
        (RepeatSteps(times=2, swap=(("old", "new"),)), "new or old"),
        (RepeatSteps(times=2, swap=(("x", "y"),)), "old"),
    ],
)
def test_buffers_that_changed_places_have_both_names(repeat, name):
    """If two buffers are swapped between iterations, the message gives both names, because kernels use both names for
    each buffer.
    """
    fetched = {"old": Fetched(before=BAND, payload=BAND, after=CHANGED, poison=POISON)}
    problem = stray_write(fetched, repeat)
    assert problem is not None
    assert problem.message == f"memory outside {name} was changed, starting 1 element past its end."
