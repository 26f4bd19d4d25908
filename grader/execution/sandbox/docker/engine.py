"""The container engine's failures as errors of ours."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from grader.common.errors import DeviceError, WorkerError
from grader.execution.sandbox.docker.gpu import TOOLKIT

WITHOUT_A_WALL = "Code that you trust as your own can do without: --sandbox process runs it with your rights."
"""Advice for users without a container engine."""


class NoEngineError(WorkerError):
    """There is no answer at the engine's socket."""


@contextmanager
def engine_trouble() -> Iterator[None]:
    """Turns the ways in which an engine can be out of reach or refuse us into one error that says what to do."""
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
            f"no container engine answers ({_reason(error)}): start Docker, join its group, or set DOCKER_HOST "
            f"(docs/operators.md). {WITHOUT_A_WALL}"
        ) from error


def _reason(error: BaseException) -> str:
    """What the system said, such as "Connection refused", without the words that libraries wrap it in. If it was not
    the system's error, what the library said.
    """
    said = str(error)
    step: BaseException | None = error
    while step is not None:
        if isinstance(step, OSError) and step.strerror:
            said = step.strerror
        step = step.__cause__ or step.__context__
    return said


def remove(engine: Any, container: str) -> None:
    """Kill and remove a container, if it is there."""
    with suppress(NotFound):
        engine.remove_container(container, force=True, v=True)
