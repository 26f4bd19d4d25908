"""Reads the clock rates of an NVIDIA GPU with `nvidia-smi` on the judge's machine."""

import re
import shutil
import subprocess

from grader.common.record import Record
from grader.protocol.messages import DeviceFacts

TOOL = "nvidia-smi"
SECONDS = 10.0
"""Time limit for `nvidia-smi`. It takes less than this even on a host with eight idle GPUs."""


class Clocks(Record):
    """Clock rates of the processors and of the memory, in MHz."""

    processors: int
    memory: int


def clocks_now(device: DeviceFacts) -> Clocks | None:
    """Return the present clock rates; None if `nvidia-smi` is missing, fails, or does not know the device."""
    tool = shutil.which(TOOL)
    if tool is None or device.bus is None:
        return None
    query = (f"--id={device.bus}.0", "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader,nounits")
    try:
        done = subprocess.run([tool, *query], capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read_clocks(done.stdout)


def read_clocks(text: str) -> Clocks | None:
    """Parse the output of `nvidia-smi`, such as "1980, 3201"; None for other output, such as "[N/A], [N/A]"."""
    found = re.fullmatch(r"(\d+), (\d+)\n?", text)
    return Clocks(processors=int(found[1]), memory=int(found[2])) if found else None
