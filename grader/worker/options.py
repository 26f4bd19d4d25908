"""The options that programs are built with, beside their own."""

from collections.abc import Iterator
from math import ceil, prod

import pyopencl as cl

from grader.protocol import Open
from grader.steps import KernelStep

UNOPTIMISED = "-cl-opt-disable"
"""So that the simulator counts what the source says, and every variable has bytes that can be watched."""

VERBOSE = "-cl-nv-verbose"
"""NVIDIA's compiler then says in the log how many registers a kernel takes, and how much did not fit in them."""

AT_MOST = "-cl-nv-maxrregcount={}"
REGISTERS, USUAL_GROUP = 65_536, 256
"""Registers of a multiprocessor (CUDA C++ Programming Guide, technical specifications per compute capability); and the
work-group that NVIDIA's compiler leaves enough of them for. A kernel that takes more than a larger group has could not
be launched at all: it must do with fewer."""

WARP, UNIT = 32, 8
"""Registers are allotted to whole warps, and in so many for each work-item of one (CUDA Occupancy Calculator)."""


def build_options(request: Open, program: str, device: cl.Device, *, simulated: bool) -> list[str]:
    """Those of one program of a session."""
    options = [*request.programs[program].options, "-cl-kernel-arg-info"]
    if simulated:
        options.append(UNOPTIMISED)
    if "cl_nv_compiler_options" in device.extensions.split():
        options.append(VERBOSE)
        largest = max(_groups(request, program), default=1)
        if largest > USUAL_GROUP:
            options.append(AT_MOST.format(REGISTERS // (ceil(largest / WARP) * WARP) // UNIT * UNIT))
    return options


def _groups(request: Open, program: str) -> Iterator[int]:
    """Work-items of every work-group that the session may launch with a kernel of the program."""
    for steps in request.sequences.values():
        for step in steps:
            if isinstance(step, KernelStep) and step.program == program:
                yield prod(step.local_size)
