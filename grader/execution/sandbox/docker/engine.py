"""Converts failures of the container engine into errors of grader."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from grader.common.errors import DeviceError, NoContainersError, WorkerError
from grader.execution.sandbox.docker.gpu import TOOLKIT

WITHOUT_A_WALL = (
    "If you trust the code as much as your own, you need no container: --sandbox process runs it with your rights."
)
"""Advice for users without a container engine."""


INSTALL = "sudo apt install docker.io"
START = "sudo systemctl start docker"
JOIN = "sudo usermod -aG docker $USER && newgrp docker"
OTHER_ENGINE = "unset DOCKER_HOST"


class NoEngineError(NoContainersError):
    """No engine answers at the socket."""


@contextmanager
def engine_trouble() -> Iterator[None]:
    """Convert the errors of an engine that is unreachable or refuses a request into errors that explain what to do.

    Raises WorkerError, NoEngineError or DeviceError. ImageNotFound and NotFound are passed on.
    """
    try:
        yield
    except (ImageNotFound, NotFound):
        raise
    except APIError as error:
        reason = error.explanation or str(error)
        if "device driver" in reason:
            raise DeviceError(f"the container engine cannot pass on a GPU ({reason}): {TOOLKIT}.") from error
        if "bind source path" in reason:
            raise WorkerError(
                f"the container engine does not see our files ({reason}): set GRADER_DOCKER__FOLDER to a folder that "
                "has the same path for the engine as for grader."
            ) from error
        raise WorkerError(f"the container engine refused: {reason}") from error
    except (DockerException, OSError) as error:
        raise NoEngineError(
            f"no container engine answers: start Docker, join its group, or set DOCKER_HOST (docs/operators.md). "
            f"The connection failed with: {_reason(error)}. {WITHOUT_A_WALL}",
            _command(error),
        ) from error


def _command(error: BaseException) -> str:
    """Return the command that most likely makes an engine answer."""
    if "DOCKER_HOST" in os.environ:
        return OTHER_ENGINE
    if any(isinstance(each, PermissionError) for each in _causes(error)):
        return JOIN
    return START if shutil.which("docker") else INSTALL


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then its cause, then the cause of that error, and so on."""
    step: BaseException | None = error
    while step is not None:
        yield step
        step = step.__cause__ or step.__context__


def _reason(error: BaseException) -> str:
    """Return the operating system's message, such as "Connection refused", without the text that libraries put around
    it. If there is no error of the operating system, return the library's message.
    """
    said = str(error)
    for each in _causes(error):
        if isinstance(each, OSError) and each.strerror:
            said = each.strerror
    return said


def remove(engine: Any, container: str) -> None:
    """Kill and remove a container, if it exists."""
    with suppress(NotFound):
        engine.remove_container(container, force=True, v=True)
