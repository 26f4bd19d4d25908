"""Needs of an assignment that a device may not meet: types that not every device has, work-groups and memory.

A device that lacks them is no student's mistake, so no submission is graded on it.
"""

from collections.abc import Iterator
from math import prod

from grader.common.errors import DeviceError
from grader.common.phrases import listed
from grader.course.assignment import Assignment
from grader.course.elements import ELEMENTS
from grader.course.folders import BASELINE_FILE, MODEL_FILE
from grader.execution.client import Worker
from grader.execution.plan import NOTHING, REFERENCE
from grader.grading.checks.program import own_program
from grader.protocol.messages import BuildFailed, DeviceFacts


def extensions(assignment: Assignment) -> dict[str, str]:
    """Extensions of OpenCL that kernels may need for the assignment's types, by type."""
    used = [each.type for each in assignment.buffers.values()]
    used += [each.type for each in assignment.local.values()]
    used += [each.type for each in assignment.scalars.values()]
    used += [member.type for struct in assignment.laid_out_structs for member in struct.members]
    found = {name: ELEMENTS[name].extension for name in used if name not in assignment.structs}
    return {name: extension for name, extension in found.items() if extension is not None}


def missing_types(assignment: Assignment, worker: Worker) -> str | None:
    """Return a sentence if the worker's device cannot build our own kernels and may lack a type; None if it can, or if
    the assignment has only types that every device has.

    Only a build can tell: a device without arithmetic for half can still move and convert it.
    """
    needed = extensions(assignment)
    if not needed:
        return None
    ours = "model solution" if assignment.kit is None else "baseline"
    source = assignment.source(MODEL_FILE if assignment.kit is None else BASELINE_FILE)
    opened = worker.load({REFERENCE: own_program(assignment, source)}).open(NOTHING)
    if not isinstance(opened, BuildFailed):
        worker.close()
        return None
    types = listed([f"{name} needs {extension}" for name, extension in needed.items()], "and")
    return f"{worker.ready().name} does not build the {ours}: {types}. Choose another device or another type."


def unfit(assignment: Assignment, device: DeviceFacts) -> Iterator[str]:
    """Yield a sentence for each launch or case that is too large for the device."""
    for case in assignment.correctness.cases:
        for step in assignment.sequence(case.sizes).launches:
            group = prod(assignment.items(step.launch, step.launch.local_size, step.sizes))
            if step.launch.kernel not in assignment.choices.launches and group > device.max_work_group:
                yield (
                    f"{device.name} runs groups of at most {device.max_work_group:,} work-items, and assignment.yaml "
                    f"launches {step.launch.kernel} with {group:,}. Make `local` smaller."
                )
        bytes_of_all = sum(assignment.bytes_of(name, case.sizes) for name in assignment.buffers)
        if bytes_of_all > device.global_memory:
            yield (
                f"{device.name} has {device.global_memory * 1e-9:.1f} GB of memory, and the arrays of the case "
                f'"{case.name}" need {bytes_of_all * 1e-9:.1f} GB. Make its sizes smaller.'
            )


def require_sizes(assignment: Assignment, device: DeviceFacts) -> None:
    """Raise DeviceError if a launch or a case is too large for the device."""
    why = next(unfit(assignment, device), None)
    if why is not None:
        raise DeviceError(why)


def require_types(assignment: Assignment, worker: Worker) -> None:
    """Raise DeviceError if the worker's device may lack a type of the assignment."""
    why = missing_types(assignment, worker)
    if why is not None:
        raise DeviceError(why)
