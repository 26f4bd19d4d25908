"""Programs that workers build, with their options and definitions."""

from grader.course.assignment import Assignment
from grader.course.submissions.submission import ChosenTask
from grader.execution.device import PEAK_GROUP, PEAK_SOURCE
from grader.grading.checks.compilation.dialect import equivalents
from grader.protocol.steps import ProgramSource

SIZE_TYPE = "uint32_t"
SIZE_MEANS = "uint"


def own_program(assignment: Assignment, source: str) -> ProgramSource:
    """A program of the course. It may use the course's name for a 32-bit size, which is not part of OpenCL C."""
    names = {**assignment.definitions, SIZE_TYPE: SIZE_MEANS}
    options = tuple(f"-D{name}={value}" for name, value in names.items())
    return ProgramSource(source=source, options=options, types=types_of(assignment))


def types_of(assignment: Assignment) -> str:
    """The definitions of the assignment's structs."""
    return " ".join(struct.definition for struct in assignment.laid_out_structs)


PEAK_PROGRAM = ProgramSource(source=PEAK_SOURCE, options=("-cl-mad-enable", f"-DGROUP={PEAK_GROUP}"))
"""The program of the kernel that only computes. It multiplies and adds in one instruction if the device has such an
instruction.
"""


def submitted_definitions(task: ChosenTask) -> dict[str, str]:
    """Macros for the expansion of a student's text.

    Files of the course define the size type themselves. If a text does not, the macros define it.
    """
    definitions = {**equivalents(task.submission.scan), **task.assignment.definitions}
    if SIZE_TYPE in task.submission.scan.defined:
        return definitions
    return {**definitions, SIZE_TYPE: SIZE_MEANS}
