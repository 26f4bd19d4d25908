"""Extracts the resource usage of a kernel from the facts and logs of a driver, and explains excessive usage.

A worker that runs a submission on a CPU could forge all of these numbers, so decisions do not depend on them. If the
build requests it, NVIDIA's assembler prints these lines for each kernel (further words depend on its version):

    ptxas info    : Compiling entry function 'k' for 'sm_90'
    ptxas info    : Function properties for k
        96 bytes stack frame, 128 bytes spill stores, 132 bytes spill loads
    ptxas info    : Used 255 registers, used 1 barriers, 8448 bytes smem, 380 bytes cmem[0]

The stack frame is the memory that a work-item uses in place of registers. It contains spilled values, for which there
were too few registers, and arrays that cannot be kept in registers because their index is known only when the kernel
runs.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.common.phrases import count, kibibytes
from grader.protocol.kernel import Demand, Resources
from grader.protocol.messages import DeviceFacts, Opened
from grader.results.metrics import Usage

NUMBER = r"(\d{1,12})"
"""Pattern of a number in a log. Drivers do not report numbers with more digits."""

ENTRY = re.compile(r"Compiling entry function '?(\w+)")
FUNCTION = re.compile(r"Function properties for '?(\w+)")
FRAME = re.compile(rf"\b{NUMBER} bytes stack frame(?:,\s+{NUMBER} bytes spill stores,\s+{NUMBER} bytes spill loads)?")
REGISTERS = re.compile(rf"\bUsed {NUMBER} registers")


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """The figures of one kernel in a log: the number of registers, and the bytes of the stack frame and of spilled
    values.
    """

    registers: int | None = None
    frame: int | None = None
    spilled: int | None = None


def usage_of(names: Iterable[str], opened: Opened, device: DeviceFacts) -> tuple[Usage, ...]:
    """The resources that each of these kernels of a session uses.

    On a CPU, this is only local memory, because private variables are in memory like all others.
    """
    facts = {kernel.name: kernel.resources for kernel in opened.kernels}
    if device.type == "cpu":
        return tuple(Usage(kernel=name, local=facts[name].local_memory) for name in names)
    said = {name: each for built in opened.logs for name, each in read_log(built.log).items()}
    return tuple(_usage(name, facts[name], said.get(name, Assembled())) for name in names)


def read_log(log: str) -> dict[str, Assembled]:
    """The figures of each kernel in a build log, by name. Empty if the compiler was not asked to report them."""
    found: dict[str, Assembled] = {}
    entry = function = ""
    for line in log.splitlines():
        if named := ENTRY.search(line):
            entry = function = named[1]
        elif named := FUNCTION.search(line):
            function = named[1]
        elif figures := REGISTERS.search(line):
            found[entry] = replace(found.get(entry, Assembled()), registers=int(figures[1]))
        elif (figures := FRAME.search(line)) and function == entry:
            frame, stored, loaded = (int(figure or 0) for figure in figures.groups())
            found[entry] = replace(found.get(entry, Assembled()), frame=frame, spilled=max(stored, loaded))
    return found


def _usage(name: str, resources: Resources, said: Assembled) -> Usage:
    in_memory = [number for number in (said.frame, resources.private_memory) if number is not None]
    return Usage(
        kernel=name,
        registers=said.registers,
        in_memory=max(in_memory, default=None),
        spilled=said.spilled,
        local=resources.local_memory,
    )


def excess(demand: Demand) -> str | None:
    """A sentence about a resource of which a launch needs more than the device has, with advice; None if no such
    resource is known.
    """
    local, most = demand.resources.local_memory, demand.resources.work_group
    if local is not None and local > demand.local_memory:
        return (
            f"{demand.kernel} asks for {kibibytes(local)} of local memory per work-group, but this device has "
            f"{kibibytes(demand.local_memory)}: make its __local arrays smaller."
        )
    if most is not None and most < demand.work_group:
        return (
            f"{demand.kernel} is launched with {count(demand.work_group, 'work-item')} per work-group, but this "
            f"device can run it with at most {most:,}: keep fewer values per work-item (smaller private arrays, less "
            "unrolling), correct its required work-group size, or, if `local` is yours to choose, state a smaller one."
        )
    return None
