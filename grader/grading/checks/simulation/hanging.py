"""Handles launches that do not answer. The simulator finds out whether they end, so that gradings do not wait for
endless loops.

    silent for a moment -> killed -> the simulator runs the same data -> a loop that does not end: that is the verdict
                                                                      -> it ends there: launched again, to its deadline

The simulator counts steps and not seconds, so it does not mistake a slow machine or a slow compiler for a loop.
"""

from dataclasses import dataclass
from math import prod

from grader.common.errors import NoSimulatorError
from grader.course.criteria import Case, Sizes
from grader.execution.client import Worker
from grader.execution.outcome import Failure, Fetched, TimedOut
from grader.execution.series import Series
from grader.grading.checks.simulation.sanitizer_run import Endless, findings_of
from grader.grading.checks.simulation.simulated_run import Simulated, Subject, run_on_trial, seen_in
from grader.grading.checks.trials.trial import Trial
from grader.results.verdicts import Reason


@dataclass(frozen=True, kw_only=True)
class Lookout:
    """Finds out in the simulator whether a launch ends."""

    subject: Subject

    def covers(self, sizes: Sizes) -> bool:
        """True if a launch of these sizes may be simulated and its findings may be shown.

        The launch must not be larger than the launch of the sanitizer check, so that an endless loop also counts in
        that check, and the sanitizer check must not be hidden.
        """
        asked = self.subject.task.assignment.sanitizer
        return asked is not None and not asked.hidden and prod(sizes.values()) <= prod(asked.sizes.values())

    def look(self, trial: Trial) -> Endless | None:
        """Return the endless loop if the simulator finds one; None if there is no loop or no simulator."""
        try:
            self.subject.worker.ready()
        except NoSimulatorError:
            return None
        seen = seen_in(run_on_trial(self.subject, trial))
        found = findings_of(seen) if isinstance(seen, Simulated) else ()
        loops = any(each.reason is Reason.TIME_LIMIT for each in found)
        return Endless(sizes=trial.sizes, findings=found) if loops else None


class Launcher:
    """Launches the cases of a series in its worker.

    After the simulator has found an endless loop, the other cases get only a short time each. An endless loop in a
    practice case says nothing about the cases that count, so the simulator then examines one of these, too. After it
    has found that a silent launch ends, it is not used again.
    """

    def __init__(self, series: Series, worker: Worker, lookout: Lookout | None) -> None:
        self._series = series
        self._worker = worker
        self._lookout = lookout
        self._endless: dict[bool, Endless] = {}
        """The first endless loop in a case that counts (False) and in a practice case (True)."""

    def run(self, case: Case, trial: Trial) -> dict[str, Fetched] | Failure | Endless:
        """Launch this case, and return the buffers, its failure or its endless loop."""
        name = case.name
        if self._lookout is None or not self._lookout.covers(trial.sizes):
            return self._series.run(name, trial.arrays)
        comes_first = not self._series.is_open_for(name)
        with self._worker.timeouts.impatient():
            outcome = self._series.attempt(name, trial.arrays)
        if isinstance(outcome, TimedOut):
            if case.practice in self._endless:
                return outcome
            self._series.request(name)  # prepare the next launch, which follows in any case
            endless = self._lookout.look(trial)
            if endless is not None:
                return self._endless.setdefault(case.practice, endless)
            self._lookout = None
        elif isinstance(outcome, dict) or comes_first:
            return outcome
        return self._series.run(name, trial.arrays)
