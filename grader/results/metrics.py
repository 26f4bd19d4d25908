"""Measurements of a submission as records: its speed on the device, and its memory accesses in the simulator."""

from typing import Literal

from pydantic import Field

from grader.common.record import Record


class Interval(Record):
    """A median with its confidence interval (see grading/timing/intervals.py)."""

    median: float
    low: float
    high: float

    def over(self, number: float) -> "Interval":
        """Return the interval divided by a positive number."""
        return Interval(median=self.median / number, low=self.low / number, high=self.high / number)


class Samples(Record):
    """Seconds of every timed launch that counts, in the order of the launches. In a student kit, there is no reference
    or control.
    """

    submission: tuple[float, ...]
    reference: tuple[float, ...]
    control: tuple[float, ...]
    baseline: tuple[float, ...]
    device_copy: tuple[float, ...]


class Program(Record):
    """The whole program around the student's kernel: its time in seconds, its speed-up over the naive program, and its
    throughput of the bytes that must move, as a fraction of the copy bandwidth.
    """

    seconds: float
    speed_up: float
    fraction_of_copy: float


class KernelSpeed(Record):
    """Speed of one kernel in the timed program: the total seconds of its launches, and the rate in its unit."""

    kernel: str
    seconds: float
    rate: float
    unit: str


class Roofs(Record):
    """Measured limits of a device, with the name and date of the profile from which they come
    (grading/timing/device_profile.py).

    Bandwidths are in GB/s. The rate of multiply-and-add is in GFLOPS.
    """

    profile: str
    measured: str
    copy_bandwidth: Interval
    fp32_rate: Interval
    local_bandwidth: Interval


class Performance(Record):
    """Measurements of the timed session.

    `fraction_of_reference` decides the verdict. It is the model solution's time divided by the submission's, round by
    round. `noise` is the model solution's time divided by its own time in another worker, and should be 1.

    A student kit has no model solution. There, `noise` is measured with the baseline, and the fraction is computed from
    the baseline's speed with `yardstick`, which is the assumed speed of the model solution as a multiple of the
    baseline's. Without a yardstick, there is no fraction.

    Rates are in `unit`, bandwidths in GB/s, and times in seconds. A run performs `flop` operations (None if it only
    moves data) on `bytes`, the smallest number of bytes that must move. `peak` is the GFLOPS of a kernel of grader that
    only computes. `roofs` exist if the device has a profile. `kernels` contains the kernels whose rates the assignment
    requests. All other values were measured in the session itself.
    """

    device_class: Literal["cpu", "gpu"]
    sizes: dict[str, int]
    pairs: int
    seconds: Interval
    unit: str
    rate: Interval
    fraction_of_reference: Interval | None
    yardstick: float | None = None
    speed_up_over_baseline: Interval
    noise: Interval
    copy_bandwidth: float
    fraction_of_copy: float
    bytes: float
    flop: float | None
    peak: float | None
    roofs: Roofs | None = None
    program: Program | None = None
    kernels: tuple[KernelSpeed, ...] = Field(default=(), exclude_if=lambda value: not value)
    samples: Samples


class Usage(Record):
    """Resources of the device that a kernel uses, as reported by the driver. A value is None if the driver does not
    report it.

    `registers` is the number of registers for each work-item. `in_memory` is the number of bytes of a work-item's
    private variables that are in memory instead of registers. `spilled` is the number of bytes that a work-item moves
    between registers and memory because there are too few registers. `local` is the number of bytes of local memory for
    each work-group.
    """

    kernel: str
    registers: int | None = None
    in_memory: int | None = None
    spilled: int | None = None
    local: int | None = None


class Access(Record):
    """An expression in the source that reads or writes an array, with sums over a launch.

    A request is one execution by a warp, in which a work-item moves up to 16 bytes. `bytes` is the number of bytes that
    work-items requested. In `mostly_idle` requests, fewer than half of a warp's lanes take part. `active` is the number
    of lanes that take part in all of these requests. For both, a request for a vector counts once for each word.

    In global memory, a request moves `sectors`, of which `fewest` would have been enough for the words. `unused` is the
    number of bytes in the sectors that were not used. In local memory, `sectors` is the number of passes of the
    requests, and `fewest` is the number without bank conflicts. `conflicts` is the largest number of additional passes
    for one request.

    `worst` is the largest ratio of `sectors` to `fewest` in one request. `stride` is the most common distance in bytes
    between neighbouring work-items. Results of earlier versions lack `unused`, `conflicts`, `mostly_idle` and `active`.
    """

    line: int
    column: int
    array: str
    space: Literal["global", "constant", "local"]
    does: Literal["reads", "writes"]
    requests: int
    mostly_idle: int = 0
    active: int = 0
    bytes: int
    unused: int = 0
    sectors: int
    fewest: int
    conflicts: int = 0
    worst: float
    stride: int | None


class ImageUse(Record):
    """An expression that reads or writes an image, and the number of times that work-items executed it. `mostly_idle`
    and `active` are as for an Access. Results of earlier versions lack them.
    """

    line: int
    column: int
    image: str
    does: Literal["reads", "writes"]
    times: int
    mostly_idle: int = 0
    active: int = 0


class Need(Record):
    """Bytes of an array in global memory that the work-items of the model solution ask for."""

    array: str
    does: Literal["reads", "writes"]
    bytes: int


class Branch(Record):
    """Conditions in a line: how often a warp `reached` the line, and how often its work-items `diverged` at a
    condition.
    """

    line: int
    reached: int
    diverged: int


class Profile(Record):
    """Memory accesses of the kernels, counted in a simulator. The counts are the same on every machine.

    `sector` and `bank` are widths in bytes. `read` and `written` are the bytes of global memory that work-items asked
    for. `moved` is the number of bytes in all sectors that were moved. `compulsory` is the fewest bytes that a correct
    kernel can move. `barrier_after` is the line after which a barrier was added for these counts, because only this
    barrier was missing. `needed` has the traffic of the model solution, if it was counted for comparison.
    `work_items` is the number of work-items of the largest launch. Results of earlier versions lack it.
    `images` contains the accesses to images. Of the other counts, only `mostly_idle` and `busiest` include them.
    `busiest` contains, for each kernel, the number of words of memory that the busiest work-item of a launch accesses,
    added up over all launches of the kernel. Results of earlier versions lack it.
    `private` contains, for each kernel, the bytes of private memory that the variables of a work-item take up at a
    time. Results of earlier versions lack it.
    """

    sizes: dict[str, int]
    warp: int
    sector: int
    banks: int
    bank: int
    accesses: tuple[Access, ...]
    branches: tuple[Branch, ...]
    flop: int
    read: int
    written: int
    moved: int
    compulsory: int
    barrier_after: int | None = Field(default=None, exclude_if=lambda value: value is None)
    work_items: int | None = Field(default=None, exclude_if=lambda value: value is None)
    images: tuple[ImageUse, ...] = Field(default=(), exclude_if=lambda value: not value)
    needed: tuple[Need, ...] = Field(default=(), exclude_if=lambda value: not value)
    busiest: dict[str, int] = Field(default={}, exclude_if=lambda value: not value)
    private: dict[str, int] = Field(default={}, exclude_if=lambda value: not value)

    def accesses_in(self, space: Literal["global", "local"]) -> list[Access]:
        """Return the accesses to arrays in this memory."""
        return [each for each in self.accesses if each.space == space]

    @property
    def intensity(self) -> float:
        """Floating-point operations for each byte of global memory that work-items request. 0 if they request only
        pixels of images.
        """
        asked = self.read + self.written
        return 0.0 if self.images and not asked else self.flop / max(1, asked)

    @property
    def local_intensity(self) -> float:
        """Floating-point operations for each byte of local memory that work-items request. 0 if no local memory is
        used.
        """
        asked = sum(each.bytes for each in self.accesses_in("local"))
        return self.flop / asked if asked else 0.0

    @property
    def unused(self) -> int:
        """Bytes of global memory that were moved but not used."""
        return sum(each.unused for each in self.accesses_in("global"))

    @property
    def requests(self) -> int:
        """Number of requests of warps to global and local memory."""
        return sum(each.requests for each in self.accesses if each.space != "constant")

    @property
    def mostly_idle(self) -> int:
        """Number of requests to global memory, local memory and images in which fewer than half of a warp's lanes take
        part.
        """
        accesses = (each.mostly_idle for each in self.accesses if each.space != "constant")
        return sum(accesses) + sum(each.mostly_idle for each in self.images)

    @property
    def diverged(self) -> int:
        """Number of times that work-items of a warp took different paths at a branch."""
        return sum(each.diverged for each in self.branches)
