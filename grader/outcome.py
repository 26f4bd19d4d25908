"""The ways in which a request to a worker can fail, as values."""

from dataclasses import dataclass

from grader.protocol import BuildFailed, Refused, Stopped


@dataclass(frozen=True, kw_only=True)
class TimedOut:
    """`doing` was not finished after `seconds`; the worker has been killed."""

    doing: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Garbled:
    """The worker said or did something that ours never does; it has been killed."""

    what: str


@dataclass(frozen=True, kw_only=True)
class Crashed:
    """The session's process ended by itself, by a signal or with an exit code; `words` is the last line it left."""

    signal: int | None
    exit_code: int | None
    words: str


Failure = BuildFailed | Refused | Stopped | Crashed | TimedOut | Garbled
"""Every way in which a request to a worker can fail."""
