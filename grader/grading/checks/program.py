"""The texts that workers build, and the options they are built with."""

from grader.course.assignment import Assignment
from grader.course.submissions.task import ChosenTask
from grader.execution.device import PEAK_GROUP, PEAK_SOURCE
from grader.grading.checks.dialect import equivalents
from grader.protocol.steps import ProgramSource

SIZE_TYPE = "uint32_t"
SIZE_MEANS = "uint"


def own_program(assignment: Assignment, source: str) -> ProgramSource:
    """A text of ours; it may use the course's name for a 32-bit size, which OpenCL C does not know."""
    names = {**assignment.definitions, SIZE_TYPE: SIZE_MEANS}
    return ProgramSource(source=source, options=tuple(f"-D{name}={value}" for name, value in names.items()))


PEAK_PROGRAM = ProgramSource(source=PEAK_SOURCE, options=("-cl-mad-enable", f"-DGROUP={PEAK_GROUP}"))
"""A multiplication and an addition in one, where the device can."""


def submitted_definitions(task: ChosenTask) -> dict[str, str]:
    """The macros that a student's text is expanded with.

    Files of the course define the size type themselves; for one that does not, we do.
    """
    definitions = {**equivalents(task.submission.scan), **task.assignment.definitions}
    if SIZE_TYPE in task.submission.scan.defined:
        return definitions
    return {**definitions, SIZE_TYPE: SIZE_MEANS}
