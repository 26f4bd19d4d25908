"""The simulated device: Oclgrind, with our plugin (observer.cpp) in it.

It interprets kernels one work-item after the other, knows every access, and takes a thousand times as long as a device.
"""

import hashlib
import os
from pathlib import Path

from grader.observation import SeenKernel
from grader.protocol import Observed, Simulation

PLATFORM = "Oclgrind"

LIBRARIES = tuple(
    Path(folder) / "oclgrind" / "liboclgrind-rt-icd.so" for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
)
"""Where packages put Oclgrind as an OpenCL driver."""

SOURCE = Path(__file__).with_name("observer.cpp")
OBSERVER = Path(__file__).with_name("observer.so")
"""Our plugin; the script build-observer beside it makes it, and puts the hash of the source into it."""

LOCAL_MEMORY = 48 * 1024
"""Bytes that a work-group may use; GPUs of NVIDIA have as much (Oclgrind's default is 32 KiB)."""

MESSAGES = 100
"""Messages of one launch that are passed on; each is about other lines."""


def library() -> Path | None:
    """Oclgrind, if it and our plugin are there, and the plugin is of this version."""
    source = hashlib.sha256(SOURCE.read_bytes()).hexdigest().encode()
    if not OBSERVER.is_file() or source not in OBSERVER.read_bytes():
        return None
    return next((path for path in LIBRARIES if path.is_file()), None)


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


def observed() -> Observed:
    """What the plugin saw since the last call."""
    path = Path(os.environ.get(OBSERVATIONS, os.devnull))
    lines = path.read_bytes().splitlines() if path.is_file() else []
    if lines:
        path.unlink()
    kernels = (SeenKernel.model_validate_json(line) for line in lines)
    return Observed(kernels=tuple(each.model_copy(update={"messages": each.messages[:MESSAGES]}) for each in kernels))
