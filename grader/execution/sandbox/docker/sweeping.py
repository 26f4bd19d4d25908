"""Removes what judges leave that are killed: their containers, then the folders that these had mounted.

Every judge sweeps when it begins. A worker in a container that its own code has stopped does not see its judge end, and
other processes of it may go on computing: so each judge also has a `Sweeper`, which sweeps when the judge is killed.
"""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError

from grader.execution.sandbox.docker.engine import engine_trouble, remove
from grader.execution.sandbox.folder import abandoned, sweep_rounds

LABEL = "grader.folder"
"""On every container of ours: the folder of its worker, by which it is found when its judge was killed."""

WAIT = "import os, sys\nif not sys.stdin.read(1): os.execv(sys.executable, sys.argv[1:])"
"""Waits for the end of its input, and loads nothing before. A byte on its input means that nothing is left to do."""

END_SECONDS = 10.0
"""Seconds for a process to end that has no more work."""


def sweep(engine: Any, parent: Path) -> None:
    """Remove all that is abandoned in a folder, or has no folder in it any more.

    Only that: other judges may use this engine with folders that we cannot see.
    """
    with engine_trouble(), abandoned(parent) as folders:
        for container in engine.containers(all=True, filters={"label": LABEL}):
            folder = Path(container["Labels"][LABEL])
            if folder in folders or (folder.parent == parent and not folder.exists()):
                with suppress(APIError):  # another sweep is at it
                    remove(engine, container["Id"])
    sweep_rounds()


class Sweeper:
    """A process that sweeps if this one ends without having closed it."""

    def __init__(self, parent: Path) -> None:
        sweeps = (sys.executable, "-I", "-m", "grader.execution.sandbox.docker.sweeping", str(parent))
        self._process = subprocess.Popen(  # noqa: S603 - our own module, run by our own Python
            (sys.executable, "-I", "-S", "-c", WAIT, *sweeps),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the judge
        )

    def close(self) -> None:
        """End the process: nothing is left to sweep. Can be called again."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(b".")
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)


if __name__ == "__main__":
    sweep(docker.from_env().api, Path(sys.argv[1]))
