"""A mistake in the source, in words for students."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A proven mistake. `message` contains its lines, and `help` is the next step. `cause` describes the mistake in the
    same words for every submission, so that grader can count it. `explains` contains the lines in which the simulator
    saw its consequences.
    """

    message: str
    help: str
    cause: str
    explains: frozenset[int] = frozenset()
