"""Short forms of what an intake finds, for comparisons in tests."""

import pytest

from grader.common.errors import InputError
from grader.lms.intake import take_all


def graded(intake):
    """Return the path of each file that is graded, relative to the intake's path, by label and assignment."""
    return {(each.student.label, each.assignment): each.where.partition("/")[2] for each in intake.handins}


def missing(intake):
    """Return the pairs of student and assignment that have no graded file, because it is absent or refused."""
    return [(each.student.label, each.assignment) for each in intake.absences]


def lines(remarks):
    return "\n".join(f"{each.where}: {each.why}" for each in remarks)


def complaint(path, assignments):
    with pytest.raises(InputError) as caught:
        take_all((path,), assignments)
    assert "\n" not in str(caught.value)
    return str(caught.value)
