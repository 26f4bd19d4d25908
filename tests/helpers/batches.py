"""A small course that is graded as a batch, by processes or on a Dask cluster here, for tests and benchmarks.

Everything is a process of its own, in a session of its own, so that a part can be killed as a crash would.
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
from tempfile import gettempdir

from attacks import QUICK, at_any_speed, small_course
from project import ROOT

NAME = "coalsTransp"

STEADY = ("copied-not-transposed", "course-style-lmem", "padded-by-two", "long-sizes", "returns-after-the-barrier")
STEADY += ("flat-tile-turned-on-load", "whole-course-file", "uncoalesced")
"""Submissions whose outcome is the same in every grading, also where no simulator looks at them."""

WRONG = ("copied-not-transposed", "long-sizes")
"""Those that are never timed."""

CALM = {**QUICK, "GRADER_TIMING__MIN_PAIRS": "5", "GRADER_TIMING__MAX_PAIRS": "5", "GRADER_LOCKS": gettempdir()}
CALM |= {"GRADER_DEADLINES__FIRST_LAUNCH": "30", "GRADER_DEADLINES__LAUNCH": "30", "GRADER_DEADLINES__START": "60"}
"""Settings under which a grading takes a second or two; deadlines are long, since tests share the processor."""

TRUSTED = ("--sandbox", "process")

DASK = (sys.executable, "-m", "dask")
WORKER = ("--nthreads", "1", "--resources", "device=1", "--no-dashboard")

UNLIKE = ("seconds", "started", "performance")
"""Fields of a result that differ from one grading to the next: times, and what follows from them."""


def small_batch(folder, count, kinds=STEADY):
    """A course in which any speed is good enough, and so many different submissions for it, in folders by student."""
    small_course(folder / "course", NAME, (), watched=False)
    at_any_speed(folder / "course", NAME)
    for number in range(count):
        source = ROOT / "tests" / "submissions" / NAME / kinds[number % len(kinds)] / "kernels.cl"
        home = folder / "submissions" / f"student{number:03d}"
        home.mkdir(parents=True)
        (home / "kernels.cl").write_bytes(source.read_bytes() + f"\n// {number}\n".encode())


def batch(folder, out, *options, sandbox=TRUSTED):
    """The command that grades the small batch of a folder."""
    what = (folder / "submissions", "--assignment", NAME, "--course", folder / "course", "--out", out, "--seed", "1")
    return [sys.executable, "-m", "grader.cli.main", "batch", *map(str, what), *sandbox, *options]


def start(command, log, **more):
    """Start it in a session of its own; it works in the folder of `log`, to which goes all that it says."""
    temporary = log.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    with log.open("ab") as said:
        return subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            cwd=log.parent,
            env={**os.environ, **CALM, "TMPDIR": str(temporary), **more},
            start_new_session=True,
        )


def run(command, log, **more):
    """Run it to its end; the exit code."""
    return start(command, log, **more).wait(600)


@contextmanager
def scheduler(folder, *options, **more):
    """A Dask scheduler; its address."""
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
    """So many Dask workers with a device each, by their processes (of the nannies, if they are not left out)."""
    names = [f"worker{number}" for number in range(count)]
    processes = [start_worker(address, folder, name, *options, **more) for name in names]
    try:
        yield processes
    finally:
        for process in processes:
            end(process)


def start_worker(address, folder, name, *options, **more):
    """One of them."""
    command = (*DASK, "worker", address, *WORKER, "--local-directory", folder, "--name", name, *options)
    return start(command, folder / f"{name}.log", **more)


def end(process):
    """Ask a process to end, then everything in its session."""
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
    """What `look` finds, once it finds something."""
    end_of_patience = time.monotonic() + seconds
    while time.monotonic() < end_of_patience:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{look} has found nothing in {seconds:.0f} s")


def done(out):
    """How many gradings are stored."""
    return len(list((out / "results").glob("*.json")))


def essences(out):
    """Everything that is stored, by file name, but for times."""
    return {path.name: essence(json.loads(path.read_bytes())) for path in sorted((out / "results").glob("*.json"))}


def essence(value):
    """A result but for times, and for the messages about speed."""
    if isinstance(value, dict):
        unlike = (*UNLIKE, "message") if value.get("kind") == "performance" else UNLIKE
        return {name: essence(each) for name, each in value.items() if name not in unlike}
    if isinstance(value, list):
        return [essence(each) for each in value]
    return value


def stations(batch):
    """Process ids of the stations of a batch."""
    return [
        number for number, parent, command in processes() if parent == batch.pid and "grader.batch.workforce" in command
    ]


def left_in(folder):
    """What runs in a folder or below, and the temporary folders of graders there."""
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
    """Process id, parent and command line of everything that runs."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            yield int(entry.name), parent, command


def remove(folder):
    """Remove a folder with everything in it."""
    shutil.rmtree(folder, ignore_errors=True)
