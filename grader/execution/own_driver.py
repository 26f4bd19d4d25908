"""An OpenCL driver in the user's data folder. `grader setup` unpacks PoCL there if the user cannot install it.

pocl/root/           the packages of the distribution, unpacked
pocl/link/           library names for PoCL's linker (ld), which are otherwise only in the packages of a compiler
pocl/.libs/pocl.icd  points pyopencl to the driver; it looks for such files in the .libs of PYOPENCL_HOME
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import data_folder
from grader.worker.drivers import OWN_DRIVERS

LIBRARIES = "usr/lib/*-linux-gnu"
"""Pattern for Debian's folders with the libraries of one architecture."""


def own_driver() -> Path:
    """Return the folder of the driver, which may not exist. Raises InputError if the user has no data folder."""
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
