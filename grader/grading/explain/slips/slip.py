"""A mistake in the source, in words for students."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A mistake that is established. `message` names its lines, and `help` is the next step.

    `cause` names it in the same words for every submission, so that it can be counted. `explains` are the lines in
    which the simulator saw its consequences.
    """

    message: str
    help: str
    cause: str
    explains: frozenset[int] = frozenset()
