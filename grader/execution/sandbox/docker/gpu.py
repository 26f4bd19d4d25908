"""The GPU of a container, and the engine's options for it.

none                  no GPU: kernels run on the CPU, through PoCL
nvidia[:INDEX]        by the NVIDIA container toolkit, which puts the driver's libraries into the container
nvidia-nodes[:INDEX]  by device nodes, without the toolkit; the image must contain the driver's OpenCL library (README)
amd[:INDEX]           by device nodes; the image must contain the driver's OpenCL library
intel[:INDEX]         by device nodes; the image must contain the driver's OpenCL library
"""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.common.errors import DeviceError, InputError

NO_GPU = "none"

DEV = Path("/dev")
VENDORS = "/etc/OpenCL/vendors"
"""Folder with the ICD files of an image. Each of them refers to an OpenCL driver."""

TOOLKIT = (
    "install the NVIDIA container toolkit and run `nvidia-ctk runtime configure`, then restart the engine; or use "
    "--gpu nvidia-nodes, as the README says"
)


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """The options of a container for its GPU.

    `requests` contains the arguments for docker's DeviceRequest, because the class itself would load the client of
    docker. `nodes` are device nodes, and `groups` the numbers of the groups that may open them. `icd` is the only ICD
    file that the container uses, or None if it uses all of them.
    """

    requests: tuple[dict[str, Any], ...] = ()
    nodes: tuple[Path, ...] = ()
    groups: tuple[int, ...] = ()
    icd: str | None = None


def find_gpu(wanted: str) -> Gpu:
    """Return the GPU for a setting such as `nvidia:1`.

    Raises InputError if the setting is invalid, and DeviceError if this machine does not have the GPU.
    """
    kind, colon, index = wanted.partition(":")
    if kind not in GPUS or (colon and not (index.isascii() and index.isdecimal())) or (colon and kind == NO_GPU):
        raise InputError(f"there is no GPU {wanted!r}; it can be {', '.join(GPUS)}, with an index as in nvidia:1.")
    return GPUS[kind](int(index) if index else 0)


def _nvidia(index: int) -> Gpu:
    _nvidia_node(index)
    request = {"driver": "nvidia", "device_ids": [str(index)], "capabilities": [["gpu", "compute", "utility"]]}
    return Gpu(requests=(request,), icd=f"{VENDORS}/nvidia.icd")


def _nvidia_nodes(index: int) -> Gpu:
    shared = tuple(DEV / name for name in ("nvidiactl", "nvidia-uvm"))
    for node in shared:
        if not node.exists():
            raise DeviceError(f"there is no {node}: run `nvidia-modprobe -u -c 0`, or choose another GPU with --gpu.")
    tools = DEV / "nvidia-uvm-tools"  # needed by debuggers and profilers; drivers also start without this node
    nodes = (_nvidia_node(index), *shared, *([tools] if tools.exists() else []))
    return _with_groups(nodes, f"{VENDORS}/nvidia.icd")


def _nvidia_node(index: int) -> Path:
    node = DEV / f"nvidia{index}"
    if not node.exists():
        raise DeviceError(f"there is no {node}: install NVIDIA's driver, or choose another GPU with --gpu.")
    return node


def _amd(index: int) -> Gpu:
    kfd = DEV / "kfd"
    if not kfd.exists():
        raise DeviceError(f"there is no {kfd}: load the amdgpu driver, or choose another GPU with --gpu.")
    return _with_groups((kfd, _render_node(index)), f"{VENDORS}/amdocl64.icd")


def _intel(index: int) -> Gpu:
    return _with_groups((_render_node(index),), f"{VENDORS}/intel.icd")


def _render_node(index: int) -> Path:
    nodes = sorted((DEV / "dri").glob("renderD*"), key=lambda node: int(node.name.removeprefix("renderD")))
    if index >= len(nodes):
        raise DeviceError(
            f"there is no GPU {index}: {DEV / 'dri'} has {len(nodes)}, counted from 0; "
            "load the driver, or choose another GPU with --gpu."
        )
    return nodes[index]


def _with_groups(nodes: tuple[Path, ...], icd: str) -> Gpu:
    """Return the nodes with the numbers of the groups that own them, because an image may not know the names of these
    groups.

    A node that all users may open needs no group. Such a node often belongs to the group of root.
    """
    found = [node.stat() for node in nodes]
    return Gpu(
        nodes=nodes, groups=tuple(sorted({each.st_gid for each in found if not _is_open(each.st_mode)})), icd=icd
    )


def _is_open(mode: int) -> bool:
    wanted = stat.S_IROTH | stat.S_IWOTH
    return mode & wanted == wanted


GPUS: dict[str, Callable[[int], Gpu]] = {
    NO_GPU: lambda _: Gpu(),
    "nvidia": _nvidia,
    "nvidia-nodes": _nvidia_nodes,
    "amd": _amd,
    "intel": _intel,
}
