"""A run of the submission on the simulator: what the simulator saw, and whether the results were right."""

from dataclasses import dataclass, replace
from typing import Self

from grader.course.launches import Launch
from grader.course.rubric import Sizes
from grader.course.submissions.task import Task
from grader.course.truth.oracle import Oracle
from grader.execution.client import Worker
from grader.execution.outcome import RUNNING, Crashed, TimedOut
from grader.execution.plan import STUDENT, SUBMISSION, Plan, submission_plan
from grader.grading.checks.building import Built
from grader.grading.checks.inspection import Trial, inspect, make_trial
from grader.grading.explain.failures import FailedError, returns_problem, unwrap
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import was_cut_off
from grader.protocol.messages import Order
from grader.protocol.observation import SeenAccess, SeenKernel
from grader.results.result import Reason

SIMULATION_KEY = 2
"""Tells the inputs of simulated runs from those of cases (correctness.py) and of timed rounds (timing/verifiers.py)."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """What was seen of each launch of each turn, and the scenes to explain it by; `problem` is what is wrong with the
    results.
    """

    sizes: Sizes
    kernels: tuple[SeenKernel, ...]
    scenes: tuple[Scene, ...]
    problem: Problem | None

    @property
    def steps(self) -> int:
        """Instructions of the longest launch."""
        return max(kernel.steps for kernel in self.kernels)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A submission that builds, a worker that runs it on the simulator, and the oracle that knows what is right."""

    task: Task
    oracle: Oracle
    worker: Worker
    built: Built


@dataclass(frozen=True, kw_only=True)
class SimulatedRun:
    """A run on the simulator that is to be made, or goes on: who runs on what data, and the session for it."""

    subject: Subject
    trial: Trial
    plan: Plan

    def begin(self) -> Self:
        """Let it go on while its worker is asked nothing else."""
        self.subject.worker.load({SUBMISSION: self.subject.built.program})
        self.subject.worker.begin_run(self.plan, STUDENT, self.trial.arrays)
        return self


def run_on_trial(subject: Subject, trial: Trial, order: Order = "ascending") -> SimulatedRun:
    """A run on the data of a trial."""
    plan = submission_plan(subject.built.task.assignment, trial.sizes, subject.built.bindings).watched(order)
    return SimulatedRun(subject=subject, trial=trial, plan=plan)


def run_at(subject: Subject, sizes: Sizes, number: int, order: Order = "ascending") -> SimulatedRun:
    """A run of the student's launches on random data."""
    key = (subject.task.seed, SIMULATION_KEY, number)
    trial = make_trial(subject.built.task.assignment, subject.oracle, sizes, "random", key)
    return run_on_trial(subject, trial, order)


def simulate(subject: Subject, sizes: Sizes, number: int) -> Simulated | Problem:
    """Run the student's launches once on random data; a Problem if they did not come to their end."""
    return seen_in(run_at(subject, sizes, number))


@returns_problem
def seen_in(run: SimulatedRun) -> Simulated:
    """What is seen in a run, whether it was begun or not; a Problem if it does not come to its end."""
    subject, trial, plan = run.subject, run.trial, run.plan
    assignment, worker, sizes = subject.built.task.assignment, subject.worker, trial.sizes
    script = plan.scripts[STUDENT]
    try:
        unwrap(worker.load({SUBMISSION: subject.built.program}).open(plan))
        fetched = unwrap(worker.run(STUDENT, trial.arrays))
        kernels = unwrap(worker.observe())
    except FailedError as failed:
        raise FailedError(_told(failed)) from failed
    worker.close()
    turns, rest = divmod(len(kernels), len(script.steps))
    if rest or not 1 <= turns <= (script.repeat.times if script.repeat else 1):
        raise FailedError(UNKNOWN)
    scenes = tuple(_scene(subject, sizes, launch) for launch in assignment.student_launches) * turns
    problem = CUT_OFF if any(map(was_cut_off, kernels)) else inspect(trial, script, fetched)
    kernels = tuple(map(with_lines_of_copies, kernels, scenes))
    return Simulated(sizes=sizes, kernels=kernels, scenes=scenes, problem=problem)


CUT_OFF = Problem(
    reason=Reason.TIME_LIMIT,
    message="the simulator stopped the kernel before its end, so its results were not checked.",
)
"""A kernel that did not finish leaves arrays that say nothing, so they are not checked."""


def with_lines_of_copies(seen: SeenKernel, scene: Scene) -> SeenKernel:
    """The record of a kernel in which each copy by a group has its line, if only one line copies that array."""
    return seen.model_copy(update={"accesses": tuple(_located(each, scene) for each in seen.accesses)})


def _located(access: SeenAccess, scene: Scene) -> SeenAccess:
    lines = () if access.line else scene.copies_of(access.array)
    return access.model_copy(update={"line": lines[0]}) if len(lines) == 1 else access


UNKNOWN = Problem(
    reason=Reason.CRASH,
    message="the simulator stopped in this kernel. It does so where an index is beyond the elements of a vector, and "
    "at functions that it does not support. Check the indexes, or use simpler OpenCL C.",
)


def _told(failed: FailedError) -> Problem:
    """A failure that showed there: it says so, since the same kernel may have run on the device.

    It notices accesses beyond arrays and does not crash there. It crashes where a vector's element is taken by an index
    beyond it, and at functions and instructions that it does not know.
    """
    problem = failed.problem
    if isinstance(failed.why, Crashed) and problem.reason is Reason.CRASH:
        return replace(UNKNOWN, detail=problem.detail)
    if isinstance(failed.why, TimedOut) and failed.why.doing == RUNNING:
        return replace(problem, message=f"the simulator did not finish this kernel in {failed.why.seconds:.3g} s.")
    return replace(problem, message=f"in the simulator: {problem.message}")


def _scene(subject: Subject, sizes: Sizes, launch: Launch) -> Scene:
    return Scene(
        source=subject.task.submission.source,
        dimensions=len(launch.global_size),
        extent=subject.built.task.assignment.extent(launch, sizes),
        expanded=subject.built.program.source,
    )
