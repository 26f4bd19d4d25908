"""The environment variables of a worker: nothing from the judge, and nothing shared between workers.

Light to import: the fork server starts with them before anything else is loaded.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from grader.execution.own_driver import driver_environment

HOME = "home"
LINK = "link"
"""Folders in a worker's own (process.py)."""

NOWHERE = Path("/nonexistent")
"""The folder of no worker: its variables are those that the fork server starts with."""

LINKERS = ("ld", "ld.lld")
"""PoCL calls one of these to load a kernel; the worker's PATH is the folder that holds it."""


def environment_of(folder: Path) -> dict[str, str]:
    """The variables of the worker in a folder."""
    linkers = [path for path in map(shutil.which, LINKERS) if path]
    passed_on = {name: os.environ[name] for name in ("OCL_ICD_VENDORS", "LD_LIBRARY_PATH") if name in os.environ}
    path = os.pathsep.join(dict.fromkeys(str(Path(path).parent) for path in linkers))
    given = {"PATH": path, "LIBRARY_PATH": str(folder / LINK)}
    given |= environment(str(folder / HOME), os.sched_getaffinity(0))
    return {**given, **passed_on, **driver_environment(os.environ)}


def environment(home: str, allowed: Collection[int]) -> dict[str, str]:
    """For a worker whose caches and temporary files go below `home`, and which may use these processors.

    PoCL pins its first thread to processor 0, its second to 1, and so on: without that, threads share a core at random,
    and times double. Where a cpuset (of a batch system or a container) leaves out one of these, PoCL would be aborted.

    A worker has one queue, but NVIDIA's driver makes eight connections to the device for each process (CUDA C++
    Programming Guide, environment variables), one process after the other: on an H200, three processes that start at
    once have their contexts after 0.19 s with one connection each, and after 0.39 s with eight.
    """
    return {
        "HOME": home,
        "TMPDIR": home,
        "XDG_CACHE_HOME": home,
        "POCL_CACHE_DIR": home,
        "POCL_AFFINITY": "1" if sorted(allowed) == list(range(len(allowed))) else "0",
        "PYOPENCL_NO_CACHE": "1",
        "CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "OPENBLAS_NUM_THREADS": "1",  # its threads would not survive the fork of a session
    }
