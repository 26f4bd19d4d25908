"""calibration.py: the kernels that measure a device do all the work for which they are timed."""

import re
from importlib.metadata import version

import numpy as np
import pytest
from samples import DEVICE

from grader.common.errors import DeviceError
from grader.execution.device import peak_run
from grader.execution.outcome import Crashed, Timing
from grader.execution.plan import COPY, PEAK, PEAK_OUTPUT
from grader.execution.session import WorkerSession
from grader.grading.timing import calibration
from grader.grading.timing.calibration import (
    COPIES,
    COPY_BYTES,
    GROUP,
    KERNEL_COPY,
    LOCAL,
    LOCAL_SUM,
    LOCAL_TURNS,
    NOTHING,
    SHELF,
    calibrate,
)
from grader.grading.timing.clocks import Clocks
from grader.protocol.messages import StepTime

GPU = DEVICE.model_copy(
    update={"type": "gpu", "name": "NVIDIA H200", "compute_units": 132, "global_memory": 150 * 10**9}
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Use few launches and short copies, because the measured figures themselves do not matter in these tests."""
    for name, value in {"WARM_UP_SECONDS": 0.02, "SECONDS": 0.02, "AT_LEAST": 3, "AT_MOST": 5}.items():
        monkeypatch.setattr(calibration, name, value)
    monkeypatch.setattr(calibration, "COPY_BYTES", dict.fromkeys(COPY_BYTES, 2**22))
    monkeypatch.setattr(calibration, "COPIES", dict.fromkeys(COPIES, (COPY, KERNEL_COPY)))


@pytest.fixture
def worker(environment):
    with environment.worker() as worker:
        yield worker


@pytest.mark.whole
def test_this_machine_can_be_calibrated(worker, monkeypatch):
    """A calibration contains every figure with its interval, and the device, the sandbox, the version, the time and the
    clock rates of the measurement.
    """
    monkeypatch.setattr(calibration, "clocks_now", lambda _: Clocks(processors=1980, memory=3201))
    told = []
    profile = calibrate(worker, "process", told.append)
    for figure in ("copy_bandwidth", "fp32_rate", "local_bandwidth", "launch", "launch_on_device"):
        found = getattr(profile, figure)
        assert 0 <= found.low <= found.median <= found.high, figure
        assert found.high > 0
    assert profile.launch.median > profile.launch_on_device.median
    assert (profile.device, profile.sandbox, profile.grader) == (worker.ready(), "process", version("grader"))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", profile.measured)
    assert profile.clocks == Clocks(processors=1980, memory=3201)
    assert told == ["preparing", "copying", "computing", "reading local memory", "starting kernels"]


def steady(monkeypatch, milliseconds):
    """Make every launch report a fixed time: the given milliseconds of its script on the device's clock, and a waiting
    time of 0.25 s. The launches still run.
    """
    launch = WorkerSession.launch

    def launch_as_told(self, script):
        timing = launch(self, script)
        assert isinstance(timing, Timing)
        step = StepTime(start_ns=0, end_ns=int(milliseconds.get(script, 1) * 1e6))
        return Timing(steps=(step,), wall_seconds=0.25)

    monkeypatch.setattr(WorkerSession, "launch", launch_as_told)


def test_rates_are_those_worked_out_by_hand(worker, monkeypatch):
    """The rates are the bytes or operations of the kernels, divided by the given times. Here, a kernel reads and writes
    4 MiB in 1 ms, the driver's copy takes 2 ms, and each work-item reads 64 bytes of local memory in each iteration for
    10 ms.
    """
    steady(monkeypatch, {COPY: 2, KERNEL_COPY: 1, LOCAL: 10, PEAK: 100, NOTHING: 0.005})
    profile = calibrate(worker, "process", lambda _: None)
    items = 2048 * worker.ready().compute_units
    assert profile.copy_bandwidth.median == pytest.approx(2 * 2**22 / 1e-3 * 1e-9)
    assert profile.local_bandwidth.median == pytest.approx(items * LOCAL_TURNS * 64 / 10e-3 * 1e-9)
    assert profile.fp32_rate.median == pytest.approx(16 * peak_run(worker.ready()).flop / 100e-3 * 1e-9)
    assert profile.launch_on_device.median == pytest.approx(5e-6)
    assert profile.launch.median == 0.25


@pytest.mark.whole
def test_the_drivers_copy_counts_where_it_is_the_faster(worker, monkeypatch):
    """If the driver's copy is faster than the kernel's, it defines the copy bandwidth. Some drivers copy with all cores
    and bypass the caches.
    """
    steady(monkeypatch, {COPY: 0.5, KERNEL_COPY: 1})
    profile = calibrate(worker, "process", lambda _: None)
    assert profile.copy_bandwidth.median == pytest.approx(2 * 2**22 / 0.5e-3 * 1e-9)


def test_what_a_gpu_copies_is_far_beyond_its_caches_and_fits_its_memory(monkeypatch):
    """The copy on a GPU is far larger than the caches but fits into the memory: 1 GiB of 140, or an eighth of a small
    memory, rounded to whole work-groups. Only the driver's copy is measured.
    """
    monkeypatch.undo()
    assert calibration.COPIES["gpu"] == (COPY,)
    sizes = {spec.name: spec.size for spec in calibration._plan(GPU).buffers}
    assert sizes == {"source": 2**30, "target": 2**30, PEAK_OUTPUT: 4 * 132 * 2048}
    small = GPU.model_copy(update={"global_memory": 2 * 2**30 + 12345})
    sizes = {spec.name: spec.size for spec in calibration._plan(small).buffers}
    assert sizes["source"] == 2**28
    assert sizes["source"] % (64 * GROUP) == 0


def test_the_sums_of_local_memory_can_be_held_by_a_float():
    """The sums of local memory are exact in single precision, because all partial sums are integers below 2^24. Each
    work-item reads every word equally often.
    """
    shelf = np.arange(SHELF)[:, None] % 8 + np.arange(4)
    assert LOCAL_TURNS % GROUP == 0
    assert LOCAL_TURNS // GROUP * int(shelf.sum()) == LOCAL_SUM < 2**24


@pytest.mark.whole
def test_reads_that_were_left_out_are_noticed(worker, monkeypatch):
    """If a compiler or driver omits reads of local memory, the sums are wrong and DeviceError is raised, because the
    bandwidth would be overestimated.
    """
    monkeypatch.setattr(calibration, "SOURCE", calibration.SOURCE.replace("d += shelf", "//"))
    with pytest.raises(DeviceError, match="wrong sums of values in local memory"):
        calibrate(worker, "process", lambda _: None)


@pytest.mark.whole
def test_a_clock_too_coarse_for_a_launch_is_a_fault_of_the_device(worker, monkeypatch):
    """If the device's clock reports no time for a launch, no rate can be computed, so DeviceError is raised."""
    steady(monkeypatch, {COPY: 0})
    with pytest.raises(DeviceError, match="too coarse for launches of a millisecond"):
        calibrate(worker, "process", lambda _: None)


@pytest.mark.whole
def test_a_kernel_of_ours_that_fails_is_a_fault_of_the_device(worker, monkeypatch):
    """If a calibration kernel cannot be built or run, DeviceError names the kernel and the failure."""
    with monkeypatch.context() as patch:
        patch.setattr(calibration, "SOURCE", "nonsense")
        with pytest.raises(DeviceError, match="cannot build the calibration kernels"):
            calibrate(worker, "process", lambda _: None)
    monkeypatch.setattr(WorkerSession, "launch", lambda *_: Crashed(signal=11, exit_code=None, words=""))
    with pytest.raises(DeviceError, match="cannot run the calibration step `fill`: its process ended with SIGSEGV"):
        calibrate(worker, "process", lambda _: None)
