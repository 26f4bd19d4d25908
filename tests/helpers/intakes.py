"""What an intake found, in short."""

import pytest

from grader.common.errors import InputError
from grader.lms.intake import take_in


def graded(intake):
    """What is graded of whom: path below what was named, by label and assignment."""
    return {(each.student.label, each.assignment): each.where.partition("/")[2] for each in intake.handins}


def missing(intake):
    """Of whom nothing is graded, be it absent or refused."""
    return [(each.student.label, each.assignment) for each in intake.absences]


def lines(remarks):
    return "\n".join(f"{each.where}: {each.why}" for each in remarks)


def complaint(path, assignments):
    with pytest.raises(InputError) as caught:
        take_in(path, assignments)
    assert "\n" not in str(caught.value)
    return str(caught.value)
