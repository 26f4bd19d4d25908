"""Facts about devices and built kernels, as drivers report them."""

from collections.abc import Iterator
from contextlib import suppress
from math import prod
from typing import Any

import pyopencl as cl

from grader.protocol.kernel import ArgFacts, Demand, KernelFacts, Resources
from grader.protocol.messages import DeviceFacts
from grader.protocol.steps import KernelStep, LocalArg
from grader.protocol.wire import FEW

POCL = "Portable Computing Language"
"""Name of PoCL's platform."""


def device_facts(index: int, device: cl.Device) -> DeviceFacts:
    """Facts about a device. `index` is its position among all devices."""
    kinds = {cl.device_type.CPU: "cpu", cl.device_type.GPU: "gpu", cl.device_type.ACCELERATOR: "accelerator"}
    kind = next((name for bit, name in kinds.items() if device.type & bit), "other")
    return DeviceFacts.model_validate(
        {
            "index": index,
            "name": device.name.strip(),
            "platform": device.platform.name.strip(),
            "version": device.version.strip(),
            "driver": device.driver_version.strip(),
            "type": kind,
            "compute_units": device.max_compute_units,
            "global_memory": device.global_mem_size,
            "local_memory": device.local_mem_size,
            "max_work_group": device.max_work_group_size,
            "bus": _bus(device),
            "clock": device.max_clock_frequency,
            "constant_memory": device.max_constant_buffer_size,
        }
    )


def compiles_at_launch(device: cl.Device) -> bool:
    """True if the driver compiles a kernel at its first launch. PoCL does this, once for each work-group size."""
    is_pocl: bool = device.platform.name.strip() == POCL
    return is_pocl


def _bus(device: cl.Device) -> str | None:
    """PCI domain, bus and slot of a device, from NVIDIA's extension. None if the driver does not have it. pyopencl does
    not support the extension of Khronos yet.
    """
    if "cl_nv_device_attribute_query" not in device.extensions.split():
        return None
    info = cl.device_info
    domain, bus, slot = map(device.get_info, (info.PCI_DOMAIN_ID_NV, info.PCI_BUS_ID_NV, info.PCI_SLOT_ID_NV))
    return f"{domain:04x}:{bus:02x}:{slot:02x}"


SPACES = {
    cl.kernel_arg_address_qualifier.GLOBAL: "global",
    cl.kernel_arg_address_qualifier.CONSTANT: "constant",
    cl.kernel_arg_address_qualifier.LOCAL: "local",
    cl.kernel_arg_address_qualifier.PRIVATE: "private",
}


ACCESSES = {
    cl.kernel_arg_access_qualifier.READ_ONLY: "read_only",
    cl.kernel_arg_access_qualifier.WRITE_ONLY: "write_only",
    cl.kernel_arg_access_qualifier.READ_WRITE: "read_write",
}


RENAMED = "_cl_"
"""Prefix that PoCL's macros add to names of library functions, such as `step`, and so to parameters of that name."""


def kernel_facts(name: str, program: Any, device: cl.Device) -> Iterator[KernelFacts]:
    """Facts about the kernels of a built program."""
    for kernel in program.all_kernels():
        count = min(kernel.get_info(cl.kernel_info.NUM_ARGS), FEW)
        yield KernelFacts(
            program=name,
            name=kernel.get_info(cl.kernel_info.FUNCTION_NAME),
            args=tuple(_arg(kernel, i) for i in range(count)),
            resources=_resources(kernel, device),
        )


def _arg(kernel: Any, index: int) -> ArgFacts:
    info = cl.kernel_arg_info
    return ArgFacts.model_validate(
        {
            "address_space": SPACES[kernel.get_arg_info(index, info.ADDRESS_QUALIFIER)],
            "type": kernel.get_arg_info(index, info.TYPE_NAME),
            "name": kernel.get_arg_info(index, info.NAME).removeprefix(RENAMED),
            "access": ACCESSES.get(kernel.get_arg_info(index, info.ACCESS_QUALIFIER), "none"),
        }
    )


def demand(program: Any, step: KernelStep, device: cl.Device) -> Demand:
    """Resources that a launch asks for, with the local memory of its arguments, which some drivers do not count."""
    resources = _resources(cl.Kernel(program, step.kernel), device)
    arguments = sum(arg.size for arg in step.args if isinstance(arg, LocalArg))
    local = None if resources.local_memory is None else resources.local_memory + arguments
    return Demand(
        kernel=step.kernel,
        resources=resources.model_copy(update={"local_memory": local}),
        work_group=prod(step.local_size),
        local_memory=device.local_mem_size,
    )


def _resources(kernel: Any, device: cl.Device) -> Resources:
    info = cl.kernel_work_group_info
    return Resources(
        private_memory=_of_kernel(kernel, device, info.PRIVATE_MEM_SIZE),
        local_memory=_of_kernel(kernel, device, info.LOCAL_MEM_SIZE),
        work_group=_of_kernel(kernel, device, info.WORK_GROUP_SIZE),
    )


def _of_kernel(kernel: Any, device: cl.Device, what: int) -> int | None:
    """A number about a kernel; None if the driver does not report it. The number only serves explanations: the driver
    can run the kernel without it.
    """
    with suppress(cl.Error):
        number: int = kernel.get_work_group_info(what, device)
        return number
    return None
