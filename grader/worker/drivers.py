"""Which OpenCL drivers the sessions of a worker find."""

import os
from pathlib import Path

OWN_DRIVERS = "GRADER_DRIVERS"
"""The variable that names a folder with drivers of the user's own, for machines whose own are none or do not work."""

SHIPPED = "PYOPENCL_HOME"
"""The variable by which pyopencl says where its drivers are: in the .libs of that folder. It sets it when imported."""

SIMULATOR = "oclgrind.icd"


def find_drivers() -> None:
    """Have the machine's drivers searched, and beside them the user's own, or those among pyopencl's own libraries.

    The simulator is left out of these: each session would load it, which takes 30 ms. To be called once pyopencl has
    been imported, and before it lists platforms.
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
