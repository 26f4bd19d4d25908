"""Our faults and the caller's: the exceptions that leave a submission without a grade.

A student's mistake is never an exception; it is a failed check in the result.
"""


class GraderError(Exception):
    """Base of every error that the command line reports as one line, without a traceback."""


class InputError(GraderError):
    """What the caller named cannot be used: a file, a folder, an assignment, an option (exit code 2)."""


class InterruptedGradingError(GraderError):
    """Somebody ended the grader; whatever it had started has been stopped."""


class SavedAgainError(InterruptedGradingError):
    """The file that is being graded was saved again, so nobody waits for this grading any more."""


class SetupError(GraderError):
    """This machine could not be set up to grade (exit code 3)."""


class UngradedError(GraderError):
    """The grader could not do its work; the submission has no grade and can be tried again (exit code 3)."""


class DeviceError(UngradedError):
    """There is no OpenCL device to grade on, or the chosen one is not there."""


class NoSimulatorError(DeviceError):
    """The simulator, or our plugin for it, is not installed."""


class WorkerError(UngradedError):
    """A worker could not be started, or broke outside the student's code."""


class SolutionError(UngradedError):
    """Our own part of an assignment (model solution, baseline, oracle) failed where it must not."""


class NoiseError(UngradedError):
    """The machine is too noisy to judge an assignment on. A submission's speed is only not measured then."""
