"""Properties of the devices on which kernels run, as the judge sees them."""

from dataclasses import dataclass

from grader.course.assignment import Assignment
from grader.course.criteria import DeviceClass
from grader.course.elements import WORD_BYTES
from grader.course.expressions import evaluate_int
from grader.course.speed_goals import device_class, speed_goal
from grader.kernels import source
from grader.protocol.messages import DeviceFacts


def share_a_process(device: DeviceFacts) -> bool:
    """True if kernels run as native code in the worker's process. That is so on a CPU; kernels on a GPU cannot access
    the process.
    """
    return device_class(device) == "cpu"


GPU_COPY_BYTES = 256 * 1024**2
"""Number of bytes that a GPU copies when its bandwidth is measured. This is much more than its caches contain (50 MB on
an H200). With an eighth of this size, an H200 reached only half of its bandwidth.
"""


def copy_size(assignment: Assignment, device: DeviceFacts) -> int:
    """Return the size in bytes of the copy with which the assignment's bandwidth is compared. It is a multiple of a
    word.

    On a CPU, the copy moves as many bytes as the kernel must move, so that both use the same caches. On a GPU, it
    copies at least GPU_COPY_BYTES.
    """
    sizes = speed_goal(assignment, device).sizes
    moved = evaluate_int(assignment.speed_goals.bytes, assignment.names(sizes))
    size = moved // (2 * WORD_BYTES) * WORD_BYTES  # a copy of n bytes reads n and writes n
    return size if device_class(device) == "cpu" else max(size, GPU_COPY_BYTES)


PEAK_GROUP = 64
"""Number of work-items in a work-group. It is small and known to the compiler, so that the compiler can give each
work-item as many registers as it needs.
"""

PEAK_SOURCE = source("peak.cl")
FLOP_PER_TURN = 7 * 16 * 2

ITEMS_PER_UNIT = 2048
"""Number of work-items per compute unit in the launch that only computes. All units get equal numbers, so that no unit
waits for another.
"""

PEAK_TURNS: dict[DeviceClass, int] = {"cpu": 64, "gpu": 512}
"""Number of iterations of the loop in the launch that only computes. They take just long enough for timing, about 0.3
ms at 100 GFLOPS per core and 0.5 ms on an H200.
"""


@dataclass(frozen=True, kw_only=True)
class PeakRun:
    """A launch that measures the peak rate of a device, with a kernel that only multiplies and adds.

    `items` is the number of work-items, and `turns` is the number of loop iterations of each work-item.
    """

    items: int
    turns: int

    @property
    def flop(self) -> int:
        """Number of floating-point operations in the whole launch."""
        return self.items * self.turns * FLOP_PER_TURN


def peak_run(device: DeviceFacts) -> PeakRun:
    """Return a short launch that measures the peak rate of this device."""
    return PeakRun(items=ITEMS_PER_UNIT * device.compute_units, turns=PEAK_TURNS[device_class(device)])
