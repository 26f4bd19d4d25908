"""`grader doctor`: can this machine grade? Each finding comes with its remedy."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from grader.assignment import Course
from grader.errors import GraderError
from grader.grading import Bench
from grader.plan import SUBMISSION, Plan, Script
from grader.protocol import BufferArg, BufferSpec, KernelStep, Program
from grader.sandbox.process import LINKERS

FREE_BYTES = 1024**3
"""Room that a worker's arrays and caches may need in the temporary folder."""

PROBE = Program(source="__kernel void probe(__global uint *out) { out[get_global_id(0)] = get_global_id(0) + 1; }")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at. Without a remedy it is in order."""

    topic: str
    found: str
    remedy: str = ""


def examine(bench: Bench, course: Course) -> Iterator[Finding]:
    """Look at everything that a grading needs, the basic things first."""
    yield Finding(topic="Python", found=sys.version.split()[0])
    yield _linker()
    yield _temporary_folder()
    yield _attempt(
        "device", lambda: _device(bench), "install an OpenCL driver, or `pip install pocl-binary-distribution`"
    )
    yield _attempt(
        "a kernel",
        lambda: _kernel(bench),
        "see the lines above; a missing linker (package binutils) is the usual cause",
    )
    for name in course.names():
        yield _attempt(name, partial(_title, course, name), "mend the file that the message names")


def _title(course: Course, name: str) -> str:
    return course.load(name).title


def _attempt(topic: str, look: Callable[[], str], remedy: str) -> Finding:
    try:
        return Finding(topic=topic, found=look())
    except GraderError as error:
        return Finding(topic=topic, found=str(error), remedy=remedy)


def _linker() -> Finding:
    found = next((path for path in map(shutil.which, LINKERS) if path), None)
    if found:
        return Finding(topic="linker", found=found)
    return Finding(
        topic="linker", found="there is no `ld`", remedy="PoCL needs one: install binutils (apt install binutils)"
    )


def _temporary_folder() -> Finding:
    folder = Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    if free >= FREE_BYTES:
        return Finding(topic="temporary folder", found=f"{folder}, {free / FREE_BYTES:.0f} GiB free")
    return Finding(
        topic="temporary folder",
        found=f"{folder} has {free / 2**20:.0f} MiB free",
        remedy="free 1 GiB there, or set TMPDIR to another folder",
    )


def _device(bench: Bench) -> str:
    with bench.worker({}) as worker:
        device = worker.ready()
        return f"{device.name} ({device.platform}, {device.version})"


def _kernel(bench: Bench) -> str:
    """Build and run a kernel of our own; raises GraderError if that goes wrong."""
    step = KernelStep(
        program=SUBMISSION, kernel="probe", args=(BufferArg(buffer="out"),), global_size=(256,), local_size=(64,)
    )
    plan = Plan(
        buffers=(BufferSpec(name="out", size=1024, guard=0, poison=0),),
        scripts={"probe": Script(steps=(step,), uploads=(), outputs=("out",))},
    )
    with bench.worker({SUBMISSION: PROBE}) as worker:
        fetched = worker.run_once(plan, "probe", {})
    if not isinstance(fetched, dict):
        raise GraderError(f"does not run: {fetched}")
    if not np.array_equal(fetched["out"].payload, np.arange(1, 257)):
        raise GraderError("runs, but computes wrong values")
    return "builds, runs and computes what it should"
