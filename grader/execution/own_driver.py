"""An OpenCL driver in the user's own folder: PoCL, unpacked there by `grader setup` if the user cannot install it.

pocl/root/           the packages of the distribution, unpacked
pocl/link/           what PoCL's last step, ld, asks for by names that only a compiler's packages have
pocl/.libs/pocl.icd  names the driver for pyopencl, which looks for such files in the .libs of PYOPENCL_HOME
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.common.errors import InputError
from grader.common.files import data_folder
from grader.worker.drivers import OWN_DRIVERS

LIBRARIES = "usr/lib/*-linux-gnu"
"""Where Debian keeps the libraries of an architecture."""


def own_driver() -> Path:
    """The folder, which need not be there; raises InputError if the user has no folder for data."""
    return data_folder() / "pocl"


def complete(folder: Path, home: Path) -> None:
    """Make a driver of the packages that were unpacked in `root` of the folder, which will be moved to `home`; raises
    OSError.
    """
    driver = (folder / "root" / "etc" / "OpenCL" / "vendors" / "pocl.icd").read_text().strip()
    library = next((folder / "root").glob(f"{LIBRARIES}/{driver}"), None)
    if library is None:
        raise FileNotFoundError(f"no package holds {driver}")
    (folder / ".libs").mkdir(exist_ok=True)
    (folder / ".libs" / "pocl.icd").write_text(f"{home / library.relative_to(folder)}\n")


def driver_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that a worker needs, beside the given ones, to find the driver; none if there is no such driver."""
    with suppress(InputError):  # a user without a folder for data has no driver there
        folder = own_driver()
        if (folder / ".libs" / "pocl.icd").is_file():
            libraries = [str(path) for path in (folder / "root").glob(LIBRARIES)]
            searched = os.pathsep.join([*libraries, *filter(None, [environment.get("LD_LIBRARY_PATH")])])
            return {OWN_DRIVERS: str(folder), "LD_LIBRARY_PATH": searched}
    return {}
