"""Run launches in Oclgrind without grader's plugin, and print its complaints.

    python -m plain_oclgrind < JOB

JOB is a pickle that second_judge.py writes. It contains the source and a list of (steps, buffers, contents of buffers).
"""

import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

from grader.worker.simulator import LOCAL_MEMORY, library

HEADLINES = ("Read-write data race", "Write-write data race", "Invalid ", "Work-group divergence", "Index (")


def main() -> None:
    """Run each launch, and print the first line of each complaint."""
    source, runs = pickle.load(sys.stdin.buffer)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        os.environ |= {
            "OCL_ICD_VENDORS": str(library() or "none"),
            "OCLGRIND_DATA_RACES": "1",
            "OCLGRIND_LOCAL_MEM_SIZE": str(LOCAL_MEMORY),
            "OCLGRIND_LOG": str(log),
            "OCLGRIND_MAX_ERRORS": "8",
            "PYOPENCL_NO_CACHE": "1",
        }
        for run in runs:
            _launch(source, *run)
        text = log.read_text(errors="replace") if log.is_file() else ""
    heads = {head for line in text.splitlines() for head in HEADLINES if line.startswith(head)}
    sys.stdout.write("".join(f"{head}\n" for head in sorted(heads)))


def _launch(source: str, steps: Any, specs: Any, contents: dict[str, Any]) -> None:
    """Run one launch."""
    import numpy as np  # noqa: PLC0415 - imported after the driver is chosen
    import pyopencl as cl  # noqa: PLC0415

    from grader.protocol.steps import commands  # noqa: PLC0415
    from grader.worker.opencl.buffers import make_array  # noqa: PLC0415
    from grader.worker.opencl.sequence import Sequence  # noqa: PLC0415

    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, source).build()
    buffers = {spec.name: make_array(context, spec) for spec in specs}
    for name, buffer in buffers.items():
        content = contents.get(name, np.zeros(buffer.spec.size, dtype=np.uint8))
        buffer.upload(queue, np.ascontiguousarray(content))
    built = {step.program: program for step in commands(steps) if step.kind == "kernel"}
    Sequence.prepare(steps, built, buffers).run(queue, 0)


if __name__ == "__main__":
    main()
