"""A timed round as a state machine: whose turn it is, and what the judge's clock makes of it.

    Resting --wake--> Awake --ask--> Asked --answer--> Answered --rest--> Resting        once for each worker

    awake       the worker may run, but has nothing of this round yet
    asked       its inputs appear, and it is told to launch; the judge's clock runs
    answered    it says that all is done; the clock has stopped, and the judge takes the results at once
    resting     it is frozen again, and the next one's turn may come

No other order can be written down, so at any time one worker at most has a turn, its clock runs for as long as it knows
its inputs and owes its results, and no result is taken late. What the device says of its own time is kept beside that,
and decides nothing alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from grader.grading.timing.participants import Role


@dataclass(frozen=True, kw_only=True)
class TurnTimes:
    """Seconds of one worker's turn: `by_device`, by the device's clock; and by a clock that the submission does not
    reach, the time `waited` for its launch, and the time `seen` for the whole turn. `delay` is the part in which, as
    the worker says, others had its processor. `kernel` is a share of the turn: the time of the OS kernel's threads.

    On a processor this clock is the judge's, to whom a launch is the whole turn. On a GPU it is the worker's own.
    """

    by_device: float
    waited: float
    seen: float
    delay: float = 0.0
    kernel: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Clocked:
    """What a worker says by its own clock, if no kernel reaches its process: of its launch, and of all that it `took`
    from the inputs to the results.
    """

    waited: float
    took: float


@dataclass(frozen=True)
class Resting:
    """Nobody's turn; these have had theirs."""

    turns: Mapping[Role, TurnTimes] = field(default_factory=dict)

    def wake(self, role: Role) -> "Awake":
        """Its turn, which comes once a round."""
        assert role not in self.turns, f"the {role} has had its turn"
        return Awake(self, role)

    @property
    def waited(self) -> float:
        """The submission's launch by a clock that it does not reach, less what our own took beyond their launches."""
        return self._without_ours(lambda turn: turn.waited)

    @property
    def seen(self) -> float:
        """The same of its whole turn.

        Our workers do the same on the same inputs in the same round, so what is left is the launch, wherever in its
        turn a submission does the work. It can be negative, where everything is noise.
        """
        return self._without_ours(lambda turn: turn.seen)

    @property
    def delay(self) -> float:
        """How long the submission says that others had its processor, beyond what ours say.

        The threads of one launch wait for each other as well, on an idle machine, too: for half a millisecond of forty
        small launches.
        """
        return max(0.0, self.turns[Role.SUBMISSION].delay - self._of_ours(lambda turn: turn.delay))

    @property
    def kernel_surplus(self) -> float:
        """Share of time that the OS kernel worked during the submission's turn, less its share during our turns;
        negative if it worked more during ours.
        """
        return self.turns[Role.SUBMISSION].kernel - self._of_ours(lambda turn: turn.kernel)

    def _without_ours(self, clock: Callable[[TurnTimes], float]) -> float:
        return clock(self.turns[Role.SUBMISSION]) - self._of_ours(lambda turn: clock(turn) - turn.by_device)

    def _of_ours(self, seconds: Callable[[TurnTimes], float]) -> float:
        """The mean of our two workers."""
        return (seconds(self.turns[Role.REFERENCE]) + seconds(self.turns[Role.CONTROL])) / 2


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

    def answer(self, now: float, by_device: float, clocked: Clocked | None = None, delay: float = 0.0) -> "Answered":
        """It says that its results are there, how long the device took, and how long of that others had its processor;
        `clocked` is what else is believed.
        """
        clocked = clocked or Clocked(waited=now - self.since, took=now - self.since)
        turn = TurnTimes(by_device=by_device, waited=clocked.waited, seen=clocked.took, delay=delay)
        return Answered(self.awake, turn)


@dataclass(frozen=True)
class Answered:
    """Its results are being taken."""

    awake: Awake
    turn: TurnTimes

    def rest(self, kernel: float = 0.0) -> Resting:
        """State after the results are taken and the worker is frozen; `kernel` is the OS kernel's share of time."""
        return Resting({**self.awake.before.turns, self.awake.role: replace(self.turn, kernel=kernel)})


@dataclass(frozen=True, kw_only=True)
class Comparisons:
    """Seconds of the baseline, of a device-to-device copy, of our own steps in the whole program, if the assignment is
    a part of one, and of the kernel that only computes, if the assignment is about that.
    """

    baseline: float
    device_copy: float
    surroundings: float | None
    peak: float | None


@dataclass(frozen=True, kw_only=True)
class Round:
    """One round: seconds of the student's steps by the submission and, twice, by the model solution.

    In a student kit it is the baseline that is timed twice. Three of the submission's are by a clock that it does not
    reach, the others by the device's: how long its launch was `waited` for, and what was `seen` of its whole turn, both
    less what our own workers took beyond their launches (rounds.py); and `turn`, with nothing taken off. `delay` is how
    long of its launch it says that others had its processor, less what ours say of theirs. `kernel_surplus` is the
    difference of two shares of time (Resting), not a time.
    """

    submission: float
    waited: float
    seen: float
    turn: float
    delay: float
    kernel_surplus: float
    reference: float
    control: float
    comparisons: Comparisons | None

    @property
    def is_one_sided(self) -> bool:
        """True if the OS kernel worked for one side only, which makes the ratio of the times meaningless."""
        return abs(self.kernel_surplus) > ONE_SIDED

    @property
    def undelayed(self) -> "Round":
        """The same, as if the submission's launch had never waited for a processor.

        It is the submission's process that says so, so it can be a lie; but nobody is awarded anything by this.
        """
        least = LEAST_SHARE * self.submission
        return replace(
            self, submission=max(least, self.submission - self.delay), waited=max(least, self.waited - self.delay)
        )


ONE_SIDED = 0.05
"""The largest difference between the shares of time in which the OS kernel works during the turns of the two sides. Its
work slows a side down by as much, on one processor. Work during both turns slows both down and does not change their
ratio."""

LEAST_SHARE = 1e-3
"""Of its time a launch has computed, whatever is said of the rest."""
