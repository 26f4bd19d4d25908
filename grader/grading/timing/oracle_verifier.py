"""Verification by the oracle: the judge generates the inputs and compares every word of the results."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from threadpoolctl import threadpool_limits

from grader.course.speed_goals import device_class
from grader.execution.plan import STUDENT, Plan, going_on
from grader.grading.checks.trials.inspection import inspect
from grader.grading.checks.trials.trial import Trial, make_trial
from grader.grading.explain.failures import unwrap
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.participants import Participant, Participants, Role
from grader.grading.timing.verifiers import ROUND_KEY, Ran, Results, RoundInputs, TimingTask, ran, results_of
from grader.protocol.steps import ProgramSource

MAKERS = 4
"""Number of threads that make inputs before the timed rounds. The oracle may need gigabytes in each thread."""


@dataclass(frozen=True)
class ByOracle:
    """Verifier that uses random inputs from the judge, and compares the results with the oracle."""

    task: TimingTask
    made: tuple[RoundInputs, ...] = field(default=(), repr=False)
    """The inputs of the warm-up and of the first rounds that count."""

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:  # noqa: ARG002 - the oracle needs no kernels
        """Return no kernels, because the judge generates the inputs and compares the results."""
        return {}

    def prepare(self, plan: Plan) -> Plan:
        """Share the arrays with the worker of a CPU, and start each session in a new process. Kernels run in that
        process. If it copied arrays before and after a launch, the copying would not be timed. In a used process,
        buffers would have the same addresses as in the session before.
        """
        if device_class(self.task.device) == "cpu":
            return replace(plan, arrays="shared")
        return going_on(plan, self.task.device)

    def session_pairs(self, rules: TimingRules) -> int | None:
        """The number from the rules. New sessions have other addresses, so that no single placement in caches decides
        alone.
        """
        return rules.session_pairs

    def prepared(self, rounds: int) -> "ByOracle":
        """Make the inputs and expected results of the warm-up and of these rounds."""
        with threadpool_limits(limits=1), ThreadPoolExecutor(MAKERS) as makers:
            return replace(self, made=tuple(makers.map(self._random, range(1 + rounds))))

    def warm_up(self, number: int) -> RoundInputs:  # noqa: ARG002 - one round's inputs are enough
        """Return the same random inputs and expected results for all rounds of the warm-up."""
        return self._random(0)

    def inputs(self, number: int) -> RoundInputs:
        """Return random inputs and their expected results."""
        return self._random(1 + number)

    def _random(self, number: int) -> RoundInputs:
        if number < len(self.made):
            return self.made[number]
        task = self.task
        key = (task.seed, ROUND_KEY, number)
        return OracleInputs(make_trial(task.assignment, task.oracle, task.sizes, "random", key))


@dataclass(frozen=True)
class OracleInputs:
    """Inputs and expected results that are in the judge's memory."""

    trial: Trial

    def script(self, name: str) -> str:
        """The unchanged name, because there is only one set of buffers."""
        return name

    @property
    def judged(self) -> tuple[Role, ...]:
        """Only the role of the submission, because the judge has the expected results."""
        return (Role.SUBMISSION,)

    def prepare(self, participant: Participant, script: str) -> None:
        """Send the arrays. A worker that shares them sees them at the launch."""
        unwrap(participant.worker.session.stage(script, self.trial.arrays))

    def supply(self, participant: Participant, script: str) -> None:
        """No-op, because `prepare` has already sent the inputs."""

    def run(self, participant: Participant) -> Ran:
        """Run the student's steps. Shared results are not returned because the judge reads them before they
        can change.
        """
        if participant.plan.arrays == "shared":
            timing = unwrap(participant.worker.session.launch(STUDENT))
            steps = tuple(step.seconds for step in timing.steps)
            return Ran(steps=steps, delay=timing.delay, clocked=None, results={})
        return ran(unwrap(participant.worker.session.turn({STUDENT: 0}, participant.judged.outputs)), 0)

    def take(self, participant: Participant) -> Results:
        """Read the shared results."""
        return results_of(self, participant) if participant.plan.arrays == "shared" else {}

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Compare the submission's results with the results of the oracle."""
        submission = Role.SUBMISSION
        return inspect(self.trial, participants[submission].judged, results[submission])
