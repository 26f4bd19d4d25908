"""The texts that workers build, and the options they are built with."""

from grader.assignment import Assignment
from grader.protocol import Program
from grader.task import Task

SIZE_TYPE = "uint32_t"
SIZE_OPTION = f"-D{SIZE_TYPE}=uint"


def own_program(assignment: Assignment, source: str) -> Program:
    """A text of ours; it may use the course's name for a 32-bit size, which OpenCL C does not know."""
    return Program(source=source, options=(*assignment.build_options, SIZE_OPTION))


def submitted_program(task: Task) -> Program:
    """The student's text. Files of the course define the name themselves; for one that does not, we do."""
    source = task.submission.source
    if not task.submission.defines(SIZE_TYPE):
        return own_program(task.assignment, source)
    return Program(source=source, options=task.assignment.build_options)
