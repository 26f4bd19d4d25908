"""A small course that is graded as a batch, by processes or on a local Dask cluster, for tests and benchmarks.

Each program runs in its own session, so that a test can kill it as a crash would.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from attacks import QUICK, at_any_speed, small_course
from project import ROOT

NAME = "coalsTransp"

STEADY = ("copied-not-transposed", "course-style-lmem", "padded-by-two", "long-sizes", "returns-after-the-barrier")
STEADY += ("flat-tile-turned-on-load", "whole-course-file", "uncoalesced")
"""Submissions that get the same outcome in each grading, even without the simulator."""

WRONG = ("copied-not-transposed", "long-sizes")
"""Submissions that are never timed, because they are wrong."""

CALM = {**QUICK, "GRADER_TIMING__MIN_PAIRS": "5", "GRADER_TIMING__MAX_PAIRS": "5"}
CALM |= {"GRADER_DEADLINES__FIRST_LAUNCH": "30", "GRADER_DEADLINES__LAUNCH": "30", "GRADER_DEADLINES__START": "60"}
"""Settings for gradings that take a second or two. Timeouts are long, because tests share the processor. Any speed is
enough, so a batch does not wait for other tests.
"""

TRUSTED = ("--sandbox", "process")

DASK = (sys.executable, "-m", "dask")
WORKER = ("--nthreads", "1", "--resources", "device=1", "--no-dashboard")

UNLIKE = ("seconds", "started", "performance")
"""Fields of a result that differ from grading to grading: times, and values that depend on them."""


def small_batch(folder, count, kinds=STEADY):
    """Write a course that accepts any speed, and `count` different submissions for it in one folder per student."""
    small_course(folder / "course", NAME, (), watched=False)
    at_any_speed(folder / "course", NAME)
    for number in range(count):
        source = ROOT / "tests" / "submissions" / NAME / kinds[number % len(kinds)] / "kernels.cl"
        home = folder / "submissions" / f"student{number:03d}"
        home.mkdir(parents=True)
        (home / "kernels.cl").write_bytes(source.read_bytes() + f"\n// {number}\n".encode())


def batch(folder, out, *options, sandbox=TRUSTED):
    """Return the command that grades the small batch in a folder."""
    what = (folder / "submissions", "--assignment", NAME, "--course", folder / "course", "--out", out, "--seed", "1")
    return [sys.executable, "-m", "grader.cli.main", "batch", *map(str, what), *sandbox, *options]


def start(command, log, **more):
    """Start a command in its own session. It runs in the folder of `log`, and `log` receives all its output."""
    temporary = log.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    with log.open("ab") as said:
        return subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd=log.parent,
            env={**os.environ, **CALM, "GRADER_LOCKS": str(log.parent), "TMPDIR": str(temporary), **more},
            start_new_session=True,
        )


def run(command, log, **more):
    """Run a command until it ends, and return its exit code."""
    return start(command, log, **more).wait(600)


@contextmanager
def scheduler(folder, *options, **more):
    """Run a Dask scheduler, and yield its address."""
    where = folder / "scheduler.json"
    where.unlink(missing_ok=True)
    command = (*DASK, "scheduler", "--no-dashboard", "--port", "0", "--scheduler-file", where)
    command += options or ("--host", "127.0.0.1")
    process = start(command, folder / "scheduler.log", **more)
    try:
        yield json.loads(waited(lambda: where.exists() and where.read_text()))["address"]
    finally:
        end(process)


@contextmanager
def workers(address, folder, count, *options, **more):
    """Run Dask workers with one device each, and yield their processes. If the workers have nannies, the processes are
    the nannies.
    """
    names = [f"worker{number}" for number in range(count)]
    processes = [start_worker(address, folder, name, *options, **more) for name in names]
    try:
        yield processes
    finally:
        for process in processes:
            end(process)


def start_worker(address, folder, name, *options, **more):
    """Start a Dask worker."""
    command = (*DASK, "worker", address, *WORKER, "--local-directory", folder, "--name", name, *options)
    return start(command, folder / f"{name}.log", **more)


def end(process):
    """Ask a process to terminate, then kill everything in its session."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
    kill_all(process)


def kill_all(process):
    """Kill everything in the session of a process, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def waited(look, seconds=120.0):
    """Call `look` until it returns a true value, and return that value."""
    end_of_patience = time.monotonic() + seconds
    while time.monotonic() < end_of_patience:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{look} has found nothing in {seconds:.0f} s")


def done(out):
    """Return the number of stored gradings."""
    return len(list((out / "results").glob("*.json")))


def essences(out):
    """Return all stored results without their times, by file name."""
    return {path.name: essence(json.loads(path.read_bytes())) for path in sorted((out / "results").glob("*.json"))}


def essence(value):
    """Return a result without times and messages about speed."""
    if isinstance(value, dict):
        unlike = (*UNLIKE, "message") if value.get("kind") == "performance" else UNLIKE
        return {name: essence(each) for name, each in value.items() if name not in unlike}
    if isinstance(value, list):
        return [essence(each) for each in value]
    return value


def stations(batch):
    """Return the process ids of the stations that a batch has started."""
    return [
        number for number, parent, command in processes() if parent == batch.pid and "grader.batch.workforce" in command
    ]


def left_in(folder):
    """Return the processes that run in a folder or below it, and the temporary folders that grader left there."""
    running = [
        f"{number} {command}"
        for number, _, command in processes()
        if command and _working_directory(number).is_relative_to(folder)
    ]
    return running + sorted(str(path) for path in (folder / "tmp").glob("grader-*"))


def _working_directory(number):
    try:
        return Path(f"/proc/{number}/cwd").readlink()
    except OSError:
        return Path("/")


def processes():
    """Yield the id, the parent's id and the command line of each process."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            yield int(entry.name), parent, command


def remove(folder):
    """Remove a folder with all its content."""
    shutil.rmtree(folder, ignore_errors=True)
