"""Exceptions that leave a submission without a grade: faults of grader, and errors of the caller.

A student's mistake is never an exception; it is a failed check in the result.
"""


class GraderError(Exception):
    """Base of all errors that the command line reports as one line, without a traceback."""


class InputError(GraderError):
    """A file, folder, assignment or option of the caller cannot be used (exit code 2)."""


class InterruptedGradingError(GraderError):
    """The grader was interrupted. Everything that it had started has been stopped."""


class WatchEndedError(InterruptedGradingError):
    """The user has ended `grader grade --watch`, as usual. `code` is the exit code of the last report."""

    def __init__(self, code: int) -> None:
        super().__init__("the watch has ended.")
        self.code = code


class SavedAgainError(InterruptedGradingError):
    """The file was saved again while it was graded, so the result is not needed any more."""


class SetupError(GraderError):
    """This machine could not be set up to grade (exit code 3)."""


class UngradedError(GraderError):
    """The grader could not do its work; the submission has no grade and can be tried again (exit code 3)."""


class DeviceError(UngradedError):
    """There is no OpenCL device to grade on, or the chosen device is missing."""


class NoSimulatorError(DeviceError):
    """The simulator, or grader's plugin for it, is not installed."""


class WorkerError(UngradedError):
    """A worker could not be started, or broke outside the student's code."""


class SolutionError(UngradedError):
    """The model solution, the baseline or the oracle of an assignment failed, which must not happen."""


class NoiseError(UngradedError):
    """The machine is too noisy to judge an assignment. A submission is then graded without its speed."""
