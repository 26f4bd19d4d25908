"""Verification by the oracle: the judge generates the inputs and compares every word of the results.

On a GPU, a kernel of grader runs after the student's steps and stores a secret number, and the turn ends when this
number is fetched. The device runs kernels one after the other, so the student's kernels have ended by then. Fetching
the results takes milliseconds, longer than many launches, and this time varies. Therefore it is not part of the turn.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import threadpool_limits

from grader.course.speed_goals import device_class
from grader.execution.outcome import Garbled
from grader.execution.plan import STUDENT, Plan, Script, going_on
from grader.grading.checks.trials.inspection import inspect
from grader.grading.checks.trials.trial import Trial, make_trial
from grader.grading.explain.failures import of_failure, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.rules import TimingRules
from grader.grading.timing.rounds import Participant, Participants, Role
from grader.grading.timing.verifiers import (
    END_KEY,
    ROUND_KEY,
    Ran,
    Results,
    RoundInputs,
    TimingTask,
    ran,
    results_of,
)
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, KeyArg, ProgramSource

END, END_NUMBER = "end of the student's steps", "number of the end"
"""Names of the program and script that run after the student's steps on a GPU, and of the buffer with the number that
the kernel stores. Buffers of assignments cannot have such a name.
"""

END_PROGRAM = ProgramSource(
    source="__kernel void mark_end(__global ulong *number, ulong key) { *number = key; }", options=()
)

MAKERS = 4
"""Number of threads that make inputs before the timed rounds. The oracle may need gigabytes in each thread."""


@dataclass(frozen=True)
class ByOracle:
    """Verifier that uses random inputs from the judge, and compares the results with the oracle."""

    task: TimingTask
    made: tuple[RoundInputs, ...] = field(default=(), repr=False)
    """The inputs of the warm-up and of the first rounds that count."""

    def programs(self, plan: Plan) -> Mapping[str, ProgramSource]:
        """Return the kernel that runs after the student's steps, if the plan has it. No other kernel is needed, because
        the judge generates the inputs and compares the results.
        """
        return {END: END_PROGRAM} if END in plan.scripts else {}

    def prepare(self, plan: Plan) -> Plan:
        """Share the arrays with the worker of a CPU, and start each session in a new process. Kernels run in that
        process. If it copied arrays before and after a launch, the copying would not be timed. In a used process,
        buffers would have the same addresses as in the previous session. On a GPU, add the kernel that runs after the
        student's steps.
        """
        if device_class(self.task.device) == "cpu":
            return replace(plan, arrays="shared")
        number = BufferSpec(name=END_NUMBER, size=8, guard=0, poison=0)
        args = (BufferArg(buffer=END_NUMBER), KeyArg())
        step = KernelStep(program=END, kernel="mark_end", args=args, global_size=(1,), local_size=(1,))
        end = Script(steps=(step,), uploads=(), outputs=(END_NUMBER,))
        ending = replace(plan, buffers=(*plan.buffers, number), scripts={**plan.scripts, END: end})
        return going_on(ending, self.task.device)

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
        trial = make_trial(task.assignment, task.oracle, task.sizes, "random", (task.seed, ROUND_KEY, number))
        (end_key,) = np.random.SeedSequence((task.seed, END_KEY, number)).generate_state(1, np.uint64)
        return OracleInputs(trial, int(end_key))


@dataclass(frozen=True)
class OracleInputs:
    """Inputs and expected results that are in the judge's memory, and the number that shows the end of a launch."""

    trial: Trial
    end_key: int

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
        fetched = (END_NUMBER, *participant.judged.outputs)
        return ran(unwrap(participant.worker.session.turn({STUDENT: 0, END: self.end_key}, fetched)), 0)

    def take(self, participant: Participant) -> Results:
        """Read the shared results."""
        return results_of(self, participant) if participant.plan.arrays == "shared" else {}

    def verify(self, results: Mapping[Role, Results], participants: Participants) -> Problem | None:
        """Compare the submission's results with the results of the oracle. On a GPU, the results count only if the
        submission's kernels ended before the results were fetched.
        """
        got = dict(results[Role.SUBMISSION])
        number = got.pop(END_NUMBER, None)
        if number is not None and number.payload.tobytes() != self.end_key.to_bytes(8, "little"):
            return of_failure(Garbled(what="the kernel was still running after its reported end"))
        return inspect(self.trial, participants[Role.SUBMISSION].judged, got)
