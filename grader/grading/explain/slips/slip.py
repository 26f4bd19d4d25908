"""A mistake in the source, in words for students."""

from dataclasses import dataclass

from grader.results.verdicts import Reason

TOLD = frozenset({Reason.WRONG_OUTPUT, Reason.NOT_WRITTEN, Reason.OUT_OF_BOUNDS})
"""Reasons of checks that a mistake in the source can explain."""

SEEN = TOLD | {Reason.DATA_RACE, Reason.UNINITIALISED}
"""Reasons of findings that a mistake in the source can explain."""


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A proven mistake. `message` mentions its lines, and `help` is the next step. `cause` describes the mistake in the
    same words for every submission, so that grader can count it. `explains` contains the lines in which the simulator
    observed consequences of the mistake, and `effects` the reasons of these findings.
    """

    message: str
    help: str
    cause: str
    explains: frozenset[int] = frozenset()
    effects: frozenset[Reason] = SEEN
