"""What a worker may use, in any sandbox and in a container: the numbers, unless the settings say otherwise."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from grader.common.record import Record, replace
from grader.execution.sandbox.docker.gpu import NO_GPU
from grader.execution.sandbox.folder import array_folder
from grader.execution.sandbox.forkserver import ForkServer
from grader.protocol.messages import Limits

MEGABYTE, GIGABYTE = 1024**2, 1024**3

CORE_BYTES = 1
"""The limit on core dumps, in bytes. With 0, the OS kernel still starts the machine's crash handler; with 1, it starts
none and writes no file (core(5)).
"""

Fact = int | float | str


class WorkerLimits(Record):
    """What one worker may use; see protocol.Limits."""

    memory_bytes: int = Field(default=4 * GIGABYTE, gt=0)
    cpu_seconds: int = Field(default=300, gt=0)
    file_bytes: int = Field(default=2 * GIGABYTE, gt=0)
    processes: int = Field(default=64, gt=0)
    """Threads count as well, but not those that a driver starts for each processor."""


class ContainerRules(Record):
    """How containers are made. `folder` must have the same path for the engine as for the judge."""

    image: str = "grader-worker"
    gpu: str = NO_GPU
    cpus: float = Field(default_factory=lambda: float(processors()), gt=0)
    tmp_bytes: int = Field(default=256 * MEGABYTE, gt=0)
    shm_bytes: int = Field(default=16 * MEGABYTE, gt=0)
    open_files: int = Field(default=256, gt=0)
    user: int = Field(default=65534, gt=0)
    folder: Path = Field(default_factory=array_folder)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The limits of every worker, and the rules for those in containers. Workers that are processes come from `server`,
    or from a fork server that the sandbox starts.
    """

    limits: Limits
    container: ContainerRules
    server: ForkServer | None = None


def with_a_driver(limits: Limits, others: int = 0) -> Limits:
    """The limits, with as many more processes as PoCL and the simulator start threads, one for each processor, and as
    are counted besides.
    """
    own = limits.processes
    return limits if own is None else replace(limits, processes=own + processors() + others)


def processors() -> int:
    """Those of the machine, of which a process may have fewer."""
    return os.cpu_count() or 1
