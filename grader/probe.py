"""Does the device still do what it should? Asked by a kernel of our own."""

import numpy as np

from grader.errors import DeviceError
from grader.plan import SUBMISSION, Plan, Script
from grader.runner import Worker
from grader.steps import BufferArg, BufferSpec, KernelStep, Program

PROBE = Program(source="__kernel void probe(__global uint *out) { out[get_global_id(0)] = get_global_id(0) + 1; }")

STEP = KernelStep(
    program=SUBMISSION, kernel="probe", args=(BufferArg(buffer="out"),), global_size=(256,), local_size=(64,)
)
PLAN = Plan(
    buffers=(BufferSpec(name="out", size=1024, guard=0, poison=0),),
    scripts={"probe": Script(steps=(STEP,), uploads=(), outputs=("out",))},
)


def probe(worker: Worker) -> None:
    """Build and run the kernel; raises DeviceError if that goes wrong."""
    with worker.load({SUBMISSION: PROBE}):
        fetched = worker.run_once(PLAN, "probe", {})
    if not isinstance(fetched, dict):
        raise DeviceError(f"the device does not run a simple kernel: {fetched}. Run `grader doctor`.")
    if not np.array_equal(fetched["out"].payload, np.arange(1, 257)):
        raise DeviceError("the device computes wrong values in a simple kernel. Run `grader doctor`.")
