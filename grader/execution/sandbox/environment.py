"""Environment variables of a worker. Only a few come from the judge, and workers do not share a folder through them.

PoCL links every kernel with -lgcc -lgcc_s -lc -lm. Only the packages of a compiler contain files with these names, but
every machine has the libraries themselves. Therefore a worker's folder contains files with these names.

This module must import quickly, because the judge needs the variables to start the fork server before it loads other
modules.
"""

import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import data_folder
from grader.worker.drivers import OWN_DRIVERS

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


LINKED = {"libgcc_s.so": "libgcc_s.so.1", "libc.so": "libc.so.6", "libm.so": "libm.so.6"}
"""File names that the linker looks for, and the libraries to which they refer."""

EMPTY_ARCHIVE = b"!<arch>\n"
"""Content of libgcc.a. Kernels do not use any function of this library."""


def make_names(folder: Path) -> None:
    """Create a folder with these files, for the variable LIBRARY_PATH. Raises OSError if that fails."""
    folder.mkdir(mode=0o755)
    (folder / "libgcc.a").write_bytes(EMPTY_ARCHIVE)
    for name, library in LINKED.items():
        (folder / name).write_text(f"INPUT({library})\n")


LIBRARIES = "usr/lib/*-linux-gnu"
"""Pattern for Debian's folders with the libraries of one architecture."""


def own_driver() -> Path:
    """Return the folder of the user's own OpenCL driver, which may not exist. `grader setup` unpacks PoCL there if the
    user cannot install it. Raises InputError if the user has no data folder.

    root/           the packages of the distribution, unpacked
    link/           library names for PoCL's linker (ld), which are otherwise only in the packages of a compiler
    .libs/pocl.icd  points pyopencl to the driver; it looks for such files in the .libs of PYOPENCL_HOME
    """
    return data_folder() / "pocl"


def complete(folder: Path, home: Path) -> None:
    """Complete a driver whose packages were unpacked into `root` in the folder. The folder will be moved to `home`.
    Raises OSError if the driver is missing or a file cannot be written.
    """
    driver = (folder / "root" / "etc" / "OpenCL" / "vendors" / "pocl.icd").read_text().strip()
    library = next((folder / "root").glob(f"{LIBRARIES}/{driver}"), None)
    if library is None:
        raise FileNotFoundError(f"no package contains {driver}")
    (folder / ".libs").mkdir(exist_ok=True)
    (folder / ".libs" / "pocl.icd").write_text(f"{home / library.relative_to(folder)}\n")


def driver_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the additional variables with which a worker finds this driver. Empty if the driver does not exist."""
    with suppress(InputError):  # a user without a data folder has no driver there
        folder = own_driver()
        if (folder / ".libs" / "pocl.icd").is_file():
            libraries = [str(path) for path in (folder / "root").glob(LIBRARIES)]
            searched = os.pathsep.join([*libraries, *filter(None, [environment.get("LD_LIBRARY_PATH")])])
            return {OWN_DRIVERS: str(folder), "LD_LIBRARY_PATH": searched}
    return {}
