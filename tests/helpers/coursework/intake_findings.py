"""Short forms of the findings of an intake."""

import pytest

from grader.common.errors import InputError
from grader.lms.intake import take_in


def graded(intake):
    """Return the path of each graded file, below the named path, by label and assignment."""
    return {(each.student.label, each.assignment): each.where.partition("/")[2] for each in intake.handins}


def missing(intake):
    """Return the students and assignments without a graded file, which is absent or refused."""
    return [(each.student.label, each.assignment) for each in intake.absences]


def lines(remarks):
    return "\n".join(f"{each.where}: {each.why}" for each in remarks)


def complaint(path, assignments):
    with pytest.raises(InputError) as caught:
        take_in(path, assignments)
    assert "\n" not in str(caught.value)
    return str(caught.value)
