"""Reads of arrays that an assignment has in constant memory. They count apart from reads of global memory.

The simulator keeps the arguments of a kernel in global memory, even if a parameter is `__constant`. The judge knows
which arguments are in constant memory, because the assignment decides it. A kernel could store its own values in
such an array. So if any launch writes to it, it counts as global memory in all launches.
"""

from collections.abc import Iterator, Mapping, Sequence

from grader.protocol.observation import SeenAccess, SeenKernel

GLOBAL, CONSTANT = 1, 2
"""Address spaces, as LLVM numbers them for OpenCL."""


def with_constant_arrays(
    kernels: Sequence[SeenKernel], constants: Sequence[Mapping[str, int]]
) -> tuple[SeenKernel, ...]:
    """Move reads of arrays in constant memory to that address space, in the records of all launches.

    `constants` has the bytes of these arrays for each launch, by their names in the kernel.
    """
    pairs = list(zip(kernels, constants, strict=True))
    written = {buffer for kernel in kernels for buffer in _written(kernel)}
    return tuple(_moved(kernel, set(_read_only(kernel, own, written))) for kernel, own in pairs)


def _written(kernel: SeenKernel) -> Iterator[int]:
    """Numbers of the arrays in global memory that a launch writes."""
    names = {each.array for each in kernel.accesses if each.writes and each.space == GLOBAL}
    yield from (each.buffer for each in kernel.arrays if each.space == GLOBAL and each.name in names)


def _read_only(kernel: SeenKernel, constants: Mapping[str, int], written: set[int]) -> Iterator[str]:
    """Names of the arrays that are in constant memory in a launch."""
    for each in kernel.arrays:
        if each.space == GLOBAL and constants.get(each.name) == each.size and each.buffer not in written:
            yield each.name


def _moved(kernel: SeenKernel, names: set[str]) -> SeenKernel:
    if not names:
        return kernel
    return kernel.model_copy(update={"accesses": tuple(_in_space(each, names) for each in kernel.accesses)})


def _in_space(access: SeenAccess, names: set[str]) -> SeenAccess:
    is_constant = access.space == GLOBAL and access.array in names
    return access.model_copy(update={"space": CONSTANT}) if is_constant else access
