"""session.py and the process sandbox: runs of scripts in an open session, with and without errors."""

import errno
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from processes import left_of
from small_jobs import ARRAYS, COUNT, is_right, make_worker, plan
from worker_rules import LIMITS, TIMEOUTS

from grader.common.errors import WorkerError
from grader.course.poison import INPUT_POISON, POISON
from grader.execution.outcome import Crashed, Garbled, TimedOut, Timing, Took
from grader.execution.plan import Plan
from grader.protocol.messages import (
    Launched,
    Opened,
    Refused,
    StepTime,
    Turned,
)
from grader.protocol.steps import LocalArg


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


def test_a_script_runs_and_everything_comes_back(worker):
    """A script returns payloads, intact guard bands, and device times that fit into the times measured by the judge."""
    assert isinstance(worker.open(plan("twice")), Opened)
    worker.session.stage("run", ARRAYS)
    timing = worker.session.launch("run")
    assert isinstance(timing, Timing)
    assert 0 < timing.seconds <= timing.wall_seconds
    fetched = worker.session.fetch(("out", "in"))
    assert is_right(fetched)
    assert np.array_equal(fetched["in"].payload.view(np.float32), ARRAYS["in"])
    for name, poison in (("in", INPUT_POISON), ("out", POISON)):
        assert (fetched[name].before == poison).all()
        assert (fetched[name].after == poison).all()


@pytest.mark.whole
def test_a_turn_is_all_of_it_by_one_request(worker):
    """A single request runs all launches, each after the previous one has ended, and then returns the results. The
    worker's clock measures each step.
    """
    worker.open(plan("twice"))
    worker.session.stage("run", ARRAYS)
    took = worker.session.turn({"run": 0}, ("out", "in"))
    assert isinstance(took, Took)
    assert is_right(took.results)
    assert list(took.results) == ["out", "in"]
    (launched,), (waited, *fetched) = map(sum, took.steps), took.waits
    assert 0 < launched <= waited
    assert len(fetched) == 2
    assert min(fetched) > 0


LAUNCH = Launched(times=(StepTime(start_ns=1, end_ns=2),))


NOT_WHOLE = {
    "a wait too few": Turned(launches=(LAUNCH,), waits_ns=(1,)),
    "no launch": Turned(launches=(), waits_ns=(1,)),
    "a launch too many": Turned(launches=(LAUNCH, LAUNCH), waits_ns=(1, 1, 1)),
    "no time": Turned(launches=(Launched(times=()),), waits_ns=(1, 1)),
    "an end before its start": Turned(launches=(Launched(times=(StepTime(start_ns=2, end_ns=1),)),), waits_ns=(1, 1)),
    "another answer": LAUNCH,
}


@pytest.mark.whole
def test_a_turn_that_is_not_whole_is_garbled(worker, monkeypatch):
    """A turn must contain a time for each step, and a wait for each launch and each buffer. Anything else is
    garbled.
    """
    worker.open(plan("twice"))
    worker.session.stage("run", ARRAYS)
    with monkeypatch.context() as patch:
        patch.setattr(worker._connection, "send", lambda _: None)
        patch.setattr(worker._connection, "stop", lambda: None)  # otherwise the first answer would be the last
        for name, said in NOT_WHOLE.items():
            patch.setattr(worker._connection, "reply", lambda *_, said=said: said)
            assert isinstance(worker.session.turn({"run": 0}, ("out",)), Garbled), name


@pytest.mark.parametrize("kernel", [pytest.param("forever", marks=pytest.mark.whole), "crash"])
def test_a_turn_fails_as_a_launch_does(kernel):
    """A turn fails at its deadline or by a signal, just as a launch does."""
    timeouts = TIMEOUTS.model_copy(update={"first_launch": 1})
    with make_worker(timeouts=timeouts) as worker:
        worker.open(plan(kernel))
        worker.session.stage("run", ARRAYS)
        found = worker.session.turn({"run": 0}, ("out",))
    assert isinstance(found, TimedOut if kernel == "forever" else Crashed)


SHARED = replace(plan("twice"), arrays="shared")


@pytest.mark.whole
def test_shared_arrays_are_in_place_before_a_launch_and_after_it(worker):
    """For each launch, shared arrays give the same results as copied ones, including guard bands and inputs."""
    assert isinstance(worker.open(SHARED), Opened)
    for factor in (1, 3):
        worker.session.stage("run", {"in": factor * ARRAYS["in"]})
        timing = worker.session.launch("run")
        assert 0 < timing.seconds <= timing.wall_seconds
        fetched = worker.session.fetch(("out", "in"))
        assert np.array_equal(fetched["out"].payload.view(np.float32), 2 * factor * ARRAYS["in"])
        assert np.array_equal(fetched["in"].payload.view(np.float32), factor * ARRAYS["in"])
        for name, poison in (("in", INPUT_POISON), ("out", POISON)):
            assert (fetched[name].before == poison).all()
            assert (fetched[name].after == poison).all()


def test_shared_arrays_are_not_to_be_seen_before_the_launch(worker):
    """Shared arrays become visible with the launch. Their memory is freed when they are dropped."""
    worker.open(SHARED)
    shown = worker._connection.process._folder.rounds / "arrays.bin"
    worker.session.stage("run", ARRAYS)
    assert not shown.exists()
    worker.session.launch("run")
    assert shown.stat().st_size > 2 * 4 * COUNT
    worker.session.drop()
    assert shown.stat().st_size == 0


def test_an_endless_kernel_is_ended_at_its_deadline_and_the_worker_starts_anew():
    """An endless kernel is ended at its deadline. Nothing of its worker is left, and the next worker computes
    correctly.
    """
    with make_worker(
        timeouts=TIMEOUTS.__class__(start=30, build=30, first_launch=1, launch=1, transfer=10, simulation=1)
    ) as worker:
        assert isinstance(worker.open(plan("forever")), Opened)
        worker.session.stage("run", ARRAYS)
        group, folder = worker._connection.process.group, worker._connection.process._folder.path
        start = time.monotonic()
        timed_out = worker.session.launch("run")
        assert isinstance(timed_out, TimedOut)
        assert (timed_out.doing, round(timed_out.seconds)) == ("running", 1)
        assert time.monotonic() - start < TIMEOUTS.build
        assert not folder.exists()
        assert left_of(group) == []
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


@pytest.mark.whole
def test_what_a_kernel_prints_never_reaches_the_control_stream(worker):
    """A kernel prints 20,000 forged replies, and none of them reaches the control stream."""
    assert is_right(worker.run_once(plan("chatter"), "run", ARRAYS))


@pytest.mark.whole
def test_a_refusal_of_the_driver_is_an_outcome(worker):
    """If a kernel requires a work-group size that contradicts the launch, the outcome contains the driver's error."""
    outcome = worker.run_once(plan("sevens"), "run", ARRAYS)
    assert isinstance(outcome, Refused)
    assert outcome.error == "INVALID_WORK_GROUP_SIZE"


@pytest.mark.whole
def test_a_refused_launch_says_what_it_asked_for():
    """A refused launch reports its work-group size and its local memory, both declared and as an argument, together
    with the limits of the device.
    """
    source = (
        "__kernel void twice(__global float *in, __global float *out, uint n, __local float *s) { __local float t[300];"
        "t[get_local_id(0)] = s[get_local_id(0)] = in[n]; barrier(CLK_LOCAL_MEM_FENCE);"
        "out[n] = t[299 - get_local_id(0)] + s[0]; }"
    )
    usual = plan("twice")
    step = usual.scripts["run"].steps[0]
    huge = {"args": (*step.args, LocalArg(size=64)), "global_size": (1 << 20,), "local_size": (1 << 20,)}
    script = replace(usual.scripts["run"], steps=(step.model_copy(update=huge),))
    with make_worker(source) as worker:
        outcome = worker.run_once(replace(usual, scripts={"run": script}), "run", ARRAYS)
    assert isinstance(outcome, Refused)
    assert outcome.demand.kernel == "twice"
    assert 0 < outcome.demand.resources.work_group < outcome.demand.work_group == 1 << 20
    assert outcome.demand.resources.local_memory == 1264 < outcome.demand.local_memory


def test_memory_is_limited():
    """A kernel that needs more memory than a worker may use fails, but the judge does not."""
    source = "__kernel void twice(__global const float *in, __global float *out, uint n) { out[0] = 1; }"
    huge = plan("twice")
    huge = Plan(
        buffers=tuple(spec.model_copy(update={"size": 1 << 30}) for spec in huge.buffers),
        scripts=huge.scripts,
    )
    with make_worker(source, limits=LIMITS.model_copy(update={"memory_bytes": 1 << 30})) as worker:
        outcome = worker.run_once(huge, "run", {"in": np.zeros(1 << 28, dtype=np.float32)})
    assert isinstance(outcome, Refused | Crashed)


@pytest.mark.whole
def test_an_output_file_that_was_cut_is_noticed(worker, monkeypatch):
    """The judge reads from its own descriptor, and notices if bytes are missing."""
    worker.open(plan("twice"))
    worker.session.stage("run", ARRAYS)
    worker.session.launch("run")
    path = Path(worker._connection.process._folder.path) / "out.bin"
    reply = worker._connection.reply

    def cutting_reply(doing, deadline):
        answer = reply(doing, deadline)
        os.truncate(path, 100)
        return answer

    monkeypatch.setattr(worker._connection, "reply", cutting_reply)
    outcome = worker.session.fetch(("out",))
    assert isinstance(outcome, Garbled)
    assert "shorter" in outcome.what


@pytest.mark.whole
def test_a_full_disk_is_our_error(worker, monkeypatch):
    """A full disk is an error of grader, and the message contains the number of bytes that were needed."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    worker.open(plan("twice"))
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(WorkerError, match=r"no room for 4,000 bytes.*No space left"):
        worker.session.stage("run", ARRAYS)
