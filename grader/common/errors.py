"""Exceptions that leave a submission without a grade. They report faults of grader and errors of its caller.

A student's mistake is never an exception. It is a failed check in the result.
"""

from collections.abc import Callable, Mapping
from typing import Any


class GraderError(Exception):
    """Base of all errors that the command line reports as one line, without a traceback. An error can be pickled, also
    if its class has a constructor with other arguments, because a process for gradings passes it to the batch.
    """

    def __reduce__(self) -> tuple[Callable[..., "GraderError"], tuple[Any, ...]]:
        """Return the call that makes an equal error."""
        return _remade, (type(self), self.args, vars(self))


def _remade(kind: type[GraderError], args: tuple[Any, ...], fields: Mapping[str, Any]) -> GraderError:
    """Make an error without its constructor."""
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(fields)
    return error


class InputError(GraderError):
    """A file, folder, assignment or option that the caller gave cannot be used (exit code 2)."""


class InterruptedGradingError(BaseException):
    """The grader was interrupted. Everything that it had started has been stopped.

    This class does not derive from Exception, for the same reason as KeyboardInterrupt: it can arrive inside any code,
    including an instructor's, and must pass through every `except Exception`.
    """


class WatchEndedError(InterruptedGradingError):
    """The user ended `grader grade --watch`, which is its normal end. `code` is the exit code of the last report."""

    def __init__(self, code: int) -> None:
        super().__init__("the watch has ended.")
        self.code = code


class SavedAgainError(InterruptedGradingError):
    """The file was saved again while it was being graded, so the result is no longer needed."""


class SetupError(GraderError):
    """This machine could not be set up for grading (exit code 3)."""


class UngradedError(GraderError):
    """The grader failed to do its work. The submission has no grade and can be tried again (exit code 3)."""


class UnreachableError(UngradedError):
    """A service does not answer (exit code 3). The command may not have been about a grading."""


class DeviceError(UngradedError):
    """There is no OpenCL device to grade on, or the chosen device is missing."""


class NoSuchDeviceError(DeviceError):
    """The machine has OpenCL devices, but not the one with the chosen number."""


class NoSimulatorError(DeviceError):
    """The simulator, or grader's plugin for it, is not installed."""


class WorkerError(UngradedError):
    """A worker could not be started, or failed for a reason other than the student's code."""


class NoContainersError(WorkerError):
    """No container can be started, because no engine answers or the image is missing. `command` is the shell command
    that most likely solves the problem.
    """

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.command = command


class SolutionError(UngradedError):
    """The model solution, the baseline or the oracle of an assignment failed, which must never happen."""


class NoiseError(UngradedError):
    """The machine is too noisy to judge an assignment. A submission is then graded without its speed."""
