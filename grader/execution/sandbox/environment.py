"""Environment variables of a worker. Only a few come from the judge, and workers do not share a folder through them.

This module must import quickly, because the judge needs the variables to start the fork server before it loads other
modules.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from grader.execution.own_driver import driver_environment

HOME = "home"
LINK = "link"
"""Subfolders of a worker's folder (process.py)."""

NOWHERE = Path("/nonexistent")
"""A folder that does not exist. The variables of the fork server contain it in place of a worker's folder."""

LINKERS = ("ld", "ld.lld")
"""Programs with which PoCL links a kernel when it loads it; it calls one of them. The worker's PATH contains their
folders.
"""


def environment_of(folder: Path) -> dict[str, str]:
    """Return the variables of the worker that uses this folder."""
    linkers = [path for path in map(shutil.which, LINKERS) if path]
    passed_on = {name: os.environ[name] for name in ("OCL_ICD_VENDORS", "LD_LIBRARY_PATH") if name in os.environ}
    path = os.pathsep.join(dict.fromkeys(str(Path(path).parent) for path in linkers))
    given = {"PATH": path, "LIBRARY_PATH": str(folder / LINK)}
    given |= environment(str(folder / HOME), os.sched_getaffinity(0))
    return {**given, **passed_on, **driver_environment(os.environ)}


def environment(home: str, allowed: Collection[int]) -> dict[str, str]:
    """Return the variables of a worker whose caches and temporary files are below `home`, and which may use these
    processors.

    PoCL pins its first thread to processor 0, its second thread to processor 1, and so on. Without pinning, threads
    share a core at random, and times double. PoCL has as many threads as the machine has processors. Pinning is off if
    a cpuset (of a batch system or a container) excludes one of them, because it would abort PoCL.

    A worker has one queue, but NVIDIA's driver makes eight connections to the device for each process (CUDA C++
    Programming Guide, environment variables), and serves one process after the other. On an H200, three processes that
    start at the same time have their contexts after 0.19 s with one connection each, and after 0.39 s with eight.
    """
    return {
        "HOME": home,
        "TMPDIR": home,
        "XDG_CACHE_HOME": home,
        "POCL_CACHE_DIR": home,
        "POCL_AFFINITY": "1" if set(allowed) == set(range(os.cpu_count() or 0)) else "0",
        "PYOPENCL_NO_CACHE": "1",
        "CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "OPENBLAS_NUM_THREADS": "1",  # more threads would not survive the fork of a session
    }
