"""Requirements of an assignment that a device may not meet: types, images, work-groups and memory. A device that does
not meet them is not a student's mistake, so submissions are not graded on it.
"""

from collections.abc import Iterator
from math import prod

from grader.common.errors import DeviceError
from grader.common.phrases import listed
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.elements import ELEMENTS
from grader.course.folders import BASELINE_FILE, MODEL_FILE
from grader.course.run_sequence import LaunchAt
from grader.execution.assignment_plans import buffer_spec
from grader.execution.client import Worker
from grader.execution.plan import NOTHING, REFERENCE, Plan
from grader.grading.checks.compilation.program import own_program
from grader.protocol.messages import BuildFailed, DeviceFacts, Refused
from grader.protocol.steps import BufferSpec, ImageSpec


def extensions(assignment: Assignment) -> dict[str, str]:
    """OpenCL extensions that kernels may need for the types of the assignment, by type. For an image, this is the type
    of its parameter.
    """
    used = [each.type for each in assignment.buffers.values()]
    used += [each.type for each in assignment.local.values()]
    used += [each.type for each in assignment.scalars.values()]
    used += [member.type for struct in assignment.laid_out_structs for member in struct.members]
    found = {name: ELEMENTS[name].extension for name in used if name not in assignment.structs}
    if any(each.is_deep and each.part != "input" for each in assignment.buffers.values()):
        found["write_only image3d_t"] = "cl_khr_3d_image_writes"
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


def missing_images(assignment: Assignment, worker: Worker) -> str | None:
    """Return a sentence if the worker's device refuses an image of a case, because it does not support images, or this
    format or extent. Returns None if it supports all images.
    """
    tried: set[BufferSpec] = set()
    for case in assignment.correctness.cases:
        for name, buffer in assignment.buffers.items():
            spec = buffer_spec(assignment, name, case.sizes)
            if spec.image is None or spec in tried:
                continue
            tried.add(spec)
            error = _refused(worker, spec, spec.image)
            if error is not None:
                device, extent = worker.ready().name, f"{' x '.join(f'{each:,}' for each in spec.image.extent)} pixels"
                why = _why_refused(worker, spec, spec.image)
                return why.format(
                    device=device, name=name, format=buffer.image, extent=extent, case=case.name, error=error
                )
    return None


def _refused(worker: Worker, spec: BufferSpec, image: ImageSpec) -> str | None:
    """Return the error with which the device refuses an image, or None if it creates the image."""
    opened = worker.load({}).open(Plan(buffers=(replace(spec, size=image.size, image=image),), scripts={}))
    if isinstance(opened, Refused):
        return opened.error
    worker.close()
    return None


def _why_refused(worker: Worker, spec: BufferSpec, image: ImageSpec) -> str:
    """Return the sentence for an image that the device refuses. The error alone is not enough, because PoCL's error for
    an image that is too large is the error of other drivers for a device without images.
    """
    error = _refused(worker, spec, replace(image, width=1, height=1, depth=image.depth and 1))
    if error is None:
        return TOO_LARGE
    return NO_FORMAT if error == "IMAGE_FORMAT_NOT_SUPPORTED" else NO_IMAGES


NO_IMAGES = "{device} has no images, and assignment.yaml has the image {name} ({error}). Choose another device."
NO_FORMAT = (
    "{device} has no images of the format {format}, which {name} has in assignment.yaml. Choose another format or "
    "another device."
)
TOO_LARGE = (
    '{device} has no images of {extent}, which {name} has in the case "{case}" of assignment.yaml ({error}). Make its '
    "sizes smaller."
)


def unfit(assignment: Assignment, device: DeviceFacts) -> Iterator[str]:
    """Yield a sentence for each launch, case or constant array that is too large for the device."""
    yield from _unfit_constants(assignment, device)
    for case in assignment.correctness.cases:
        for step in assignment.sequence(case.sizes).launches:
            yield from _unfit_launch(assignment, step, device)
        bytes_of_all = sum(assignment.bytes_of(name, case.sizes) for name in assignment.buffers)
        if bytes_of_all > device.global_memory:
            yield (
                f"{device.name} has {device.global_memory * 1e-9:.1f} GB of memory, and the arrays of the case "
                f'"{case.name}" need {bytes_of_all * 1e-9:.1f} GB. Make its sizes smaller.'
            )


def _unfit_constants(assignment: Assignment, device: DeviceFacts) -> Iterator[str]:
    """Yield a sentence for each array that a kernel may declare as constant memory, but that is too large for the
    device. Only devices below OpenCL's minimum are too small.
    """
    for name in filter(assignment.may_be_constant, assignment.buffers):
        most = max(assignment.bytes_of(name, sizes) for sizes in assignment.all_sizes())
        if device.constant_memory is not None and most > device.constant_memory:
            yield (
                f"{device.name} has {device.constant_memory:,} bytes of constant memory for an array, and {name} needs "
                f"{most:,} if a kernel declares it as __constant. Choose another device."
            )


def _unfit_launch(assignment: Assignment, step: LaunchAt, device: DeviceFacts) -> Iterator[str]:
    """Yield a sentence if the work-groups of a launch need more than the device has."""
    kernel = step.launch.kernel
    group = prod(assignment.items(step.launch, step.launch.local_size, step.sizes))
    if kernel not in assignment.choices.launches and group > device.max_work_group:
        yield (
            f"{device.name} runs groups of at most {device.max_work_group:,} work-items, and assignment.yaml "
            f"launches {kernel} with {group:,}. Make `local` smaller."
        )
    arrays = [assignment.local[arg] for arg in step.launch.args if arg in assignment.local]
    bytes_of_all = sum(
        assignment.element(each.type).bytes * prod(assignment.shape(each, step.sizes)) for each in arrays
    )
    if bytes_of_all > device.local_memory:
        yield (
            f"{device.name} has {device.local_memory:,} bytes of local memory, and the local arrays of {kernel} need "
            f"{bytes_of_all:,}. Make their shapes smaller."
        )


def require_sizes(assignment: Assignment, device: DeviceFacts) -> None:
    """Raise DeviceError if a launch or a case is too large for the device."""
    why = next(unfit(assignment, device), None)
    if why is not None:
        raise DeviceError(why)


def require_images(assignment: Assignment, worker: Worker) -> None:
    """Raise DeviceError if the worker's device refuses an image of the assignment."""
    why = missing_images(assignment, worker)
    if why is not None:
        raise DeviceError(why)


def require_types(assignment: Assignment, worker: Worker) -> None:
    """Raise DeviceError if the worker's device may lack a type of the assignment."""
    why = missing_types(assignment, worker)
    if why is not None:
        raise DeviceError(why)
