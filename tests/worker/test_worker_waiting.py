"""waiting.py: Linux's measurement of how long each thread of this process has waited for a processor."""

import os
import subprocess
import sys

import pytest

from grader.worker.waiting import THREADS, waits


def test_every_thread_has_its_wait():
    """Each thread has a waiting time, including the main thread, whose id is the process id."""
    assert str(os.getpid()) in waits()
    assert set(waits()) <= set(os.listdir(THREADS))  # noqa: PTH208 - names, not paths


@pytest.mark.whole
def test_who_shares_its_processor_waits(tmp_path):
    """A process that shares one processor with three others waits about three quarters of its time, and more than a
    quarter on any machine. It runs as a separate process, so that this process keeps all its processors for timed
    tests.
    """
    script = tmp_path / "crowded.py"
    script.write_text(
        "import os, time\n"
        "from grader.worker.waiting import waited_since, waits\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "others = [os.fork() for _ in range(3)]\n"
        "if 0 in others:\n"
        "    end = time.monotonic() + 1.0\n"
        "    while time.monotonic() < end: pass\n"
        "    os._exit(0)\n"
        "before, begin = waits(), time.monotonic()\n"
        "while time.monotonic() < begin + 0.5: pass\n"
        "print(waited_since(before) * 1e-9 / (time.monotonic() - begin))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert 0.25 < float(done.stdout) < 1.0
