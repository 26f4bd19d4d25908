"""Additional build options of programs, and the limit on registers for NVIDIA's GPUs.

NVIDIA's compiler gives a work-item at most as many registers as are available for work-groups of 256 work-items. In a
larger work-group, fewer registers are available for each work-item. A kernel that uses more cannot be launched, so it
is built again with a limit. The first build has no limit, because a limit slows down some kernels that do not need it.
"""

import re
import time
from collections.abc import Iterator
from math import ceil, prod

import pyopencl as cl

from grader.protocol.messages import Open
from grader.protocol.steps import KernelStep, commands

UNOPTIMISED = "-cl-opt-disable"
"""Turns optimisation off for the simulator, so that it counts the operations of the source, and every variable has
memory that can be watched.
"""

VERBOSE = "-cl-nv-verbose"
"""With this option, the log of NVIDIA's compiler has the registers of each kernel, and the size of values that did not
fit into registers.
"""

UNCACHED = "-D__build_{}"
"""An unused macro that no earlier build had. It bypasses NVIDIA's cache: a program from the cache has no log."""

AT_MOST = "-cl-nv-maxrregcount={}"
REGISTERS, USUAL_GROUP = 65_536, 256
"""Registers of a multiprocessor (CUDA C++ Programming Guide, technical specifications per compute capability), and the
largest work-group for which the compiler's default leaves enough registers.
"""

WARP, UNIT = 32, 8
"""Registers are allocated to whole warps of 32 work-items, in multiples of 8 registers per work-item (CUDA Occupancy
Calculator).
"""

TAKEN = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d{1,3}) registers", re.DOTALL)


def build_options(request: Open, program: str, device: cl.Device, *, simulated: bool) -> list[str]:
    """All build options of one program of a session."""
    options = [*request.programs[program].options, "-cl-kernel-arg-info"]
    if simulated:
        options.append(UNOPTIMISED)
    if "cl_nv_compiler_options" in device.extensions.split():
        options.append(VERBOSE)
        if any(group > USUAL_GROUP for _, group in _groups(request, program)):
            options.append(UNCACHED.format(time.time_ns()))
    return options


def fewer_registers(request: Open, program: str, log: str) -> list[str]:
    """Options to add so that every launch of the session has enough registers; empty if none are needed."""
    taken = {kernel: int(registers) for kernel, registers in TAKEN.findall(log)}
    most = [_most(group) for kernel, group in _groups(request, program) if taken.get(kernel, 0) > _most(group)]
    return [AT_MOST.format(min(most))] if most else []


def _most(group: int) -> int:
    """Most registers per work-item in a work-group of this size."""
    return REGISTERS // (ceil(group / WARP) * WARP) // UNIT * UNIT


def _groups(request: Open, program: str) -> Iterator[tuple[str, int]]:
    """The kernels of the program that the session may launch, each with the number of work-items in its work-groups."""
    for steps in request.sequences.values():
        for step in commands(steps):
            if isinstance(step, KernelStep) and step.program == program:
                yield step.kernel, prod(step.local_size)
