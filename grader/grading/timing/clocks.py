"""The clocks that an NVIDIA GPU runs at, as `nvidia-smi` on the judge's machine tells them."""

import re
import shutil
import subprocess

from grader.common.record import Record
from grader.protocol.messages import DeviceFacts

TOOL = "nvidia-smi"
SECONDS = 10.0
"""More than it takes on a host of eight GPUs that were asleep."""


class Clocks(Record):
    """MHz of the processors and of the memory."""

    processors: int
    memory: int


def clocks_now(device: DeviceFacts) -> Clocks | None:
    """The clocks at this moment; None for devices that `nvidia-smi` does not know, and where it is not installed."""
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
    """What it says, e.g. "1980, 3201"; None if that is something else, such as "[N/A], [N/A]"."""
    found = re.fullmatch(r"(\d+), (\d+)\n?", text)
    return Clocks(processors=int(found[1]), memory=int(found[2])) if found else None
