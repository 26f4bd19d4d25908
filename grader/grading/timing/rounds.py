"""State machine of a timed round. It tracks which worker has its turn, and its times by the judge's clock.

    Resting --wake--> Awake --ask--> Asked --answer--> Answered --rest--> Resting        once for each worker

    awake       the worker may run, but has no data of this round yet
    asked       its inputs appear, and the judge asks it to launch; the judge's clock runs
    answered    it reports that it is done; the clock has stopped, and the judge takes the results at once
    resting     it is frozen again, and the next worker's turn may come

The types do not allow any other order. Therefore at most one worker has a turn at any time, its clock runs from the
moment it gets its inputs until it delivers its results, and results are not taken late. The device's own times are
recorded as well, but do not decide alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from grader.execution.client import Worker
from grader.execution.plan import STUDENT, Plan, Script


class Role(StrEnum):
    """The roles of participants."""

    REFERENCE = "reference"
    SUBMISSION = "submission"
    CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class Participant:
    """A worker that takes part in every round, and the plan of its session."""

    worker: Worker
    plan: Plan

    @property
    def judged(self) -> Script:
        """The script whose times are compared, which contains the student's steps, run by the program of this
        participant.
        """
        return self.plan.scripts[STUDENT]


Participants = dict[Role, Participant]


@dataclass(frozen=True, kw_only=True)
class TurnTimes:
    """Times of one worker's turn, in seconds. `by_device` comes from the device's clock. A clock that the submission
    cannot reach measures `waited`, the time of the launch, and `seen`, the time of the whole turn. On a CPU, this is
    the judge's clock, and the launch is the whole turn. On a GPU, it is the worker's own clock.

    `delay` is the time in which other programs used the worker's processor, as reported by the worker itself. `kernel`
    is not a time but the share of the turn in which threads of the OS kernel ran.
    """

    by_device: float
    waited: float
    seen: float
    delay: float = 0.0
    kernel: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Clocked:
    """Seconds by a worker's own clock, which counts only if kernels cannot reach the worker's process. `waited` is the
    time of its launch, and `took` is the time from its inputs until the result of the kernel that runs after it.
    """

    waited: float
    took: float


@dataclass(frozen=True)
class Resting:
    """State in which no worker has a turn. `turns` contains the turns of this round that are over."""

    turns: Mapping[Role, TurnTimes] = field(default_factory=dict)

    def wake(self, role: Role) -> "Awake":
        """Begin the turn of this role, which has one turn in each round."""
        assert role not in self.turns, f"the {role} has had its turn"
        return Awake(self, role)

    @property
    def waited(self) -> float:
        """Seconds of the submission's launch by a clock that it cannot reach, minus the overhead of grader's own
        workers. The overhead is the time that these two workers took beyond their launches, on average.
        """
        return self._without_ours(lambda turn: turn.waited)

    @property
    def seen(self) -> float:
        """Seconds of the submission's whole turn by a clock that it cannot reach, minus the overhead of grader's own
        workers. These workers have an equal turn on equal inputs in the same round. Therefore the difference is the
        time of the launch, even if the submission does the work in another part of its turn. It can be negative if it
        consists only of noise.
        """
        return self._without_ours(lambda turn: turn.seen)

    @property
    def delay(self) -> float:
        """Seconds in which other programs used the submission's processor, minus the mean of grader's own workers; at
        least 0. The workers report these times themselves. The mean is subtracted because the threads of one launch
        also wait for each other, even on an idle machine, for example for half a millisecond in forty small launches.
        """
        return max(0.0, self.turns[Role.SUBMISSION].delay - self._of_ours(lambda turn: turn.delay))

    @property
    def kernel_surplus(self) -> float:
        """Share of time that the OS kernel worked during the submission's turn, minus its share during the turns of
        grader's own workers. It is negative if the OS kernel worked more during the latter.
        """
        return self.turns[Role.SUBMISSION].kernel - self._of_ours(lambda turn: turn.kernel)

    def _without_ours(self, clock: Callable[[TurnTimes], float]) -> float:
        return clock(self.turns[Role.SUBMISSION]) - self._of_ours(lambda turn: clock(turn) - turn.by_device)

    def _of_ours(self, seconds: Callable[[TurnTimes], float]) -> float:
        """The mean of grader's own two workers."""
        return (seconds(self.turns[Role.REFERENCE]) + seconds(self.turns[Role.CONTROL])) / 2


@dataclass(frozen=True)
class Awake:
    """State in which the worker of this role has its turn but not yet its data."""

    before: Resting
    role: Role

    def ask(self, now: float) -> "Asked":
        """Record the time at which the inputs appear and the launch is requested."""
        return Asked(self, now)


@dataclass(frozen=True)
class Asked:
    """State in which the worker has its inputs, and its results are due."""

    awake: Awake
    since: float

    def answer(self, now: float, by_device: float, clocked: Clocked | None = None, delay: float = 0.0) -> "Answered":
        """Record that the worker reports its results. The device took `by_device` seconds, during `delay` seconds of
        which other programs used the worker's processor. `clocked` contains the worker's times if they count; otherwise
        the judge's clock decides.
        """
        clocked = clocked or Clocked(waited=now - self.since, took=now - self.since)
        turn = TurnTimes(by_device=by_device, waited=clocked.waited, seen=clocked.took, delay=delay)
        return Answered(self.awake, turn)


@dataclass(frozen=True)
class Answered:
    """State in which the judge takes the worker's results."""

    awake: Awake
    turn: TurnTimes

    def rest(self, kernel: float = 0.0) -> Resting:
        """Return the state after the results have been taken and the worker has been frozen.

        `kernel` is the OS kernel's share of the turn.
        """
        return Resting({**self.awake.before.turns, self.awake.role: replace(self.turn, kernel=kernel)})


@dataclass(frozen=True, kw_only=True)
class Comparisons:
    """Seconds of the baseline, of a device-to-device copy, of grader's own steps, and of a kernel that only computes.
    `surroundings` is the time of grader's own steps in the whole program, if the assignment is a part of one. `peak` is
    the time of the kernel that only computes, if the assignment counts operations.
    """

    baseline: float
    device_copy: float
    surroundings: float | None
    peak: float | None


@dataclass(frozen=True, kw_only=True)
class Round:
    """Seconds of the student's steps in one round, run once by the submission and twice by the model solution. In a
    student kit, the baseline replaces the model solution. `submission`, `reference` and `control` come from the
    device's clock. Three times of the submission come from a clock that it cannot reach: `waited` for its launch and
    `seen` for its whole turn, both minus the overhead of grader's own workers (Resting), and `turn` without that
    deduction. `delay` is the time in which other programs used the submission's processor, as reported by its worker,
    minus the mean of grader's own workers. `kernel_surplus` is not a time but the difference of two shares of time
    (Resting). `kernels` contains the seconds of each kernel of the submission, summed over its launches.
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
    kernels: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def is_one_sided(self) -> bool:
        """True if the OS kernel worked mainly for one side, which makes the ratio of the times meaningless."""
        return abs(self.kernel_surplus) > ONE_SIDED

    @cached_property
    def undelayed(self) -> "Round":
        """The round as if the submission's launch had never waited for a processor. The submission's own process
        reports the waiting time, so it can be forged. Points are not awarded for these times.
        """
        least = LEAST_SHARE * self.submission
        return replace(
            self, submission=max(least, self.submission - self.delay), waited=max(least, self.waited - self.delay)
        )


ONE_SIDED = 0.05
"""Maximum difference between the shares of time in which the OS kernel works during the turns of the two sides. On a
single processor, its work slows a side down by this share. Work during the turns of both sides slows both down and does
not change their ratio.
"""

LEAST_SHARE = 1e-3
"""Minimum share of a launch that counts as computing, regardless of the waiting time that the submission reports."""
