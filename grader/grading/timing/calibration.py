"""`grader calibrate`: measures how fast a device copies, computes, reads local memory and starts a kernel. Like a
grading, it times grader's own kernels in a worker. Other programs must not use the device meanwhile.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np

from grader.common.errors import DeviceError
from grader.course.criteria import DeviceClass
from grader.course.poison import POISON
from grader.course.speed_goals import device_class
from grader.execution.assignment_plans import peak_step
from grader.execution.client import Worker
from grader.execution.device import PeakRun, peak_run
from grader.execution.outcome import Failure, Timing, in_words
from grader.execution.plan import COPY, PEAK, PEAK_OUTPUT, Plan, Script
from grader.grading.checks.compilation.program import PEAK_PROGRAM
from grader.grading.timing.clocks import Clocks, clocks_now
from grader.grading.timing.device_profile import DeviceProfile
from grader.grading.timing.intervals import interval
from grader.kernels import source
from grader.protocol.messages import DeviceFacts, Opened
from grader.protocol.steps import BufferArg, BufferSpec, CopyStep, KernelStep, ProgramSource, ScalarArg, Step
from grader.results.metrics import Interval

WARM_UP_SECONDS = 0.6
"""Duration of the warm-up before each measurement. A GPU raises its clock rates within some tenths of a second."""

SECONDS, AT_LEAST, AT_MOST = 1.2, 20, 500
"""Duration of each measurement, and minimum and maximum number of its launches. All measurements take 9 s
on two cores.
"""

OURS, FILL, KERNEL_COPY, LOCAL, NOTHING = "ours", "fill", "kernel copy", "local memory", "nothing"
"""Names of the program with SOURCE, and of the scripts."""

GROUP = 256
SHELF = 1024
"""Number of vectors in local memory; a work-group of GROUP work-items reads all of them."""

OPTIONS = (f"-DGROUP={GROUP}", f"-DSHELF={SHELF}")
SOURCE = source("calibration.cl")

LOCAL_TURNS = 4096
"""Number of iterations of the kernel local_reads. They take about 2 ms on an H200 if each of its 132 units reads 128
bytes per cycle.
"""

LOCAL_BYTES_PER_TURN = 4 * 16
"""Bytes that a work-item reads in one iteration, which are four vectors of four floats."""

LOCAL_SUM = float(LOCAL_TURNS // GROUP * sum(4 * (i % 8) + 6 for i in range(SHELF)))
"""The sum that every work-item of local_reads computes. A work-item reads the whole shelf in GROUP iterations. A float
represents the sum exactly.
"""

PEAK_TIMES = 16
"""Length of a launch of the peak kernel, as a multiple of a launch in a grading. It takes 8 ms on an H200, so the time
to start and end it is negligible.
"""

COPY_BYTES: dict[DeviceClass, int] = {"cpu": 2**28, "gpu": 2**30}
"""Number of bytes of a copy. It is far larger than caches (50 MB on an H200, some hundred MB on a server's CPU), but
within the memory limit of a worker.
"""

COPIES: dict[DeviceClass, tuple[str, ...]] = {"cpu": (COPY, KERNEL_COPY), "gpu": (COPY,)}
"""Scripts of the copies, of which the fastest counts. The copy command of a CPU driver may use only one core."""


def calibrate(worker: Worker, sandbox: str, progress: Callable[[str], None]) -> DeviceProfile:
    """Measure the worker's device, to which the caller must have exclusive access.

    `progress` is called with the name of each step. Raises DeviceError if the device fails at a step.
    """
    device = worker.ready()
    run = _peak_run(device)
    progress("preparing")
    _open(worker, _plan(device))
    progress("copying")
    copied = 2 * _copy_bytes(device)
    copies = [_rate(copied, _repeat(worker, script)) for script in COPIES[device_class(device)]]
    progress("computing")
    with ThreadPoolExecutor(1) as beside:
        clocks = beside.submit(_clocks_at_work, device)
        computing = _repeat(worker, PEAK)
    progress("reading local memory")
    reading = _repeat(worker, LOCAL)
    _check_sums(worker)
    progress("starting kernels")
    launches = _repeat(worker, NOTHING)
    return DeviceProfile(
        device=device,
        sandbox=sandbox,
        grader=version("grader"),
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
        copy_bandwidth=max(copies, key=lambda each: each.median),
        fp32_rate=_rate(run.flop, computing),
        local_bandwidth=_rate(LOCAL_BYTES_PER_TURN * LOCAL_TURNS * run.items, reading),
        launch=interval([each.wall_seconds for each in launches]),
        launch_on_device=interval([each.seconds for each in launches]),
        clocks=clocks.result(),
    )


def _clocks_at_work(device: DeviceFacts) -> Clocks | None:
    """The clock rates of the device after the warm-up."""
    time.sleep(WARM_UP_SECONDS)
    return clocks_now(device)


def _peak_run(device: DeviceFacts) -> PeakRun:
    run = peak_run(device)
    return replace(run, turns=PEAK_TIMES * run.turns)


def _copy_bytes(device: DeviceFacts) -> int:
    """Bytes of a copy on this device: a whole number of work-groups, and at most an eighth of the device's memory."""
    group = 64 * GROUP
    return min(COPY_BYTES[device_class(device)], device.global_memory // 8) // group * group


def _plan(device: DeviceFacts) -> Plan:
    """The plan of the session in which everything is measured."""
    run, size = _peak_run(device), _copy_bytes(device)
    sizes = {"source": size, "target": size, PEAK_OUTPUT: 4 * run.items}
    turns = ScalarArg(type="uint32", value=LOCAL_TURNS)
    steps: dict[str, Step] = {
        FILL: _step("fill", size // 64, "source"),
        COPY: CopyStep(source="source", target="target"),
        KERNEL_COPY: _step("copy", size // 64, "source", "target"),
        PEAK: peak_step(run),
        LOCAL: _step("local_reads", run.items, PEAK_OUTPUT, turns),
        NOTHING: _step("nothing", GROUP, PEAK_OUTPUT),
    }
    return Plan(
        buffers=tuple(BufferSpec(name=name, size=size, guard=0, poison=POISON) for name, size in sizes.items()),
        scripts={name: Script(steps=(step,), uploads=(), outputs=()) for name, step in steps.items()},
    )


def _step(kernel: str, items: int, *args: str | ScalarArg) -> KernelStep:
    """A launch of a kernel in SOURCE. Each argument is a scalar or the name of a buffer."""
    given = tuple(BufferArg(buffer=arg) if isinstance(arg, str) else arg for arg in args)
    return KernelStep(program=OURS, kernel=kernel, args=given, global_size=(items,), local_size=(GROUP,))


def _open(worker: Worker, plan: Plan) -> None:
    """Open a session and fill the source of the copy."""
    opened = worker.load({OURS: ProgramSource(source=SOURCE, options=OPTIONS), PEAK: PEAK_PROGRAM}).open(plan)
    if not isinstance(opened, Opened):
        raise _failed("build the calibration kernels", opened)
    _launch(worker, FILL)


def _launch(worker: Worker, script: str) -> Timing:
    timing = worker.session.launch(script)
    if not isinstance(timing, Timing):
        raise _failed(f"run the calibration step `{script}`", timing)
    return timing


def _repeat(worker: Worker, script: str) -> list[Timing]:
    """The times of repeated launches of a script, after the device has warmed up."""
    start = time.perf_counter()
    timings: list[Timing] = []
    elapsed = 0.0
    while len(timings) < AT_LEAST or (len(timings) < AT_MOST and elapsed < WARM_UP_SECONDS + SECONDS):
        timing = _launch(worker, script)
        if elapsed > WARM_UP_SECONDS:
            timings.append(timing)
        elapsed = time.perf_counter() - start
    return timings


def _rate(work: int, timings: Sequence[Timing]) -> Interval:
    """The rate of the work in 10^9 units per second."""
    seconds = interval([each.seconds for each in timings])
    if seconds.low <= 0:
        raise DeviceError("the clock of the device is too coarse for launches of a millisecond. Run `grader doctor`.")
    return Interval(median=work / seconds.median * 1e-9, low=work / seconds.high * 1e-9, high=work / seconds.low * 1e-9)


def _check_sums(worker: Worker) -> None:
    """Check the sums that local_reads has computed. They are right only if the compiler did not remove reads."""
    fetched = worker.session.fetch((PEAK_OUTPUT,))
    if not isinstance(fetched, dict):
        raise _failed("return the sums that it computed", fetched)
    if not np.all(fetched[PEAK_OUTPUT].payload.view(np.float32) == LOCAL_SUM):
        raise DeviceError("the device computes wrong sums of values in local memory. Run `grader doctor`.")


def _failed(what: str, failure: Failure) -> DeviceError:
    return DeviceError(f"the device cannot {what}: {in_words(failure)}. Run `grader doctor`.")
