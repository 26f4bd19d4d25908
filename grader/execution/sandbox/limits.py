"""Default limits of a worker in any sandbox, and additional limits for containers. The settings can change them."""

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
"""Limit on core dumps in bytes. With 0, the OS kernel would still start the machine's crash handler. With 1, it neither
starts it nor writes a file (core(5)).
"""

Fact = int | float | str


class WorkerLimits(Record):
    """Resources that one worker may use; see Limits in protocol/messages.py."""

    memory_bytes: int = Field(default=4 * GIGABYTE, gt=0)
    cpu_seconds: int = Field(default=300, gt=0)
    file_bytes: int = Field(default=2 * GIGABYTE, gt=0)
    processes: int = Field(default=64, gt=0)
    """Number of processes and threads, without the threads that a driver starts for each processor."""


class ContainerRules(Record):
    """Options of containers. The engine and the judge must find the same folder at the path `folder`."""

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
    """The limits of every worker, and the rules for workers in containers. Workers that are processes come from
    `server`; if it is None, the sandbox starts a fork server.
    """

    limits: Limits
    container: ContainerRules
    server: ForkServer | None = None


def with_a_driver(limits: Limits, others: int = 0) -> Limits:
    """Return the limits with a higher number of processes. It is increased by one for each processor, because PoCL and
    the simulator start this many threads, and by `others`, the number of other processes that are counted.
    """
    own = limits.processes
    return limits if own is None else replace(limits, processes=own + processors() + others)


def processors() -> int:
    """Return the number of processors of the machine. A process may be allowed to use fewer."""
    return os.cpu_count() or 1


PROCESSORS_OF_A_GRADING = 2
"""Number of processors that a grading keeps busy all the time, one for the submission and one for grader itself."""


def spare_processors(jobs: int = 1) -> int:
    """Number of idle processors of this machine per grading, if `jobs` gradings run side by side."""
    return max(0, len(os.sched_getaffinity(0)) // jobs - PROCESSORS_OF_A_GRADING)
