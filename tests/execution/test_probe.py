"""probe.py: the check whether a device computes correctly."""

import time

import numpy as np
import pytest
from worker_rules import TIMEOUTS

from grader.common.errors import DeviceError, WorkerError
from grader.execution.client import Worker
from grader.execution.outcome import Crashed, Fetched, Garbled, OutOfMemory, TimedOut
from grader.execution.probe import PAUSE, PLAN, RECOVERY, probe
from grader.protocol.messages import BuildFailed, Refused

RIGHT = np.arange(1, 257, dtype=np.uint32)


def answering(monkeypatch, outcome):
    """Let each run of a worker return this outcome, without starting a process."""
    monkeypatch.setattr(Worker, "start", lambda _: None)
    monkeypatch.setattr(Worker, "run_once", lambda *_: outcome)


def returned(payload):
    nothing = np.empty(0, dtype=np.uint32)
    return {"out": Fetched(before=nothing, payload=payload, after=nothing, poison=0)}


@pytest.mark.whole
def test_a_device_that_works_is_found_to(environment):
    """On a working device, the kernel is built and run, its values are checked, and the worker is stopped."""
    worker = environment.worker()
    assert probe(worker) is None
    assert not worker.is_there


def test_the_kernel_leaves_nothing_to_chance():
    """Memory that was never written, and contains zeros or poison, is not mistaken for the right answer."""
    poison = PLAN.buffers[0].poison
    assert not np.array_equal(np.full(256, poison, dtype=np.uint32), RIGHT)
    assert PLAN.buffers[0].size == RIGHT.nbytes


@pytest.mark.parametrize(
    "payload",
    [
        np.zeros(256, dtype=np.uint32),
        RIGHT[::-1],
        RIGHT[:-1],
        np.concatenate([RIGHT[:-1], np.array([0], dtype=np.uint32)]),
    ],
    ids=["nothing", "turned round", "too short", "all but the last"],
)
def test_wrong_values_are_our_error(environment, monkeypatch, payload):
    """Wrong values are an error of grader. The message contains the command that shows details."""
    answering(monkeypatch, returned(payload))
    with pytest.raises(DeviceError, match=r"computes wrong values.*grader doctor`"):
        probe(environment.worker())


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (TimedOut(doing="running", seconds=3), "it was stopped after 3 s"),
        (TimedOut(doing="starting", seconds=30), "starting took longer than 30 s"),
        (Crashed(signal=11, exit_code=None, words=""), "its process ended with SIGSEGV"),
        (Crashed(signal=None, exit_code=9, words=""), "its process ended with exit code 9"),
        (Crashed(signal=6, exit_code=None, words="Final linking failed."), "Final linking failed"),
        (OutOfMemory(), "it used more memory than a worker is allowed"),
        (Refused(call="launch", error="OUT_OF_RESOURCES"), "the driver returned OUT_OF_RESOURCES"),
        (BuildFailed(program="submission", log="a warning\nno linker\n"), "no linker"),
        (BuildFailed(program="submission", log=""), "it does not build"),
        (Garbled(what="it sent no message"), "it sent no message"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else type(value).__name__,
)
def test_a_kernel_of_ours_that_fails_is_our_error(environment, monkeypatch, outcome, why):
    """A device that an earlier submission left hanging must not cost the next student points. The message explains in
    words what failed.
    """
    answering(monkeypatch, outcome)
    with pytest.raises(DeviceError, match=rf"cannot run a simple kernel: {why}\. Run `.*grader doctor`"):
        probe(environment.worker())


def in_turn(monkeypatch, *outcomes):
    """Let the runs of workers return these outcomes in turn, with a clock that advances only during pauses."""
    clock, left = [0.0], list(outcomes)

    def run_once(*_):
        outcome = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(Worker, "start", lambda _: None)
    monkeypatch.setattr(Worker, "run_once", run_once)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    return clock


HUNG = TimedOut(doing="running", seconds=3)


def test_a_device_that_needs_a_while_is_waited_for(environment, monkeypatch):
    """After a process on a GPU was killed, the GPU may fail, then be missing, and then work again. The probe waits
    until it works.
    """
    clock = in_turn(monkeypatch, HUNG, DeviceError("there is no OpenCL device 0."), returned(RIGHT))
    assert probe(environment.worker(), RECOVERY) is None
    assert clock[0] == 2 * PAUSE


def test_a_device_that_stays_away_is_not_waited_for_longer(environment, monkeypatch):
    """The probe stops waiting after a limit, and reports the last fault."""
    clock = in_turn(monkeypatch, DeviceError("there is no OpenCL device 0."), HUNG)
    with pytest.raises(DeviceError, match="cannot run a simple kernel"):
        probe(environment.worker(), RECOVERY)
    assert RECOVERY <= clock[0] < RECOVERY + 2 * PAUSE


@pytest.mark.parametrize("outcome", [returned(RIGHT[::-1]), WorkerError("no container engine answers")])
def test_what_no_waiting_mends_is_told_at_once(environment, monkeypatch, outcome):
    """Wrong values do not disappear by waiting, and a worker that cannot start is not a fault of the device. Both are
    reported at once.
    """
    clock = in_turn(monkeypatch, outcome, returned(RIGHT))
    with pytest.raises((DeviceError, WorkerError)):
        probe(environment.worker(), RECOVERY)
    assert clock[0] == 0


def test_a_device_that_has_gone_is_our_error_and_the_worker_is_stopped(environment):
    """A missing device is an error of grader, and the worker is stopped."""
    worker = Worker(environment.workers.sandbox, 99, TIMEOUTS)
    with pytest.raises(DeviceError, match="no OpenCL device 99"):
        probe(worker)
    assert not worker.is_there


def test_a_worker_that_does_not_start_is_told_as_such(environment, monkeypatch):
    """If a worker does not start, this is reported, and not a fault of the device."""

    def refuse(_):
        raise WorkerError("no container engine answers")

    monkeypatch.setattr(type(environment.workers.sandbox), "start", refuse)
    with pytest.raises(WorkerError, match="no container engine answers"):
        probe(environment.worker())
