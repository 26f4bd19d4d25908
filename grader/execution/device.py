"""Properties of the devices that kernels run on, from the judge's point of view."""

from dataclasses import dataclass

from grader.common.errors import InputError
from grader.course.assignment import Assignment
from grader.course.expressions import evaluate_int
from grader.course.folders import ASSIGNMENT_FILE
from grader.course.launches import ELEMENT_BYTES
from grader.course.rubric import DeviceClass, SpeedGoal
from grader.kernels import source
from grader.protocol.messages import DeviceFacts


def device_class(device: DeviceFacts) -> DeviceClass:
    """Class of the device, which selects the speed goals: "cpu" for a CPU driver, "gpu" for every other device."""
    return "cpu" if device.type == "cpu" else "gpu"


def share_a_process(device: DeviceFacts) -> bool:
    """True if kernels run as native code in the worker's process. They do on a CPU; on a GPU, they cannot access it."""
    return device_class(device) == "cpu"


def speed_goal(assignment: Assignment, device: DeviceFacts) -> SpeedGoal:
    """Speed goal for this device. Raises InputError if the assignment has none for its class, or checks no speed."""
    kind = device_class(device)
    goal = assignment.speed_goals.classes.get(kind)
    if goal is None:
        path = assignment.folder / ASSIGNMENT_FILE
        raise InputError(f"{path}: says nothing about the device {device.name}; add performance.classes.{kind}.")
    return goal


def model_speed(assignment: Assignment, device: DeviceFacts) -> float | None:
    """Speed of the model solution, as a multiple of the speed of the program that is timed for comparison.

    It is 1 if the model solution itself is timed. A student kit times the baseline instead; there it is the yardstick
    of the speed goal, or None if the goal has no yardstick.
    """
    return 1.0 if assignment.kit is None else speed_goal(assignment, device).yardstick


GPU_COPY_BYTES = 256 * 1024**2
"""Bytes that a GPU copies when its bandwidth is measured. This is much more than its caches hold (50 MB on an H200).
With an eighth of this size, an H200 reached half of its bandwidth.
"""


def copy_size(assignment: Assignment, device: DeviceFacts) -> int:
    """Bytes of the copy with which the assignment's bandwidth is compared. It is a multiple of the element size.

    On a CPU, the copy moves as many bytes as the kernel must move, so that both use the same caches. On a GPU, it
    copies at least GPU_COPY_BYTES.
    """
    sizes = speed_goal(assignment, device).sizes
    moved = evaluate_int(assignment.speed_goals.bytes, assignment.names(sizes))
    size = moved // (2 * ELEMENT_BYTES) * ELEMENT_BYTES  # a copy of n bytes reads n and writes n
    return size if device_class(device) == "cpu" else max(size, GPU_COPY_BYTES)


PEAK_GROUP = 64
"""Work-items of a work-group. The number is small and known to the compiler, so that it can give each work-item as many
registers as it needs.
"""

PEAK_SOURCE = source("peak.cl")
FLOP_PER_TURN = 7 * 16 * 2

ITEMS_PER_UNIT = 2048
"""Work-items per compute unit in the launch that only computes. All units get equal numbers, so that no unit waits for
another one.
"""

PEAK_TURNS: dict[DeviceClass, int] = {"cpu": 64, "gpu": 512}
"""Iterations of the loop in the launch that only computes. They take just long enough for timing: about 0.3 ms at
100 GFLOPS per core, and 0.5 ms on an H200.
"""


@dataclass(frozen=True, kw_only=True)
class PeakRun:
    """A launch that measures the peak rate of a device, with a kernel that only multiplies and adds.

    `items` is the number of work-items, and `turns` the number of iterations of each work-item's loop.
    """

    items: int
    turns: int

    @property
    def flop(self) -> int:
        """Floating-point operations of the whole launch."""
        return self.items * self.turns * FLOP_PER_TURN


def peak_run(device: DeviceFacts) -> PeakRun:
    """A short launch that measures the peak rate of this device."""
    return PeakRun(items=ITEMS_PER_UNIT * device.compute_units, turns=PEAK_TURNS[device_class(device)])
