"""client.py: the states of a worker, and the processes in which its sessions run."""

import os
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest
from processes import processes_of
from small_jobs import ARRAYS, KERNELS, is_right, make_worker, plan

from grader.execution.client import Worker
from grader.execution.outcome import Crashed
from grader.execution.plan import NOTHING
from grader.protocol.messages import (
    BuildFailed,
    Opened,
    Refused,
    Stopped,
)
from grader.protocol.steps import ProgramSource
from grader.worker import session


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


def processes_after_a_run(worker):
    """Run a kernel, and return the ids of the worker's processes."""
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
    return set(processes_of(worker._connection.process.group))


@pytest.mark.whole
def test_sessions_in_one_process(worker):
    """Several kernels share a process only inside `in_one_process`. The process ends with that block."""
    processes_after_a_run(worker)
    with worker.in_one_process():
        used = processes_after_a_run(worker)
        assert processes_after_a_run(worker) == used
    idle = set(processes_of(worker._connection.process.group))
    assert len(used - idle) == 1, "the session's process"
    assert isinstance(worker.open(plan("twice")), Opened)
    assert not (set(processes_of(worker._connection.process.group)) - idle) & used


def going_on(kernel):
    """Return the plan of a session that continues in the previous session's process."""
    return replace(plan(kernel), process="used")


def processes_after_going_on(worker):
    """Run a kernel in a session that continues in the old process and stays open. Return the worker's processes."""
    assert isinstance(worker.open(going_on("twice")), Opened)
    assert is_right(worker.session.run("run", ARRAYS))
    return set(processes_of(worker._connection.process.group))


@pytest.mark.whole
def test_a_session_that_goes_on_ends_the_one_before_and_no_process(worker):
    """A session that continues keeps the process, with everything that is loaded in it. The process can also expand
    texts.
    """
    used = processes_after_going_on(worker)
    for end in (lambda: None, worker.close, worker.rest):
        end()
        assert processes_after_going_on(worker) == used
    worker.close()
    assert worker.preprocess("int a;", {}, "used").strip() == "int a;"
    assert set(processes_of(worker._connection.process.group)) == used
    assert worker.preprocess("int a;", {}).strip() == "int a;"
    assert len(set(processes_of(worker._connection.process.group)) & used) == 1, "only the worker itself stays"


@pytest.mark.whole
def test_a_session_goes_on_in_another_process_when_that_has_ended(worker):
    """If a kernel has ended the process, or it has ended while it was idle, the session silently continues in another
    process.
    """
    assert isinstance(worker.run_once(going_on("crash"), "run", ARRAYS), Crashed)
    before = set(processes_of(worker._connection.process.group))
    (session,) = processes_after_going_on(worker) - before
    worker.rest()
    assert session in processes_after_going_on(worker)
    worker.rest()
    os.kill(session, signal.SIGKILL)
    assert session not in processes_after_going_on(worker)


def test_a_session_that_cannot_go_on_is_tried_again_in_another_worker(worker, monkeypatch):
    """If a session cannot continue, for example because a driver has reset a GPU, it is tried once more in another
    worker. A second failure is the outcome.
    """
    processes_after_going_on(worker)
    process, lost = worker._connection.process, [Refused(call="opening the session", error="OUT_OF_RESOURCES")]
    real = Worker._open
    monkeypatch.setattr(Worker, "_open", lambda *given: lost.pop() if lost else real(*given))
    assert is_right(worker.run_once(going_on("twice"), "run", ARRAYS))
    assert worker._connection.process is not process
    lost += [Refused(call="opening the session", error="OUT_OF_RESOURCES")] * 2
    assert isinstance(worker.open(going_on("twice")), Refused)
    lost += [Refused(call="opening the session", error="OUT_OF_RESOURCES")]
    assert isinstance(worker.open(plan("twice")), Refused), "it was not to go on: the refusal is its own"


@pytest.mark.whole
@pytest.mark.parametrize(
    "refusal",
    [Refused(call="stage", error="X"), pytest.param(Stopped(error="OUT_OF_RESOURCES"), marks=pytest.mark.whole)],
)
def test_no_session_goes_on_where_the_driver_has_refused_something(worker, monkeypatch, refusal):
    """After the driver has refused a call, the next session gets a new process, because a GPU's driver that has noticed
    a wild access refuses all later calls in the old process.
    """
    used = processes_after_going_on(worker)
    real = worker._connection._replies.next
    with monkeypatch.context() as patch:
        patch.setattr(worker._connection._replies, "next", lambda *given: (real(*given), refusal)[1])
        assert worker.session.run("run", ARRAYS) == refusal
    worker.close()
    fresh = processes_after_going_on(worker)
    assert len(fresh & used) == 1, "only the worker itself stays"
    assert processes_after_going_on(worker) == fresh


@pytest.mark.whole
def test_a_process_that_a_kernel_ended(worker):
    """A process that a kernel has ended is not used again. The next session gets another one."""
    with worker.in_one_process():
        assert isinstance(worker.run_once(plan("crash"), "run", ARRAYS), Crashed)
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


def test_the_compiler_describes_the_kernels(worker):
    """The compiler reports the names and parameters of the kernels, to be compared with the assignment."""
    opened = worker.open(NOTHING)
    facts = {kernel.name: kernel.args for kernel in opened.kernels}
    assert set(facts) == {"twice", "forever", "crash", "chatter", "sevens"}
    assert [(arg.address_space, arg.type, arg.name) for arg in facts["twice"]] == [
        ("global", "float*", "in"),
        ("global", "float*", "out"),
        ("private", "uint", "n"),
    ]


def test_sessions_share_a_process_until_a_kernel_has_run_in_it(worker):
    """Sessions share a process until a kernel has run in it. Therefore, a driver loads its compiler only once, but no
    session sees what kernels of another session have left behind.
    """
    processes = []
    for runs in (False, False, True, False):
        assert isinstance(worker.open(plan("twice")), Opened)
        if runs:
            assert is_right(worker.session.run("run", ARRAYS))
        processes.append(set(processes_of(worker._connection.process.group)))
        worker.close()
    first, second, third, last = processes
    assert first == second == third
    assert len(last & third) == 1, "only the worker itself stays"


@pytest.mark.whole
def test_a_worker_that_still_warms_up_answers_in_order(worker):
    """A worker that is still warming up answers the next requests in order."""
    worker.warm_up(NOTHING, {})
    assert isinstance(worker.open(plan("twice")), Opened)
    worker.close()
    worker.warm_up(NOTHING, {})
    assert worker.preprocess("int a = B;", {"B": "1"}).strip() == "int a = 1;"


@pytest.mark.whole
def test_a_worker_that_fails_while_it_warms_up_starts_anew(worker):
    """A worker whose warm-up fails is started again, and the next requests succeed."""
    worker.warm_up(NOTHING, {"p": ProgramSource(source="__kernel void (")})
    assert worker.preprocess("int a;", {}).strip() == "int a;"
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


@pytest.mark.whole
def test_a_session_that_was_opened_in_vain_leaves_the_next_nothing(worker):
    """A session that failed to open does not leave any program to the next session, neither one that does not build nor
    an additional one.
    """
    right = ProgramSource(source=KERNELS)
    assert isinstance(worker.load({"p": ProgramSource(source="__kernel void (")}).open(plan("twice")), BuildFailed)
    assert isinstance(worker.load({"p": right, "q": right}).open(plan("twice")), Opened)
    worker.close()
    opened = worker.load({"p": right}).open(plan("twice"))
    assert {kernel.program for kernel in opened.kernels} == {"p"}
    assert is_right(worker.session.run("run", ARRAYS))


def test_a_crash_takes_its_own_session_only(worker):
    """A crash ends only the session in which it occurs. The next session of the same worker computes correctly."""
    pid = worker._connection.process.group
    assert isinstance(worker.run_once(plan("crash"), "run", ARRAYS), Crashed)
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
    assert worker._connection.process.group == pid


@pytest.mark.whole
def test_the_driver_says_what_kernels_take():
    """The driver reports the local memory that kernels declare, and the build log, which may be empty."""
    source = (
        "__kernel void k(__global float *a) { __local float t[300]; t[get_local_id(0)] = a[get_global_id(0)];"
        "barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[299 - get_local_id(0)]; }"
    )
    with make_worker(source) as worker:
        opened = worker.open(NOTHING)
    assert opened.kernels[0].resources.local_memory == 1200
    assert opened.kernels[0].resources.work_group > 0
    assert [log.program for log in opened.logs] == ["p"]


def test_a_build_error_is_an_outcome_with_the_log():
    """A build error is an outcome that contains the log, and not an exception."""
    with make_worker("__kernel void f(") as worker:
        outcome = worker.open(NOTHING)
        assert isinstance(outcome, BuildFailed)
        assert "error" in outcome.log


def test_a_processor_that_pocl_does_not_know_is_no_device():
    """A device is not used if PoCL does not know its processor, because PoCL cannot compile for it. The version text
    comes from PoCL 3.0 on an emulated processor of 2024.
    """
    device = SimpleNamespace(version="OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic ")
    assert session._is_too_new(device)
    assert not session._is_too_new(SimpleNamespace(version="OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-haswell"))
