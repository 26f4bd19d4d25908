"""process.py: the environment, limits and rights of a worker process, and the removal of everything that it leaves."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest
from fork_servers import serving
from processes import is_gone, left_of, processes_of, wait_for
from project import importable
from worker_rules import LIMITS, RULES, TIMEOUTS

from grader.common.errors import InterruptedGradingError
from grader.execution.client import Worker
from grader.execution.plan import NOTHING
from grader.execution.sandbox.environment import NOWHERE, environment_of
from grader.execution.sandbox.forkserver import ForkServer
from grader.execution.sandbox.process import (
    ProcessSandbox,
    ProcessWorker,
    WorkerPlace,
    new_folder,
)
from grader.forkserver import devices, system_calls


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setenv("GRADER_SECRET_FOR_TEST", "hidden")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    with closing(ProcessSandbox(RULES)) as sandbox, Worker(sandbox, 0, TIMEOUTS).load({}) as running:
        running.open(NOTHING)
        yield running


def environ(pid):
    """Return the environment variables of a process as the OS kernel stores them. Only a process that may trace all
    others can read a worker's variables.
    """
    try:
        return Path(f"/proc/{pid}/environ").read_text()
    except PermissionError:
        pytest.skip("this user may not look into a worker, as root of a container may not")


def test_the_environment_holds_nothing_of_the_judges(worker):
    """A kernel can read the variables and command lines of its own process and of the processes above it. These do not
    contain any secrets.
    """
    pids = processes_of(worker._connection.process.group)
    warden = parent_of(worker._connection.process.group)
    for pid in (*pids, warden, parent_of(warden)):
        assert environ(pid)
        assert "GRADER_SECRET_FOR_TEST" not in environ(pid)
        assert "PYTHONPATH" not in environ(pid)
        assert Path(f"/proc/{pid}/cmdline").read_text().split("\0")[1:4] == ["-I", "-m", "grader.forkserver"]


def test_the_variables_of_a_worker_name_its_own_folders(tmp_path):
    """The variables of a worker point to folders that no other worker uses, because the driver stores code there."""
    worker = started(tmp_path, "print(*(f'{name}={os.environ[name]}' for name in sorted(os.environ)), flush=True)")
    variables = dict(word.split("=", 1) for word in said(worker).split())
    home = str(worker._folder.path / "home")
    assert [variables[name] for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR")] == [home] * 4
    assert "/nonexistent" not in str(variables)
    worker.stop()


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_worker_and_session_are_one_process_group_of_their_own(worker):
    """Worker and session form their own process group. One signal ends both, and their signals to the group do not
    reach the judge.
    """
    group = worker._connection.process.group
    assert group != os.getpgrp()
    assert len(processes_of(group)) == 2


def test_the_limits_are_in_force(worker):
    """The session inherits the limits that the worker has set. No limit can be raised again."""
    for pid in processes_of(worker._connection.process.group):
        limits = Path(f"/proc/{pid}/limits").read_text()
        rows = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
        assert rows["Max data size"] == [str(LIMITS.memory_bytes)] * 2
        assert rows["Max cpu time"] == [str(LIMITS.cpu_seconds), str(LIMITS.cpu_seconds + 1)]
        assert rows["Max file size"] == [str(LIMITS.file_bytes)] * 2
        assert rows["Max core file size"] == ["1", "1"]
        assert int(rows["Max processes"][0]) >= LIMITS.processes


def refused(pid):
    """Return the seccomp mode of a process and its NoNewPrivs flag."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return lines["Seccomp"].strip(), lines["NoNewPrivs"].strip()


@pytest.mark.skipif(not system_calls.can_be_refused(), reason="nothing is refused on this machine")
def test_worker_and_session_are_refused_what_works_later(worker):
    """Worker and session may not use services that continue to work later. Their warden and the fork server are
    trusted, so they are not restricted.
    """
    pids = processes_of(worker._connection.process.group)
    assert [refused(pid) for pid in pids] == [("2", "1")] * 2
    warden = parent_of(worker._connection.process.group)
    assert [refused(pid)[0] for pid in (warden, parent_of(warden))] == [refused(os.getpid())[0]] * 2


@pytest.mark.skipif(not devices.can_be_listed(), reason="this kernel has no Landlock")
def test_a_worker_opens_no_terminal(tmp_path):
    """A worker cannot open a terminal, because the kernel thread that echoes its output would run while others are
    timed.
    """
    worker = started(
        tmp_path,
        "try: os.openpty()\nexcept OSError as error: print(type(error).__name__, flush=True)\ntime.sleep(600)",
    )
    assert said(worker) in {"OSError", "PermissionError"}
    worker.stop()


@pytest.mark.parametrize(
    ("possible", "said"), [(True, ("none", "only those for computing")), (False, ("the machine's", "all"))]
)
def test_what_a_machine_cannot_close_is_on_record(monkeypatch, possible, said):
    """Each result, and the output of `grader doctor`, records what the machine cannot close."""
    monkeypatch.setattr(devices, "can_be_listed", lambda: possible)
    monkeypatch.setattr(system_calls, "can_be_refused", lambda: possible)
    with closing(ProcessSandbox(RULES)) as sandbox:
        facts = sandbox.facts()
    assert (facts["network"], facts["devices"]) == said
    assert (facts["system_calls"] == "all") is not possible
    assert facts["cpu_seconds"] == LIMITS.cpu_seconds


@pytest.mark.whole
def test_a_worker_starts_where_nothing_can_be_closed(tmp_path):
    """A worker also starts without any of these restrictions, as on an old OS kernel or on processors with other call
    numbers.
    """
    code = "from grader.forkserver import devices, system_calls\n" + serving("print('here', flush=True)")[-1]
    absent = "devices.can_be_listed = system_calls.can_be_refused = lambda: False\n"
    command = (sys.executable, "-I", "-c", code.replace("server.main()", absent + "server.main()"))
    with closing(ForkServer(command, environment_of(NOWHERE))) as server:
        worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
        assert said(worker) == "here"
        worker.stop()


def test_others_of_this_user_may_start_while_a_worker_runs():
    """The limit on processes includes the user's other processes, because the OS kernel counts them too. Without this,
    right kernels crashed in gradings with eight jobs, because the OS kernel refused their driver a thread.
    """
    with closing(ProcessSandbox(RULES)) as sandbox:
        before = sandbox.limits().processes
        others = [
            subprocess.Popen(["sleep", "60"]) for _ in range(100)
        ]  # more than those that other tests end meanwhile
        try:
            counted = sandbox.limits().processes
        finally:
            for other in others:
                other.kill()
                other.wait()
    assert counted - before > 10, "what runs already is counted"
    assert before > LIMITS.processes + 40 * (os.cpu_count() + 2), "five workers of eight stations fit beside it"


def states(group):
    """Return the states of a group's processes, as /proc shows them."""
    return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in processes_of(group)}


@pytest.mark.whole
def test_worker_and_session_stand_still_while_they_are_frozen(worker):
    """Worker and session stop when they are frozen, and continue when they are thawed."""
    group = worker._connection.process.group
    worker.freeze()
    assert states(group) == {"T"}
    worker.thaw()
    assert wait_for(lambda: "T" not in states(group))


@pytest.mark.whole
def test_nothing_is_left_of_a_stopped_worker(worker):
    """After a worker has been stopped, no process of its group is left, and its folder is gone."""
    group, folder = worker._connection.process.group, worker._connection.process._folder.path
    assert folder.is_dir()
    worker.stop()
    assert left_of(group) == []
    assert not folder.exists()


def test_the_worker_cannot_import_the_judges_modules_by_accident(tmp_path):
    """A worker loads only modules that do not know anything about verdicts, oracles or assignments."""
    worker = started(tmp_path, "print(*sorted(name for name in sys.modules if name.startswith('grader')), flush=True)")
    assert said(worker).split() == [
        "grader",
        "grader.forkserver",
        "grader.forkserver.__main__",
        "grader.forkserver.descendants",
        "grader.forkserver.devices",
        "grader.forkserver.libc",
        "grader.forkserver.order",
        "grader.forkserver.system_calls",
        "grader.forkserver.warden",
        "grader.forkserver.worker",
        "grader.protocol",
        "grader.protocol.kernel",
        "grader.protocol.messages",
        "grader.protocol.observation",
        "grader.protocol.phase",
        "grader.protocol.steps",
        "grader.protocol.text",
        "grader.protocol.tokens",
        "grader.protocol.wire",
        "grader.worker",
        "grader.worker.__main__",
        "grader.worker.drivers",
        "grader.worker.fingerprint",
        "grader.worker.fork",
        "grader.worker.limits",
        "grader.worker.memory",
        "grader.worker.opencl",
        "grader.worker.opencl.buffers",
        "grader.worker.opencl.facts",
        "grader.worker.opencl.options",
        "grader.worker.opencl.preprocess",
        "grader.worker.opencl.sequence",
        "grader.worker.session",
        "grader.worker.simulator",
        "grader.worker.succession",
        "grader.worker.waiting",
    ]
    worker.stop()


MOMENTS = [(tempfile, "mkdtemp"), (Path, "mkdir"), (subprocess, "Popen"), (shutil, "rmtree"), (socket, "socketpair")]
"""Calls that start or stop a worker. Interruptions have occurred in each of them."""


@pytest.mark.sampled
@pytest.mark.parametrize("when", [pytest.param("before", marks=pytest.mark.whole), "after"])
@pytest.mark.parametrize("moment", MOMENTS, ids=[name for _, name in MOMENTS])
def test_an_interruption_leaves_nothing_wherever_it_comes(moment, when, tmp_path, monkeypatch, tell):
    """An interruption during any of these calls does not leave a folder or a process behind, and is not lost."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module, name = moment
    real = getattr(module, name)

    def interrupted(*arguments, **options):
        if when == "before":
            tell()
        try:
            return real(*arguments, **options)
        finally:
            if when == "after":
                tell()

    def work():
        with closing(ProcessSandbox(RULES)) as sandbox:
            sandbox.start().stop()

    with monkeypatch.context() as patched:
        patched.setattr(module, name, interrupted)
        with pytest.raises(InterruptedGradingError):
            work()
    assert list(tmp_path.iterdir()) == []
    assert processes_in(tmp_path) == []


def started(tmp_path, code):
    """Start a worker that runs this code, and close its fork server, which is no longer needed."""
    with closing(ForkServer(serving(code), environment_of(NOWHERE))) as server:
        worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
        assert worker.group
    return worker


def said(worker):
    """Return the next output of a worker. It must arrive within a generous time."""
    return worker.receive(30).decode().strip()


MUCH = b"x" * 10_000_000


@pytest.mark.parametrize("code", ["print('here', flush=True); time.sleep(600)", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_a_worker_that_does_not_read_holds_nobody_up(tmp_path, code):
    """Data for a worker that does not read is sent while the judge waits for the answer, until the deadline. The worker
    can still be stopped.
    """
    worker = started(tmp_path, code)
    worker.send(MUCH)
    if "here" in code:
        assert said(worker) == "here"
    with pytest.raises(TimeoutError):
        worker.receive(0.2)
    group = worker.group
    worker.stop()
    assert left_of(group) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.whole
def test_what_a_pipe_does_not_take_at_once_is_sent_while_an_answer_is_waited_for(tmp_path):
    """Data that does not fit into the pipe is sent while the judge waits for an answer. It arrives completely and in
    order.
    """
    worker = started(tmp_path, f"print(sys.stdin.buffer.read({len(MUCH) + 4})[-6:].decode(), flush=True)")
    worker.send(MUCH)
    worker.send(b"last")
    assert said(worker) == "xxlast"
    worker.send(MUCH)  # the worker has ended
    while worker.receive(30):
        pass
    worker.stop()


STARTS = """
def start(does):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            does()
            time.sleep(600)
        os._exit(0)
"""

DAEMON = (
    STARTS
    + """
heard, says = os.pipe()
start(lambda: (print(os.getpid(), flush=True), os.write(says, b"x")))
os.read(heard, 1)
"""
)
"""A daemon that prints its id before its parent ends. When the parent ends, everything that the worker started is
ended.
"""


def stops(whom):
    """Return code that starts a daemon. The daemon stops the process `whom` and then prints its own id."""
    return STARTS + f"start(lambda: (os.kill({whom}, signal.SIGSTOP), print(os.getpid(), flush=True)))\ntime.sleep(600)"


OUTLIVING = {
    "a daemon": DAEMON + "time.sleep(600)",
    "a daemon whose parent has ended": DAEMON,
    "a stopped worker": f"worker = os.getpid()\n{stops('worker')}",
    "a stopped warden": f"warden = os.getppid()\n{stops('warden')}",
    "a dead warden": "warden = os.getppid()\nprint(os.getpid(), flush=True)\nos.kill(warden, 9)\ntime.sleep(600)",
}


@pytest.mark.sampled
@pytest.mark.parametrize("code", OUTLIVING.values(), ids=OUTLIVING)
def test_nothing_that_a_worker_starts_outlives_it(tmp_path, code):
    """All processes that a worker starts end with it, even if they have left their parent or stopped the worker or the
    warden.
    """
    worker = started(tmp_path, code)
    hidden = int(said(worker))
    worker.stop()
    assert is_gone(hidden)
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize("name", ["a daemon", "a stopped worker"])
def test_nothing_that_a_worker_starts_outlives_a_killed_judge(tmp_path, name):
    """All processes that a worker has started end after its judge was killed. The warden notices the judge's end even
    if the worker is stopped.
    """
    judge = subprocess.Popen(
        [sys.executable, "-c", JUDGE, importable(__file__), tmp_path, OUTLIVING[name]],
        stdout=subprocess.PIPE,
    )
    worker, hidden = map(int, judge.stdout.readline().split())
    judge.send_signal(signal.SIGKILL)
    judge.wait()
    judge.stdout.close()
    assert is_gone(hidden)
    assert is_gone(worker)


JUDGE = """
import sys, time
sys.path[:0] = sys.argv[1].split(":")
import test_sandbox_process as t
worker = t.started(t.Path(sys.argv[2]), sys.argv[3])
print(worker.group, t.said(worker), flush=True)
time.sleep(600)
"""


def processes_in(folder):
    """Return the ids of the processes whose working directory is or was below a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str((entry / "cwd").readlink()).startswith(str(folder)):
                found.append(entry.name)
    return found
