"""The devices that kernels run on, as the judge sees them."""

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
    """Which speed goals apply: those for a CPU driver, or those for anything that is not one."""
    return "cpu" if device.type == "cpu" else "gpu"


def share_a_process(device: DeviceFacts) -> bool:
    """Whether kernels run as native code in their worker: on a processor they do, on a GPU they cannot reach it."""
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
    """How many times as fast the model solution is as what is timed in its place: once where that is itself; in a
    student kit, where it is the baseline, as many times as the goal's yardstick says. None if that says nothing.
    """
    return 1.0 if assignment.kit is None else speed_goal(assignment, device).yardstick


GPU_COPY_BYTES = 256 * 1024**2
"""Bytes that a GPU copies to show its bandwidth: far beyond its caches (50 MB on an H200, which was seen to reach half
of its bandwidth with an eighth of this)."""


def copy_size(assignment: Assignment, device: DeviceFacts) -> int:
    """Bytes of the copy that the assignment's bandwidth is compared with, a multiple of an element's.

    On a CPU it moves as many bytes as the kernel must, through the same caches; on a GPU at least GPU_COPY_BYTES.
    """
    sizes = speed_goal(assignment, device).sizes
    moved = evaluate_int(assignment.speed_goals.bytes, assignment.names(sizes))
    size = moved // (2 * ELEMENT_BYTES) * ELEMENT_BYTES  # a copy of n bytes reads n and writes n
    return size if device_class(device) == "cpu" else max(size, GPU_COPY_BYTES)


PEAK_GROUP = 64
"""Work-items of a group: few, and known to the compiler, which may then give each as many registers as it wants."""

PEAK_SOURCE = source("peak.cl")
FLOP_PER_TURN = 7 * 16 * 2

ITEMS_PER_UNIT = 2048
"""Work-items of a launch that only computes, for each compute unit: as many for all, or some would wait for others."""

PEAK_TURNS: dict[DeviceClass, int] = {"cpu": 64, "gpu": 512}
"""Long enough to be timed (about 0.3 ms at 100 GFLOPS a core, 0.5 ms on an H200), and no longer."""


@dataclass(frozen=True, kw_only=True)
class PeakRun:
    """A launch of a kernel of ours that only multiplies and adds, to see how fast that can be: `items` work-items, each
    going so many `turns` round its loop.
    """

    items: int
    turns: int

    @property
    def flop(self) -> int:
        """Operations of the whole launch."""
        return self.items * self.turns * FLOP_PER_TURN


def peak_run(device: DeviceFacts) -> PeakRun:
    """A short launch that shows this device's peak rate."""
    return PeakRun(items=ITEMS_PER_UNIT * device.compute_units, turns=PEAK_TURNS[device_class(device)])
