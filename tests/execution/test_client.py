"""client.py, the worker and the process sandbox: sessions with a live worker, correct and faulty."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fork_servers import serving
from processes import left_of, processes_of
from project import importable
from small_jobs import ARRAYS, COUNT, KERNELS, is_right, plan
from worker_rules import LIMITS, RULES, TIMEOUTS, sandbox_with

from grader.common.errors import DeviceError, WorkerError
from grader.course.poison import INPUT_POISON, POISON
from grader.execution.client import Worker
from grader.execution.connection import Connection
from grader.execution.outcome import Crashed, Garbled, TimedOut, Timing, Took
from grader.execution.plan import NOTHING, Plan
from grader.execution.sandbox.process import ProcessSandbox
from grader.protocol.messages import (
    REPLY_LIMIT,
    BuildFailed,
    Devices,
    Launched,
    Opened,
    Refused,
    StepTime,
    Stopped,
    Turned,
)
from grader.protocol.steps import LocalArg, ProgramSource
from grader.worker import session
from grader.worker.fingerprint import fingerprint


def make_worker(source=KERNELS, limits=LIMITS, timeouts=TIMEOUTS, device=0):
    return Worker(sandbox_with(limits), device, timeouts).load({"p": ProgramSource(source=source)})


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


def test_a_script_runs_and_everything_comes_back(worker):
    """A script gives payloads, guard bands, and device times within the judge's own times."""
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


def test_a_turn_is_all_of_it_by_one_request(worker):
    """One request runs each launch after the previous one has ended, and then returns the results. The worker's clock
    shows a time for each step.
    """
    worker.open(plan("twice"))
    worker.session.stage("run", ARRAYS)
    took = worker.session.turn({"run": 0}, ("out", "in"))
    assert isinstance(took, Took)
    assert is_right(took.results)
    assert list(took.results) == ["out", "in"]
    (launched,), (waited, fetched) = took.seconds, took.waits
    assert 0 < launched <= waited
    assert fetched > 0


def processes_after_a_run(worker):
    """Run a kernel, and return the processes of its worker."""
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
    return set(processes_of(worker._connection.process.group))


def test_sessions_in_one_process(worker):
    """Kernels share a process only on request. The process ends at the end of that block."""
    processes_after_a_run(worker)
    with worker.in_one_process():
        used = processes_after_a_run(worker)
        assert processes_after_a_run(worker) == used
    idle = set(processes_of(worker._connection.process.group))
    assert len(used - idle) == 1, "the session's process"
    assert isinstance(worker.open(plan("twice")), Opened)
    assert not (set(processes_of(worker._connection.process.group)) - idle) & used


def going_on(kernel):
    """Return the plan for a session that continues in the previous session's process."""
    return replace(plan(kernel), process="used")


def processes_after_going_on(worker):
    """Run a kernel in a session that continues and stays open, and return the processes of its worker."""
    assert isinstance(worker.open(going_on("twice")), Opened)
    assert is_right(worker.session.run("run", ARRAYS))
    return set(processes_of(worker._connection.process.group))


def test_a_session_that_goes_on_ends_the_one_before_and_no_process(worker):
    """A session that continues keeps the process, with all that it has loaded. The process also expands texts."""
    used = processes_after_going_on(worker)
    for end in (lambda: None, worker.close, worker.rest):
        end()
        assert processes_after_going_on(worker) == used
    worker.close()
    assert worker.preprocess("int a;", {}, "used").strip() == "int a;"
    assert set(processes_of(worker._connection.process.group)) == used
    assert worker.preprocess("int a;", {}).strip() == "int a;"
    assert len(set(processes_of(worker._connection.process.group)) & used) == 1, "only the worker itself stays"


def test_a_session_goes_on_in_another_process_when_that_has_ended(worker):
    """If the process was ended by a kernel or while it was idle, the session continues in another one, without an
    error.
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
    """If a session cannot continue, it is tried once more in another worker, as after a driver has reset a GPU. A
    second failure is an outcome.
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


@pytest.mark.parametrize("refusal", [Refused(call="stage", error="X"), Stopped(error="OUT_OF_RESOURCES")])
def test_no_session_goes_on_where_the_driver_has_refused_something(worker, monkeypatch, refusal):
    """After the driver has refused a call, the next session gets a new process. After a wild access, a GPU's driver
    refuses every later call in that process.
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


def test_a_process_that_a_kernel_ended(worker):
    """A process that a kernel ended is not used again. The next session has another one."""
    with worker.in_one_process():
        assert isinstance(worker.run_once(plan("crash"), "run", ARRAYS), Crashed)
        assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


LAUNCH = Launched(times=(StepTime(start_ns=1, end_ns=2),))


NOT_WHOLE = {
    "a wait too few": Turned(launches=(LAUNCH,), waits_ns=(1,)),
    "no launch": Turned(launches=(), waits_ns=(1,)),
    "a launch too many": Turned(launches=(LAUNCH, LAUNCH), waits_ns=(1, 1, 1)),
    "no time": Turned(launches=(Launched(times=()),), waits_ns=(1, 1)),
    "an end before its start": Turned(launches=(Launched(times=(StepTime(start_ns=2, end_ns=1),)),), waits_ns=(1, 1)),
    "another answer": LAUNCH,
}


def test_a_turn_that_is_not_whole_is_garbled(worker, monkeypatch):
    """A turn needs a time for each step, and a wait for each launch and for the results. Anything else is garbled."""
    worker.open(plan("twice"))
    worker.session.stage("run", ARRAYS)
    with monkeypatch.context() as patch:
        patch.setattr(worker._connection, "send", lambda _: None)
        patch.setattr(worker._connection, "stop", lambda: None)  # otherwise the first answer would be the last
        for name, said in NOT_WHOLE.items():
            patch.setattr(worker._connection, "reply", lambda *_, said=said: said)
            assert isinstance(worker.session.turn({"run": 0}, ("out",)), Garbled), name


@pytest.mark.parametrize("kernel", ["forever", "crash"])
def test_a_turn_fails_as_a_launch_does(kernel):
    """A turn fails by its deadline or by a signal, like a launch."""
    timeouts = TIMEOUTS.model_copy(update={"first_launch": 1})
    with make_worker(timeouts=timeouts) as worker:
        worker.open(plan(kernel))
        worker.session.stage("run", ARRAYS)
        found = worker.session.turn({"run": 0}, ("out",))
    assert isinstance(found, TimedOut if kernel == "forever" else Crashed)


SHARED = replace(plan("twice"), arrays="shared")


def test_shared_arrays_are_in_place_before_a_launch_and_after_it(worker):
    """Shared arrays give the results of copied ones, with guard bands and inputs, for each launch on other data."""
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
    """Shared arrays are visible from the launch on, and their memory is freed when they are dropped."""
    worker.open(SHARED)
    shown = worker._connection.process._folder.rounds / "arrays.bin"
    worker.session.stage("run", ARRAYS)
    assert not shown.exists()
    worker.session.launch("run")
    assert shown.stat().st_size > 2 * 4 * COUNT
    worker.session.drop()
    assert shown.stat().st_size == 0


def test_a_frozen_worker_goes_on_where_it_was(worker):
    """A frozen worker answers requests after it is thawed. To freeze it twice has no further effect."""
    worker.open(SHARED)
    worker.session.stage("run", ARRAYS)
    worker.freeze()
    worker.freeze()
    worker.thaw()
    assert isinstance(worker.session.launch("run"), Timing)
    assert is_right(worker.session.fetch(("out",)))


def test_a_frozen_worker_can_be_stopped(worker):
    """A frozen worker can be stopped, as when another worker's failure ends the grading."""
    worker.open(SHARED)
    pid = worker._connection.process.group
    worker.freeze()
    worker.stop()
    assert not processes_of(pid)


def test_the_compiler_describes_the_kernels(worker):
    """The compiler reports names and parameters of the kernels, to compare with the assignment."""
    opened = worker.open(NOTHING)
    facts = {kernel.name: kernel.args for kernel in opened.kernels}
    assert set(facts) == {"twice", "forever", "crash", "chatter", "sevens"}
    assert [(arg.address_space, arg.type, arg.name) for arg in facts["twice"]] == [
        ("global", "float*", "in"),
        ("global", "float*", "out"),
        ("private", "uint", "n"),
    ]


def test_sessions_share_a_process_until_a_kernel_has_run_in_it(worker):
    """Sessions share a process until a kernel has run in it. So a driver loads its compiler once, and no session sees
    what another session's kernels left.
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


def test_a_worker_that_still_warms_up_answers_in_order(worker):
    """A worker that still warms up answers the next requests in order."""
    worker.warm_up(NOTHING, {})
    assert isinstance(worker.open(plan("twice")), Opened)
    worker.close()
    worker.warm_up(NOTHING, {})
    assert worker.preprocess("int a = B;", {"B": "1"}).strip() == "int a = 1;"


def test_a_worker_that_fails_while_it_warms_up_starts_anew(worker):
    """A worker whose warm-up fails starts again, and its next requests succeed."""
    worker.warm_up(NOTHING, {"p": ProgramSource(source="__kernel void (")})
    assert worker.preprocess("int a;", {}).strip() == "int a;"
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))


def test_a_session_that_was_opened_in_vain_leaves_the_next_nothing(worker):
    """A session that failed to open leaves no program to the next session, neither one that does not build nor an
    additional one.
    """
    right = ProgramSource(source=KERNELS)
    assert isinstance(worker.load({"p": ProgramSource(source="__kernel void (")}).open(plan("twice")), BuildFailed)
    assert isinstance(worker.load({"p": right, "q": right}).open(plan("twice")), Opened)
    worker.close()
    opened = worker.load({"p": right}).open(plan("twice"))
    assert {kernel.program for kernel in opened.kernels} == {"p"}
    assert is_right(worker.session.run("run", ARRAYS))


def test_a_crash_takes_its_own_session_only(worker):
    """A crash ends only its own session. The next session of the same worker process computes correctly."""
    pid = worker._connection.process.group
    assert isinstance(worker.run_once(plan("crash"), "run", ARRAYS), Crashed)
    assert is_right(worker.run_once(plan("twice"), "run", ARRAYS))
    assert worker._connection.process.group == pid


def test_an_endless_kernel_is_ended_at_its_deadline_and_the_worker_starts_anew():
    """An endless kernel ends at its deadline. Nothing is left of its worker, and the next worker computes correctly."""
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


def test_what_a_kernel_prints_never_reaches_the_control_stream(worker):
    """20,000 forged replies that a kernel prints do not reach the control stream."""
    assert is_right(worker.run_once(plan("chatter"), "run", ARRAYS))


def test_a_refusal_of_the_driver_is_an_outcome(worker):
    """A work-group size that contradicts the launch is an outcome with the driver's error."""
    outcome = worker.run_once(plan("sevens"), "run", ARRAYS)
    assert isinstance(outcome, Refused)
    assert outcome.error == "INVALID_WORK_GROUP_SIZE"


def test_a_refused_launch_says_what_it_asked_for():
    """A refused launch reports its work-group size and its local memory, declared or as an argument, and the limits of
    the device.
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


def test_the_driver_says_what_kernels_take():
    """The driver reports declared local memory, and the log of the build, which may be empty."""
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
    """A build error is an outcome with the log, and no exception."""
    with make_worker("__kernel void f(") as worker:
        outcome = worker.open(NOTHING)
        assert isinstance(outcome, BuildFailed)
        assert "error" in outcome.log


def test_memory_is_limited():
    """A kernel with more data than a worker may have fails, and the judge does not."""
    source = "__kernel void twice(__global const float *in, __global float *out, uint n) { out[0] = 1; }"
    huge = plan("twice")
    huge = Plan(
        buffers=tuple(spec.model_copy(update={"size": 1 << 30}) for spec in huge.buffers),
        scripts=huge.scripts,
    )
    with make_worker(source, limits=LIMITS.model_copy(update={"memory_bytes": 1 << 30})) as worker:
        outcome = worker.run_once(huge, "run", {"in": np.zeros(1 << 28, dtype=np.float32)})
    assert isinstance(outcome, Refused | Crashed)


def test_a_device_that_is_not_there_is_our_error():
    """A missing device is an error of grader, and the message names the command that lists devices."""
    with make_worker(device=99) as worker, pytest.raises(DeviceError, match=r"no OpenCL device 99.*grader devices"):
        worker.open(NOTHING)


def test_a_worker_that_cannot_start_is_our_error_with_its_last_words(monkeypatch):
    """A broken installation is not the student's fault, and the message says what broke."""
    broken = serving("import grader.no_such_module")
    monkeypatch.setattr("grader.execution.sandbox.forkserver.own_command", lambda: broken)
    with closing(ProcessSandbox(RULES)) as sandbox, pytest.raises(WorkerError, match="no_such_module"):
        Worker(sandbox, 0, TIMEOUTS).ready()


class Impostor:
    """A worker that gives prepared answers to all requests."""

    def __init__(self, *output):
        self._output = list(output)

    def send(self, data):
        pass

    def receive(self, _timeout):
        return self._output.pop(0)

    def stop(self):
        pass

    def last_words(self):
        return ""

    def ran_out_of_memory(self):
        return False


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (b'{"kind":"launched","times":[]}\n', "another question"),
        (b"rubbish\n", "unknown form"),
        (b'{"kind":"done","verdict":"passed"}\n', "unknown form"),
        (b"x" * (REPLY_LIMIT + 1), "too long"),
        (b"", "process ended"),
        (b"\xff\xfe\n", "unknown form"),
    ],
)
def test_an_answer_that_is_not_ours_is_garbled(said, outcome):
    """The judge accepts only replies in the form of the protocol."""
    devices = (
        b'{"kind":"devices","worker":"' + fingerprint().encode() + b'","devices":[{"index":0,"name":"d","platform":"p",'
        b'"version":"v","driver":"1","type":"cpu","compute_units":1,"global_memory":1,"local_memory":1,'
        b'"max_work_group":1,"bus":null}]}\n'
    )

    class Sandbox:
        def start(self):
            return Impostor(devices, said)

        def limits(self):
            return LIMITS

    with Worker(Sandbox(), 0, TIMEOUTS) as worker:
        found = worker.open(NOTHING)
    assert isinstance(found, Garbled)
    assert outcome in found.what


def test_an_output_file_that_was_cut_is_noticed(worker, monkeypatch):
    """The judge reads from its own descriptor, and notices that bytes are missing."""
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


def test_a_worker_whose_judge_was_killed_ends_with_its_endless_kernel(tmp_path):
    """A worker with an endless kernel ends after kill -9 of its judge, so that no process computes for ever."""
    script = tmp_path / "judge.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "import test_client as t\n"
        "patient = t.TIMEOUTS.__class__(start=60, build=60, first_launch=60, launch=60, transfer=60, simulation=60)\n"
        "worker = t.make_worker(timeouts=patient)\n"
        "worker.open(t.plan('forever')); worker.session.stage('run', t.ARRAYS)\n"
        "print(worker._connection.process.group, flush=True)\n"
        "worker.session.launch('run')\n"
    )
    judge = subprocess.Popen(
        [sys.executable, script, importable(__file__)],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},  # no other test's judge removes the folder meanwhile
        text=True,
    )
    group = int(judge.stdout.readline())
    time.sleep(0.5)
    assert len(processes_of(group)) == 2
    judge.kill()
    judge.wait()
    judge.stdout.close()
    assert left_of(group) == []


def test_a_full_disk_is_our_error(worker, monkeypatch):
    """A full disk is an error of grader, and the message gives the bytes that were needed."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    worker.open(plan("twice"))
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(WorkerError, match=r"no room for 4,000 bytes.*No space left"):
        worker.session.stage("run", ARRAYS)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Devices(worker=fingerprint(), devices=()), "no OpenCL driver is installed"),
        (
            Devices(worker=fingerprint(), devices=(), too_new=("AMD EPYC 9755",)),
            "AMD EPYC 9755 is newer than the OpenCL driver that is installed",
        ),
    ],
)
def test_a_missing_device_is_told_with_its_reason(worker, monkeypatch, found, said):
    """A driver that does not know the processor is reported as too old, not as missing. Both messages name the command
    to run.
    """
    alone = Worker(worker._starter, 0, TIMEOUTS)
    monkeypatch.setattr(Connection, "reply", lambda *_: found)
    with alone, pytest.raises(DeviceError, match=rf"{said}.*grader setup`") as raised:
        alone.ready()
    assert ("is installed (PoCL" in str(raised.value)) is bool(found.too_new)


def test_a_processor_that_pocl_does_not_know_is_no_device():
    """A processor that PoCL does not know is not used, because PoCL compiles nothing for it. The text is from PoCL 3.0
    on an emulated processor of 2024.
    """
    device = SimpleNamespace(version="OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic ")
    assert session._is_too_new(device)
    assert not session._is_too_new(SimpleNamespace(version="OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-haswell"))
