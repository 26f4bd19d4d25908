"""students_view.py: the skeleton's report shows what students may see."""

import re

from drafts import spoil
from validations import timed


def test_students_do_not_see_what_is_hidden(printed, drafted):
    """The skeleton's report hides the outcome of hidden checks, as it does for students."""
    path = "assignments/scaling/assignment.yaml"
    spoil(drafted, path, "sizes: {n: 1}}", "sizes: {n: 1}, hidden: true}")
    text, _ = printed(timed(1.0))
    _, _, report = text.partition("The report of the skeleton:")
    assert re.search(r"hidden\s+correctness: one element \(n 1\)", report)
