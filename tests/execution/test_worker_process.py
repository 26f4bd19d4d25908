"""worker_process.py: workers that are frozen, that cannot start, or whose judge was killed."""

import os
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace

import pytest
from fork_servers import serving
from processes import left_of, processes_of
from project import importable
from small_jobs import ARRAYS, is_right, make_worker, plan
from worker_rules import RULES, TIMEOUTS

from grader.common.errors import DeviceError, WorkerError
from grader.execution.client import Worker
from grader.execution.outcome import Timing
from grader.execution.plan import NOTHING
from grader.execution.sandbox.process import ProcessSandbox

SHARED = replace(plan("twice"), arrays="shared")


@pytest.fixture
def worker():
    with make_worker() as running:
        yield running


def test_a_frozen_worker_goes_on_where_it_was(worker):
    """A frozen worker answers requests after it has been thawed. Freezing it twice has no further effect."""
    worker.open(SHARED)
    worker.session.stage("run", ARRAYS)
    worker.freeze()
    worker.freeze()
    worker.thaw()
    assert isinstance(worker.session.launch("run"), Timing)
    assert is_right(worker.session.fetch(("out",)))


def test_a_frozen_worker_can_be_stopped(worker):
    """A frozen worker can be stopped, for example if another worker's failure ends the grading."""
    worker.open(SHARED)
    pid = worker._connection.process.group
    worker.freeze()
    worker.stop()
    assert not processes_of(pid)


def test_a_device_that_is_not_there_is_our_error():
    """A missing device is an error of grader, and the message contains the command that lists devices."""
    with make_worker(device=99) as worker, pytest.raises(DeviceError, match=r"no OpenCL device 99.*grader devices"):
        worker.open(NOTHING)


def test_a_worker_that_cannot_start_is_our_error_with_its_last_words(monkeypatch):
    """A broken installation is not the student's fault, and the message shows what is broken."""
    broken = serving("import grader.no_such_module")
    monkeypatch.setattr("grader.execution.sandbox.forkserver.own_command", lambda: broken)
    with closing(ProcessSandbox(RULES)) as sandbox, pytest.raises(WorkerError, match="no_such_module"):
        Worker(sandbox, 0, TIMEOUTS).ready()


def test_a_worker_whose_judge_was_killed_ends_with_its_endless_kernel(tmp_path):
    """If a judge was killed with kill -9, its worker ends even during an endless kernel, so that no process computes
    forever.
    """
    script = tmp_path / "judge.py"
    script.write_text(
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "import test_worker_process as t\n"
        "patient = t.TIMEOUTS.__class__(start=60, build=60, first_launch=60, launch=60, transfer=60, simulation=60)\n"
        "worker = t.make_worker(timeouts=patient)\n"
        "worker.open(t.plan('forever')); worker.session.stage('run', t.ARRAYS)\n"
        "print(worker._connection.process.group, flush=True)\n"
        "worker.session.launch('run')\n"
    )
    judge = subprocess.Popen(
        [sys.executable, script, importable(__file__)],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},  # so that no other test's judge removes the folder
        text=True,
    )
    group = int(judge.stdout.readline())
    time.sleep(0.5)
    assert len(processes_of(group)) == 2
    judge.kill()
    judge.wait()
    judge.stdout.close()
    assert left_of(group) == []
