"""inspection.py: a message about changed memory outside a buffer uses the kernels' names for the buffer."""

import numpy as np
import pytest

from grader.course.poison import POISON
from grader.execution.outcome import Fetched
from grader.grading.checks.trials.inspection import stray_write
from grader.protocol.steps import FillStep, RepeatSteps

BAND = np.full(4, POISON, dtype=np.uint32)
CHANGED = np.array([0, *BAND[1:]], dtype=np.uint32)


@pytest.mark.parametrize(
    ("repetitions", "name"),
    [
        ([], "`old`"),
        ([(1, ("old", "new"))], "`old`"),
        ([(2, ("old", "new"))], "`new` or `old`"),
        ([(2, ("x", "y"))], "`old`"),
        ([(2, ("old", "new")), (2, ("old", "new"))], "`new` or `old`"),
        ([(2, ("old", "new")), (2, ("new", "old")), (3, ("old", "spare"))], "`new`, `old` or `spare`"),
    ],
)
def test_buffers_that_changed_places_have_all_names(repetitions, name):
    """If buffers are swapped between iterations, the message gives all their names, because kernels use all of them for
    each buffer.
    """
    fetched = {"old": Fetched(before=BAND, payload=BAND, after=CHANGED, poison=POISON)}
    fill = FillStep(buffer="old", value=0)
    made = [RepeatSteps(times=times, steps=(fill,), swap=(pair,)) for times, pair in repetitions]
    problem = stray_write(fetched, made)
    assert problem is not None
    assert problem.message == f"memory outside {name} was changed, starting 1 element past its end."
