"""Memory events in the cgroup of this process, as the OS kernel counts them."""

import re
from contextlib import suppress
from pathlib import Path

COUNTERS = (Path("/sys/fs/cgroup/memory.events"), Path("/sys/fs/cgroup/memory/memory.oom_control"))
"""Files of cgroup version 2 and of version 1, at their paths inside a container. Both have a line "oom_kill N"."""


def kills_for_memory() -> int:
    """Number of processes in this cgroup that were killed because of the memory limit; 0 if they are not counted."""
    for path in COUNTERS:
        with suppress(OSError):
            found = re.search(r"^oom_kill (\d+)$", path.read_text(encoding="ascii"), re.MULTILINE)
            if found:
                return int(found[1])
    return 0
