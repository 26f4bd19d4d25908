"""grader/forkserver: the state that forks of one process may share, and which process ends which other ones."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from fork_servers import serving
from processes import is_gone, may_trace, wait_for
from project import importable

from grader.common.errors import WorkerError
from grader.execution.sandbox import forkserver
from grader.execution.sandbox.environment import NOWHERE, environment_of
from grader.execution.sandbox.forkserver import ForkServer, own_command
from grader.execution.sandbox.process import ProcessWorker, WorkerPlace, new_folder
from grader.forkserver.order import WorkerOrder

OBEYS = "for line in sys.stdin: exec(line)"
"""A worker that executes each line that it receives as Python code."""


@pytest.fixture
def start(tmp_path):
    """Return a function that starts workers of one fork server. All of them are stopped at the end."""
    with ExitStack() as stack:
        server = ForkServer(serving(OBEYS), environment_of(NOWHERE))
        stack.callback(server.close)

        def new():
            worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
            stack.callback(worker.stop)
            return worker

        new.server = server
        yield new


def ask(worker, code):
    """Return the worker's value of a Python expression."""
    worker.send(f"print({code}, flush=True)\n".encode())
    return worker.receive(30).decode().strip()


def tell(worker, code):
    """Let a worker execute code, and return the worker."""
    worker.send(f"exec({code!r})\n".encode())
    return worker


def pid_of(server):
    return server._process._running[0].pid


def warden_of(worker):
    assert worker.group
    return worker._warden._ids[0]


def descriptors(pid):
    """Return the open descriptors of a process by their numbers."""
    found = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        found[int(link.name)] = str(link.readlink())
    return found


traced = pytest.mark.skipif(
    not may_trace(), reason="only who may trace others can look into a process that is closed to debuggers"
)


@traced
def test_a_fork_server_has_one_thread_and_shares_no_memory(start):
    """A fork server has only one thread, because a fork would lose the locks of others. It has no shared memory,
    because workers could use it to communicate.
    """
    assert ask(start(), "1") == "1"
    pid = pid_of(start.server)
    assert len(list(Path(f"/proc/{pid}/task").iterdir())) == 1
    maps = [line.split(maxsplit=5) for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]
    assert [fields for fields in maps if fields[1].endswith("s") and "w" in fields[1]] == []


def kinds_of(opened):
    """Return the kinds of descriptors, sorted. Files are given by name, and other descriptors without their numbers."""
    return sorted(link if link.startswith("/") else link.partition(":")[0] for link in opened.values())


OWN_DESCRIPTORS = """
def own_descriptors():
    listed = {int(name): "/proc/self/fd/" + name for name in os.listdir("/proc/self/fd")}
    return {number: os.readlink(path) for number, path in listed.items() if os.path.lexists(path)}
"""


@traced
def test_nobody_holds_a_descriptor_of_another(start):
    """The fork server has only its socket, a warden only its lifeline and a pipe, and a worker only its streams. No
    process has a descriptor of another.

    Therefore, a worker can neither talk to a fork server nor keep another worker's lifeline open, and a warden notices
    when the judge closes a lifeline.
    """
    workers = [start() for _ in range(3)]
    held = [eval(ask(tell(each, OWN_DESCRIPTORS), "own_descriptors()")) for each in workers]
    for worker, said in zip(workers, held, strict=True):
        folder = worker._folder.path
        assert sorted(said) == [0, 1, 2]
        assert [said[0][:5], said[1][:5], said[2]] == ["pipe:", "pipe:", str(folder / "errors.txt")]
    assert len({link for said in held for link in said.values()}) == 9
    server = descriptors(pid_of(start.server))
    assert kinds_of(server) == [os.devnull] * 3 + ["socket"]
    sockets = {link for link in server.values() if link.startswith("socket")}
    own = sorted([os.devnull] * 3 + ["socket", "pipe", "pipe"])
    for worker in workers:
        number = warden_of(worker)
        wait_for(lambda number=number: kinds_of(descriptors(number)) == own)  # it closes the worker's streams first
        warden = descriptors(number)
        assert kinds_of(warden) == own
        assert not sockets & set(warden.values())
        sockets |= {link for link in warden.values() if link.startswith("socket")}


SEARCH = """
import re
def found(pattern):
    pattern, hits = re.compile(pattern.encode()), 0
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            where, rights = line.split()[:2]
            start, end = (int(each, 16) for each in where.split("-"))
            if rights.startswith("rw"):
                memory.seek(start)
                hits += len(pattern.findall(memory.read(end - start)))
    return hits
"""


def not_itself(text):
    """Return a pattern that matches a text, but does not match itself in memory."""
    return f"[{text[0]}]{text[1:]}"


def test_the_memory_of_a_worker_holds_nothing_of_an_earlier_one(start):
    """A worker's memory contains neither the folder nor the messages of an earlier worker. Each warden reads its own
    order, and the fork server does not read any.
    """
    earlier, later = start(), start()
    secret = "what an earlier submission was told"
    assert ask(earlier, f"len({secret!r})") == str(len(secret))
    last = start()
    for name in (secret, earlier._folder.path.name, later._folder.path.name):
        assert ask(tell(last, SEARCH), f"found({not_itself(name)!r})") == "0"
    own = last._folder.path.name
    assert int(ask(last, f"found({not_itself(own)!r})")) > 0


def test_workers_draw_different_numbers(start):
    """Workers draw different random numbers, although they are forks of the same process."""
    draw = "[__import__('random').random() for _ in range(4)], __import__('tempfile').mkdtemp(dir='home')"
    assert len({ask(start(), draw) for _ in range(3)}) == 3


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_fork_server_that_was_killed_or_stopped_starts_the_next_worker(start, number):
    """If a worker under `process` kills or stops its fork server, the next worker can still start, and running workers
    continue.
    """
    before = start()
    assert ask(before, "1") == "1"
    old = pid_of(start.server)
    before.send(f"os.kill({old}, {int(number)})\n".encode())
    assert wait_for(lambda: Path(f"/proc/{old}/stat").read_text().rpartition(")")[2].split()[0] in "ZT")
    assert ask(start(), "2") == "2"
    assert ask(before, "3") == "3"
    assert (pid_of(start.server) == old) is (number == signal.SIGSTOP)


def test_a_worker_that_never_came_to_be_can_be_stopped(tmp_path, monkeypatch):
    """If a fork server does not answer, it is killed, and nothing of its worker is left behind."""
    monkeypatch.setattr(forkserver, "END_SECONDS", 0.1)
    monkeypatch.setattr(forkserver, "AGAIN", 0.05)
    server = ForkServer((sys.executable, "-I", "-c", "import time; time.sleep(600)"), {})
    worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
    assert not worker.has_ended()
    pid = pid_of(server)
    monkeypatch.setattr("grader.execution.sandbox.process.START", 0.1)
    with pytest.raises(WorkerError, match="could not be started"):
        _ = worker.group
    worker.stop()
    assert is_gone(pid)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_whose_fork_server_ends_at_once_has_ended(tmp_path):
    """If a fork server ends at once, a waiting judge notices that the worker has ended. The next worker gets a new fork
    server.
    """
    server = ForkServer((sys.executable, "-I", "-c", ""), {})
    for _ in range(2):
        worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
        assert worker.receive(30) == b""
        assert wait_for(worker.has_ended)
        worker.stop()
    server.close()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_imported_is_told_by_the_worker(tmp_path):
    """If an import fails, the error is in the worker's last words, as for any worker that cannot start."""
    code = "import sys; sys.modules['numpy'] = None; from grader.forkserver.__main__ import main; main()"
    server = ForkServer((sys.executable, "-I", "-c", code), environment_of(NOWHERE))
    worker = ProcessWorker.start(server, WorkerPlace(folder=new_folder(tmp_path)))
    assert worker.receive(30) == b""
    assert "import of numpy halted" in worker.last_words()
    worker.stop()
    server.close()


def test_nobody_of_the_same_user_can_write_to_the_memory_of_a_fork_server(start):
    """No process of the same user can write to a fork server's memory, which each later worker copies, because its
    forks are closed to debuggers.
    """
    assert ask(start(), "__import__('ctypes').CDLL(None).prctl(3, 0, 0, 0, 0)") == "0"  # PR_GET_DUMPABLE


def test_an_order_may_name_any_folder():
    """The name of a worker's folder may contain any bytes."""
    order = WorkerOrder(folder="/tmp/\udcff", environment={"PATH": "\udcfe\n", "HOME": "ü"}, user=None, core_bytes=1)
    assert WorkerOrder.unpacked(order.packed()) == order


JUDGE = """
import sys, time
sys.path[:0] = sys.argv[1].split(":")
import test_forkserver as t
server = t.ForkServer(t.own_command(), t.environment_of(t.NOWHERE))
worker = t.ProcessWorker.start(server, t.WorkerPlace(folder=t.new_folder(t.Path(sys.argv[2]))))
print(t.pid_of(server), worker.group, flush=True)
time.sleep(600)
"""


def test_a_fork_server_ends_with_its_judge(tmp_path):
    """A fork server and its worker end with their judge, even if the judge was killed."""
    command = [sys.executable, "-c", JUDGE, importable(__file__), tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as judge:
        server, worker = map(int, judge.stdout.readline().split())
        judge.kill()
    assert is_gone(server)
    assert is_gone(worker)


def test_it_is_a_program_that_says_nothing_of_the_judge():
    """The command line and environment of the fork server do not reveal anything about the judge. Every user can read
    them in wardens and workers.
    """
    assert own_command() == (sys.executable, "-I", "-m", "grader.forkserver")
    assert set(environment_of(NOWHERE)) <= {
        *("HOME", "TMPDIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "POCL_AFFINITY", "PYOPENCL_NO_CACHE"),
        *(
            "CUDA_DEVICE_MAX_CONNECTIONS",
            "OPENBLAS_NUM_THREADS",
            "PATH",
            "LIBRARY_PATH",
            "LD_LIBRARY_PATH",
            "OCL_ICD_VENDORS",
            "GRADER_DRIVERS",
        ),
    }


def test_a_lifeline_without_an_order_is_let_go():
    """A lifeline that arrives without an order is closed. This happens if the judge is killed between two steps."""
    server = ForkServer(own_command(), environment_of(NOWHERE))
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with theirs:
        server._process.hand_over(theirs)
    ours.shutdown(socket.SHUT_WR)
    ours.settimeout(30)
    assert ours.recv(100) == b""
    ours.close()
    server.close()
