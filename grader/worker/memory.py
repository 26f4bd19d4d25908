"""What the kernel says about memory in the cgroup of this process."""

import re
from contextlib import suppress
from pathlib import Path

COUNTERS = (Path("/sys/fs/cgroup/memory.events"), Path("/sys/fs/cgroup/memory/memory.oom_control"))
"""Of cgroup version 2 and of version 1, as a container sees its own; both have a line "oom_kill N"."""


def kills_for_memory() -> int:
    """How many processes here have been killed because the memory limit was reached; 0 where nothing is counted."""
    for path in COUNTERS:
        with suppress(OSError):
            found = re.search(r"^oom_kill (\d+)$", path.read_text(encoding="ascii"), re.MULTILINE)
            if found:
                return int(found[1])
    return 0
