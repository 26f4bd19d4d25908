"""The outcomes of a request to a worker. Results and all kinds of failures are values."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

from grader.common.phrases import ending
from grader.protocol.messages import BuildFailed, Refused, StepTime, Stopped
from grader.protocol.phase import Phase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray  # a worker starts while NumPy is still imported

COMPILING: Phase = "compiling"
RUNNING: Phase = "running"


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Times of one launch of a sequence: each command by the device's clock, and the whole launch by the judge's clock.

    The time of a repeated command includes all iterations. `turns` has the number of iterations of each repetition, in
    the order in which the repetitions began. `delay` is the time in seconds for which the launch waited for a
    processor, as reported by the worker.
    """

    steps: tuple[StepTime, ...]
    wall_seconds: float
    turns: tuple[int, ...] = ()
    delay: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds of all steps together, by the device's clock."""
        return sum(step.seconds for step in self.steps)

    def seconds_of(self, chosen: Iterable[bool]) -> float:
        """Return the seconds of the chosen steps, by the device's clock."""
        return sum(step.seconds for step in compress(self.steps, chosen))


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A buffer as the worker returned it: the guard band before it, its payload, and the guard band after it.

    All three contain the bits of elements, as unsigned numbers of the buffer's unit. `poison` is the pattern with which
    both bands were filled before the launch, or None if they were not filled. `units` is the number of units in each
    element.
    """

    before: "NDArray[np.unsignedinteger[Any]]"
    payload: "NDArray[np.unsignedinteger[Any]]"
    after: "NDArray[np.unsignedinteger[Any]]"
    poison: int | None
    units: int = 1


@dataclass(frozen=True, kw_only=True)
class Took:
    """Results of launches that were requested with one `Turn`.

    `steps` contains the times of the steps of each launch, in seconds by the device's clock. `waits` contains the
    seconds for which the worker waited for each launch and then for each buffer, by the worker's clock.
    """

    steps: tuple[tuple[float, ...], ...]
    waits: tuple[float, ...]
    results: dict[str, Fetched]


@dataclass(frozen=True, kw_only=True)
class TimedOut:
    """The worker did not finish `doing` within `seconds`, and has been killed.

    For a launch, `doing` is "compiling" or "running", as reported by the worker, and the seconds cover only that phase.
    """

    doing: str
    seconds: float

    @property
    def was_compiling(self) -> bool:
        """True if the compiler used the time."""
        return self.doing == COMPILING


@dataclass(frozen=True, kw_only=True)
class Garbled:
    """The worker did something that the grader's own code never does. It has been killed."""

    what: str


@dataclass(frozen=True, kw_only=True)
class Crashed:
    """The session's process ended by itself, by a signal or with an exit code.

    `words` is the last line of its error stream. `doing` is its last activity, as in TimedOut.
    """

    signal: int | None
    exit_code: int | None
    words: str
    doing: str = RUNNING

    @property
    def was_compiling(self) -> bool:
        """True if the process ended while it was compiling, before a kernel ran."""
        return self.doing == COMPILING


@dataclass(frozen=True, kw_only=True)
class OutOfMemory:
    """The session's process, or the whole worker, was ended because it used more memory than the sandbox allows."""


Failure = BuildFailed | Refused | Stopped | Crashed | OutOfMemory | TimedOut | Garbled
"""All kinds of failures of a request to a worker."""


def in_words(failure: Failure) -> str:  # noqa: PLR0911 - one return for each kind of failure
    """Describe the failure of a kernel of grader to the machine's administrator. The student is not at fault."""
    match failure:
        case BuildFailed(log=text) | Crashed(words=text) if text.strip():
            return text.strip().splitlines()[-1].rstrip(".")
        case BuildFailed():
            return "it does not build"
        case Crashed(signal=number, exit_code=code):
            return f"its process ended {ending(number, code)}"
        case TimedOut(doing=doing, seconds=seconds) if doing not in (COMPILING, RUNNING):
            return f"{doing} took longer than {round(seconds, 1):g} s"
        case TimedOut(seconds=seconds):
            return f"it was stopped after {round(seconds, 1):g} s"
        case OutOfMemory():
            return "it used more memory than a worker is allowed"
        case Refused(error=error) | Stopped(error=error):
            return f"the driver returned {error}"
        case Garbled(what=what):
            return what
