"""A timed round as a state machine: whose turn it is, and what the judge's clock makes of it.

    Resting --wake--> Awake --ask--> Asked --answer--> Answered --rest--> Resting        once for each worker

    awake       the worker may run, but has nothing of this round yet
    asked       its inputs appear, and it is told to launch; the judge's clock runs
    answered    it says that all is done; the clock has stopped, and the judge takes the results at once
    resting     it is frozen again, and the next one's turn may come

No other order can be written down, so at any time one worker at most has a turn, its clock runs for as long as it knows
its inputs and owes its results, and no result is taken late. What a worker says of its own time is kept beside that,
and decides nothing alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.grading.timing.contestant import Role


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Seconds of one worker's turn: by the device's clock, as the worker tells it, and by the judge's."""

    told: float
    seen: float

    @property
    def overhead(self) -> float:
        """What the judge saw beyond the device's clock."""
        return self.seen - self.told


@dataclass(frozen=True)
class Resting:
    """Nobody's turn; these have had theirs."""

    turns: Mapping[Role, Turn] = field(default_factory=dict)

    def wake(self, role: Role) -> "Awake":
        """Its turn, which comes once a round."""
        assert role not in self.turns, f"the {role} has had its turn"
        return Awake(self, role)

    @property
    def seen(self) -> float:
        """The submission's time by the judge's clock, less what our own workers took beyond their launches.

        They do the same on the same inputs in the same round, so what is left is the launch, wherever in its turn a
        submission does the work. It can be negative, where everything is noise.
        """
        ours = (self.turns[Role.REFERENCE], self.turns[Role.CONTROL])
        return self.turns[Role.SUBMISSION].seen - sum(turn.overhead for turn in ours) / len(ours)


@dataclass(frozen=True)
class Awake:
    """Its turn has come."""

    before: Resting
    role: Role

    def ask(self, now: float) -> "Asked":
        """Inputs appear, and the launch is asked for."""
        return Asked(self, now)


@dataclass(frozen=True)
class Asked:
    """It knows its inputs, and owes its results."""

    awake: Awake
    since: float

    def answer(self, now: float, told: float) -> "Answered":
        """It says that its results are there, and how long the device took."""
        return Answered(self.awake, Turn(told=told, seen=now - self.since))


@dataclass(frozen=True)
class Answered:
    """Its results are being taken."""

    awake: Awake
    turn: Turn

    def rest(self) -> Resting:
        """They have been taken, and it is frozen."""
        return Resting({**self.awake.before.turns, self.awake.role: self.turn})
