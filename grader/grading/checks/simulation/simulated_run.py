"""Runs of the submission in the simulator: the record of a run, and the inspection of its results."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from grader.common import record
from grader.course.assignment import Chosen
from grader.course.criteria import Sizes
from grader.course.run_sequence import LaunchAt
from grader.course.submissions.submission import Task
from grader.course.truth.oracle import Oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.client import Worker
from grader.execution.outcome import RUNNING, Crashed, TimedOut
from grader.execution.plan import STUDENT, SUBMISSION, Plan
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.trials.inspection import inspect
from grader.grading.checks.trials.trial import Trial, make_trial
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import AN_INSTRUCTION, unsupported, was_cut_off
from grader.protocol.messages import Order
from grader.protocol.observation import SeenAccess, SeenKernel
from grader.results.verdicts import Reason

SIMULATION_KEY = 2
"""Key of the inputs of simulated runs. Inputs of cases (correctness.py) and of timed rounds (timing/verifiers.py) have
other keys."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """The simulator's record of each launch in each repetition, and the scenes that are needed to explain it.

    `problem` is the problem of the results; None if they are right.
    """

    sizes: Sizes
    kernels: tuple[SeenKernel, ...]
    scenes: tuple[Scene, ...]
    problem: Problem | None
    constants: tuple[Mapping[str, int], ...]
    """Bytes of the arrays that each launch has in constant memory, by their names in the kernel."""

    @property
    def steps(self) -> int:
        """Number of instructions of the longest launch."""
        return max(kernel.steps for kernel in self.kernels)

    @property
    def unsupported(self) -> str | None:
        """A phrase for the construct that stopped the simulator, or None if nothing did."""
        messages = (message for kernel in self.kernels for message in kernel.messages)
        return next(filter(None, map(unsupported, messages)), None)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A submission that builds, a worker that runs it in the simulator, and the oracle that computes the expected
    results.
    """

    task: Task
    oracle: Oracle
    worker: Worker
    built: Built


@dataclass(frozen=True, kw_only=True)
class SimulatedRun:
    """A simulated run, planned or in progress: its subject, its data, and the plan of its session."""

    subject: Subject
    trial: Trial
    plan: Plan

    def begin(self) -> Self:
        """Start the run without waiting for it. Until it ends, the worker must not be used for anything else."""
        self.subject.worker.load({SUBMISSION: self.subject.built.program})
        self.subject.worker.request_run(self.plan, STUDENT, self.trial.arrays)
        return self


def run_on_trial(subject: Subject, trial: Trial, order: Order = "ascending") -> SimulatedRun:
    """Return a run on the data of a trial."""
    plan = submission_plan(Chosen(trial.assignment), trial.sizes, subject.built.bindings).watched(order)
    return SimulatedRun(subject=subject, trial=trial, plan=plan)


def run_on_poison(subject: Subject, trial: Trial, order: Order) -> SimulatedRun:
    """Return a run on the data of a trial whose outputs begin with poison, as on a device. In other runs, they begin
    with 0, which may be the right result. This run does not detect reads of unwritten words.
    """
    run = run_on_trial(subject, trial, order)
    ours = submission_plan(subject.built.task.assignment, trial.sizes, subject.built.bindings)
    poisons = {spec.name: spec.poison for spec in ours.buffers}
    buffers = (spec if spec.read_only else record.replace(spec, poison=poisons[spec.name]) for spec in run.plan.buffers)
    return replace(run, plan=replace(run.plan, buffers=tuple(buffers)))


def run_at(subject: Subject, sizes: Sizes, number: int, order: Order = "ascending") -> SimulatedRun:
    """Return a run of the student's launches on random data, which are derived from the seed and `number`."""
    key = (subject.task.seed, SIMULATION_KEY, number)
    trial = make_trial(subject.built.task.assignment, subject.oracle, sizes, "random", key)
    return run_on_trial(subject, trial, order)


def seen_in(run: SimulatedRun) -> Simulated | Problem:
    """Finish the run, after starting it if necessary, and return the record; return a Problem if the run does not
    finish.
    """
    subject, trial, plan = run.subject, run.trial, run.plan
    worker, sizes = subject.worker, trial.sizes
    script = plan.scripts[STUDENT]
    try:
        unwrap(worker.load({SUBMISSION: subject.built.program}).open(plan))
        unwrap(worker.session.stage(STUDENT, trial.arrays))
        timing = unwrap(worker.session.launch(STUDENT))
        fetched = unwrap(worker.session.fetch(script.buffers))
        kernels = unwrap(worker.session.observe())
    except FailedError as failed:
        return _told(failed)
    worker.close()
    launches = script.launches_of(timing.turns)
    if len(launches) != len(kernels):
        return UNKNOWN
    scenes = tuple(_scene(subject, trial, launch) for launch in launches)
    problem = CUT_OFF if any(map(was_cut_off, kernels)) else inspect(trial, script, fetched)
    kernels = tuple(map(with_lines_of_copies, kernels, scenes))
    constants = tuple(_constants(subject, plan, launch) for launch in launches)
    return Simulated(sizes=sizes, kernels=kernels, scenes=scenes, problem=problem, constants=constants)


CUT_OFF = Problem(
    reason=Reason.TIME_LIMIT,
    message="the simulator stopped the kernel before its end, so its results were not checked.",
)
"""The problem of a kernel that did not finish. Its arrays are meaningless, so they are not checked."""


def unsupported_in(seen: Simulated | Problem) -> str | None:
    """A phrase for the construct that stopped the simulator, or None if nothing did. A mistake in the kernel may have
    the same effect as an unsupported construct.
    """
    if isinstance(seen, Simulated):
        return seen.unsupported
    return AN_INSTRUCTION if seen == UNKNOWN or seen.reason is Reason.BUILD_ERROR else None


def with_lines_of_copies(seen: SeenKernel, scene: Scene) -> SeenKernel:
    """Add the line number to each copy by a group in the record of a kernel, if only one line copies that array."""
    return seen.model_copy(update={"accesses": tuple(_located(each, scene) for each in seen.accesses)})


def _constants(subject: Subject, plan: Plan, step: LaunchAt) -> dict[str, int]:
    """Bytes of each array that a kernel declares as `__constant` and that the assignment has in constant memory, by the
    kernel's name of the array.
    """
    binding = subject.built.bindings[step.launch.kernel]
    return {own: plan.buffer(step.places.get(name, name)).size for own, name in binding.constants.items()}


def _located(access: SeenAccess, scene: Scene) -> SeenAccess:
    lines = () if access.line else scene.copies_of(access.array)
    return access.model_copy(update={"line": lines[0]}) if len(lines) == 1 else access


UNKNOWN = Problem(
    reason=Reason.CRASH,
    message="the simulator stopped in this kernel.",
    help="The simulator stops at an index past the end of a vector, and at a function that it does not support. "
    "Check the indexes, or use simpler OpenCL C.",
)


def _told(failed: FailedError) -> Problem:
    """The problem of a failure in the simulator. The message mentions the simulator because the kernel may run on the
    device.

    The simulator reports accesses beyond arrays without crashing. It crashes at an index beyond the elements of a
    vector, and at unknown functions and instructions.
    """
    problem = failed.problem
    if isinstance(failed.why, Crashed) and problem.reason is Reason.CRASH:
        return UNKNOWN
    if isinstance(failed.why, TimedOut) and failed.why.doing == RUNNING:
        return replace(problem, message=f"the simulator did not finish this kernel in {failed.why.seconds:.3g} s.")
    return replace(problem, message=f"in the simulator: {problem.message}")


def _scene(subject: Subject, trial: Trial, step: LaunchAt) -> Scene:
    return Scene(
        source=subject.task.submission.source,
        dimensions=len(step.launch.global_size),
        extent=trial.assignment.extent(step.launch, step.sizes),
        expanded=subject.built.program.source,
    )
