"""Sandbox `docker`: each worker in its own container, for code that others have written.

    no network - no terminals - read-only root - no capabilities - no new privileges - the grader's list of system calls
    (seccomp.json) - an unprivileged user - limits on processes, memory (none of it swap), processors, files - no logs

The numbers are in sandbox/limits.py. The worker itself limits its processor time, before it runs a submission.

The container sees the worker's image, the two array files of its folder (in.bin is read-only), the folder for shared
arrays, and a temporary folder that is removed with the container. Podman's compatible socket works as well
(DOCKER_HOST).

Engines answer slowly, so separate threads start and remove each container (container.py): `start` and `stop` return at
once.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any

import docker
from docker.errors import ImageNotFound
from docker.types import LogConfig, Mount, Ulimit

from grader.common.errors import NoContainersError
from grader.common.record import replace
from grader.execution.sandbox.docker.container import ContainerWorker
from grader.execution.sandbox.docker.engine import WITHOUT_A_WALL, engine_trouble
from grader.execution.sandbox.docker.gpu import find_gpu
from grader.execution.sandbox.docker.sweeping import LABEL, Sweeper, sweep
from grader.execution.sandbox.environment import environment
from grader.execution.sandbox.folder import ROUNDS, WorkerFolder
from grader.execution.sandbox.limits import CORE_BYTES, Fact, Rules, processors, with_a_driver
from grader.execution.sandbox.running import Running
from grader.protocol.messages import INPUT_FILE, OUTPUT_FILE, Limits

ARRAYS = "/arrays"

HOME = "/tmp"  # noqa: S108 - inside the container, where it is a private file system of the worker

TERMINALS = "/dev/pts"
"""Mount point of an empty folder, so that no terminal can be opened. The host's kernel would echo terminal output
outside of the container and its limits.
"""

ALL_PROCESSORS = frozenset(range(processors()))
"""Processors that a container may use, even if a batch system gives the judge fewer."""

SECCOMP = "seccomp.json"

BUILD = "docker build --target worker --tag {image} ."


class ContainerSandbox:
    """Starts workers in containers."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._gpu = find_gpu(rules.container.gpu)
        self._seccomp = json.dumps(
            json.loads(files("grader.execution.sandbox.docker").joinpath(SECCOMP).read_text(encoding="utf-8"))
        )
        with engine_trouble():
            self._engine = docker.from_env().api
        self._image = self._find_image()
        sweep(self._engine, rules.container.folder)
        self._sweeper = Sweeper(rules.container.folder)
        self._reapers = ThreadPoolExecutor(thread_name_prefix="reaper")
        self._running = Running[ContainerWorker]()

    def limits(self) -> Limits:
        """Return the given limits without a limit on processes. The container counts its processes; a limit for the
        user would count the processes of all containers.
        """
        return replace(self._rules.limits, processes=None)

    def facts(self) -> dict[str, Fact]:
        """Return all limits and restrictions of a container, to be recorded in a result."""
        return {
            **self._rules.limits.model_dump(exclude_none=True),
            **self._rules.container.model_dump(mode="json", exclude={"folder"}),
            "image_id": self._image,
            "network": "none",
            "root": "read-only",
            "capabilities": "none",
            "privileges": "no new ones",
            "seccomp": "grader's own list",
            "swap_bytes": 0,
            "core_bytes": CORE_BYTES,
            "terminals": "none",
        }

    def start(self) -> ContainerWorker:
        """Begin to start a worker, and return it at once."""
        return self._running.start(self._start)

    def _start(self) -> ContainerWorker:
        folder = WorkerFolder.make(self._rules.container.folder)
        folder.files.share()
        return ContainerWorker(self._engine, folder, self._options(folder), self._reapers)

    def close(self) -> None:
        """Stop all workers that still run, and wait until all containers have been removed."""
        self._running.stop()
        self._reapers.shutdown()
        self._sweeper.close()
        self._engine.close()

    def _options(self, folder: WorkerFolder) -> dict[str, Any]:
        rules = self._rules.container
        variables = environment(HOME, ALL_PROCESSORS) | ({"OCL_ICD_VENDORS": self._gpu.icd} if self._gpu.icd else {})
        return {
            "image": self._image,
            "user": f"{rules.user}:{rules.user}",
            "working_dir": ARRAYS,
            "environment": variables,
            "labels": {LABEL: str(folder.path)},
            "stdin_open": True,
            "network_disabled": True,
            "use_config_proxy": False,  # the proxy's address may contain a password, which a worker must not see
            "host_config": self._engine.create_host_config(
                mounts=[
                    Mount(f"{ARRAYS}/{INPUT_FILE}", str(folder.path / INPUT_FILE), type="bind", read_only=True),
                    Mount(f"{ARRAYS}/{OUTPUT_FILE}", str(folder.path / OUTPUT_FILE), type="bind"),
                    Mount(f"{ARRAYS}/{ROUNDS}", str(folder.rounds), type="bind"),
                ],
                network_mode="none",
                read_only=True,
                init=True,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges", f"seccomp={self._seccomp}"],
                log_config=LogConfig(type="none"),
                device_requests=list(self._gpu.requests),
                devices=[f"{node}:{node}:rw" for node in self._gpu.nodes],
                group_add=list(self._gpu.groups),
                **self._limits(),
            ),
        }

    def _limits(self) -> dict[str, Any]:
        """The limits on processes, memory and files."""
        limits, rules = self._rules.limits, self._rules.container
        return {
            "pids_limit": with_a_driver(limits).processes,
            "mem_limit": limits.memory_bytes,
            "memswap_limit": limits.memory_bytes,
            "nano_cpus": int(rules.cpus * 1e9),
            "tmpfs": {
                HOME: f"rw,exec,nosuid,nodev,size={rules.tmp_bytes},mode=1777",
                TERMINALS: "ro,noexec,nosuid,nodev,size=4k,mode=0555",
            },
            "shm_size": rules.shm_bytes,
            "ulimits": [
                Ulimit(name="core", soft=CORE_BYTES, hard=CORE_BYTES),
                Ulimit(name="nofile", soft=rules.open_files, hard=rules.open_files),
                Ulimit(name="fsize", soft=limits.file_bytes, hard=limits.file_bytes),
            ],
        }

    def _find_image(self) -> str:
        """Return the ID of the image. All workers of one grading must use the same image, even if its name is moved to
        another image.
        """
        name = self._rules.container.image
        try:
            with engine_trouble():
                image_id: str = self._engine.inspect_image(name)["Id"]
        except ImageNotFound:
            build = BUILD.format(image=name)
            told = f"there is no image {name}; in the folder of the Dockerfile, run `{build}`. {WITHOUT_A_WALL}"
            raise NoContainersError(told, build) from None
        return image_id
