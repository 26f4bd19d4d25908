"""Removes the containers of judges that were killed, and then the folders that these containers had mounted.

Every judge sweeps when it starts. Each judge also has a `Sweeper`, which sweeps when the judge is killed. This is
necessary because the code in a container can stop its worker, and a stopped worker does not notice the end of its
judge. Other processes in the container could then continue to compute.
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
"""Label of every container of grader. Its value is the folder of the worker. If the judge was killed, a sweep finds the
container by this label.
"""

WAIT = "import os, sys\nif not sys.stdin.read(1): os.execv(sys.executable, sys.argv[1:])"
"""Program that waits for the end of its input and then runs the command in its arguments. It loads no modules before
that. A byte on its input means that no work is left, so it ends.
"""

END_SECONDS = 10.0
"""Seconds within which a process without work must end."""


def sweep(engine: Any, parent: Path) -> None:
    """Remove the containers whose worker folder in `parent` is abandoned or missing, and the abandoned folders.

    Other containers stay, because other judges may use this engine with folders that this judge cannot see.
    """
    with engine_trouble(), abandoned(parent) as folders:
        for container in engine.containers(all=True, filters={"label": LABEL}):
            folder = Path(container["Labels"][LABEL])
            if folder in folders or (folder.parent == parent and not folder.exists()):
                with suppress(APIError):  # another sweep is removing this container
                    remove(engine, container["Id"])
    sweep_rounds()


class Sweeper:
    """A process that sweeps if the judge ends without calling `close`."""

    def __init__(self, parent: Path) -> None:
        sweeps = (sys.executable, "-I", "-m", "grader.execution.sandbox.docker.sweeping", str(parent))
        self._process = subprocess.Popen(  # noqa: S603 - grader's own module, run by the judge's Python
            (sys.executable, "-I", "-S", "-c", WAIT, *sweeps),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C must reach only the judge
        )

    def close(self) -> None:
        """End the process without a sweep. Can be called more than once."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(b".")
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)


if __name__ == "__main__":
    sweep(docker.from_env().api, Path(sys.argv[1]))
