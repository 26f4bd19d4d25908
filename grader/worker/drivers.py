"""Selects the OpenCL drivers for the sessions of a worker."""

import os
from pathlib import Path

OWN_DRIVERS = "GRADER_DRIVERS"
"""Variable with a folder of drivers that the user has installed, for machines without a driver that works."""

SHIPPED = "PYOPENCL_HOME"
"""Variable with the folder whose subfolder .libs contains pyopencl's drivers. The import of pyopencl sets it."""

SIMULATOR = "oclgrind.icd"


def find_drivers() -> None:
    """Let sessions find the machine's drivers, and also the user's drivers or, without them, the drivers in pyopencl.

    The simulator among pyopencl's drivers is left out: each session would load it, which takes 30 ms. Call this after
    the import of pyopencl, and before it lists platforms.
    """
    if OWN_DRIVERS in os.environ:
        os.environ[SHIPPED] = os.environ[OWN_DRIVERS]
    elif SHIPPED in os.environ:
        shipped = Path(os.environ[SHIPPED]) / ".libs"
        chosen = Path(os.environ["HOME"]) / "drivers"
        (chosen / ".libs").mkdir(parents=True, exist_ok=True)
        for path in shipped.glob("*.icd"):
            if path.name != SIMULATOR:
                (chosen / ".libs" / path.name).write_text(f"{shipped / path.read_text().strip()}\n")
        os.environ[SHIPPED] = str(chosen)
