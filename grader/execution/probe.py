"""Checks with a small kernel of grader that the device still works."""

import time

from grader.common.errors import DeviceError
from grader.common.invocation import command
from grader.execution.client import Worker
from grader.execution.outcome import in_words
from grader.execution.plan import SUBMISSION, Plan, Script
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, ProgramSource

PROBE = ProgramSource(
    source="__kernel void probe(__global uint *out) { out[get_global_id(0)] = get_global_id(0) + 1; }"
)

STEP = KernelStep(
    program=SUBMISSION, kernel="probe", args=(BufferArg(buffer="out"),), global_size=(256,), local_size=(64,)
)
PLAN = Plan(
    buffers=(BufferSpec(name="out", size=1024, guard=0, poison=0),),
    scripts={"probe": Script(steps=(STEP,), uploads=(), outputs=("out",))},
)


RECOVERY = 30.0
"""Seconds within which a device must work again after a kernel on it was killed. The process has ended, but a GPU may
still have to finish its work, or the driver may have to reset it. Until then, new processes get errors or do not find a
device.
"""

PAUSE = 0.5
"""Seconds between two tries."""


def probe(worker: Worker, patience: float = 0.0) -> None:
    """Build and run the kernel. If this fails, try again for `patience` seconds.

    Raises DeviceError if all tries fail, or if the kernel computes wrong values even once.
    """
    end = time.monotonic() + patience
    fault = _fault(worker)
    while fault is not None and time.monotonic() < end:
        time.sleep(PAUSE)
        fault = _fault(worker)
    if fault is not None:
        raise fault


def _fault(worker: Worker) -> DeviceError | None:
    """Run the kernel in a new process. Returns an error if it does not run, and None otherwise. Raises DeviceError if
    the kernel computes wrong values.
    """
    try:
        with worker.load({SUBMISSION: PROBE}):
            fetched = worker.run_once(PLAN, "probe", {})
    except DeviceError as error:
        return error
    if not isinstance(fetched, dict):
        return DeviceError(f"the device cannot run a simple kernel: {in_words(fetched)}. Run `{command('doctor')}`.")
    if fetched["out"].payload.tolist() != list(range(1, 257)):
        raise DeviceError(f"the device computes wrong values in a simple kernel. Run `{command('doctor')}`.")
    return None
