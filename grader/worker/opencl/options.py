"""The options that programs are built with, beside their own; and NVIDIA's registers, which a launch may lack.

NVIDIA's compiler leaves a kernel as many registers as 256 work-items can have. One that takes more than a larger
work-group has cannot be launched: it is built again, and must do with fewer. Not so from the start, since some kernels
are slower for it that do not take too many.
"""

import re
import time
from collections.abc import Iterator
from math import ceil, prod

import pyopencl as cl

from grader.protocol.messages import Open
from grader.protocol.steps import KernelStep

UNOPTIMISED = "-cl-opt-disable"
"""So that the simulator counts what the source says, and every variable has bytes that can be watched."""

VERBOSE = "-cl-nv-verbose"
"""NVIDIA's compiler then says in the log how many registers a kernel takes, and how much did not fit in them."""

UNCACHED = "-D__build_{}"
"""A macro of no use but that no earlier build had it: a program that comes out of NVIDIA's cache has no log."""

AT_MOST = "-cl-nv-maxrregcount={}"
REGISTERS, USUAL_GROUP = 65_536, 256
"""Registers of a multiprocessor (CUDA C++ Programming Guide, technical specifications per compute capability)."""

WARP, UNIT = 32, 8
"""Registers are allotted to whole warps, and in so many for each work-item of one (CUDA Occupancy Calculator)."""

TAKEN = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d{1,3}) registers", re.DOTALL)


def build_options(request: Open, program: str, device: cl.Device, *, simulated: bool) -> list[str]:
    """Those of one program of a session."""
    options = [*request.programs[program].options, "-cl-kernel-arg-info"]
    if simulated:
        options.append(UNOPTIMISED)
    if "cl_nv_compiler_options" in device.extensions.split():
        options.append(VERBOSE)
        if any(group > USUAL_GROUP for _, group in _groups(request, program)):
            options.append(UNCACHED.format(time.time_ns()))
    return options


def fewer_registers(request: Open, program: str, log: str) -> list[str]:
    """What to add so that every launch of the session finds enough registers; nothing if it does."""
    taken = {kernel: int(registers) for kernel, registers in TAKEN.findall(log)}
    most = [_most(group) for kernel, group in _groups(request, program) if taken.get(kernel, 0) > _most(group)]
    return [AT_MOST.format(min(most))] if most else []


def _most(group: int) -> int:
    """Registers that each work-item of a group can have."""
    return REGISTERS // (ceil(group / WARP) * WARP) // UNIT * UNIT


def _groups(request: Open, program: str) -> Iterator[tuple[str, int]]:
    """The kernels of the program that the session may launch, and the work-items of their groups."""
    for steps in request.sequences.values():
        for step in steps:
            if isinstance(step, KernelStep) and step.program == program:
                yield step.kernel, prod(step.local_size)
