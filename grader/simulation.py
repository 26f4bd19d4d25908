"""A run of the submission on the simulator: what it saw, and whether the results were right there, too."""

from dataclasses import dataclass, replace

from grader.assignment import ELEMENT_BYTES, Launch, Sizes
from grader.building import Built
from grader.diagnosis import Problem, of_failure
from grader.findings import GLOBAL, Scene
from grader.inspection import inspect, make_trial
from grader.oracle import Oracle
from grader.outcome import Timing
from grader.plan import STUDENT, SUBMISSION, Plan, submission_plan
from grader.protocol import Done, Opened, SeenKernel
from grader.runner import Worker
from grader.task import Task

SIMULATION_KEY = 2
"""Tells the inputs of simulated runs from those of cases (cases.py) and of timed rounds (measurement.py)."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """What was seen of each launch, with what one must know to tell it; `problem` is what is wrong with the results."""

    sizes: Sizes
    kernels: tuple[SeenKernel, ...]
    scenes: tuple[Scene, ...]
    problem: Problem | None


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A submission that builds, a worker that runs it on the simulator, and the oracle that knows what is right."""

    task: Task
    oracle: Oracle
    worker: Worker
    built: Built


def simulate(subject: Subject, sizes: Sizes, number: int) -> Simulated | Problem:
    """Run the student's launches once on random data; a Problem if they did not come to their end."""
    assignment, worker = subject.task.assignment, subject.worker
    trial = make_trial(assignment, subject.oracle, sizes, "random", (subject.task.seed, SIMULATION_KEY, number))
    plan = submission_plan(assignment, sizes, subject.built.bindings).watched()
    script = plan.scripts[STUDENT]
    opened = worker.load({SUBMISSION: subject.built.program}).open(plan)
    if not isinstance(opened, Opened):
        return in_simulator(of_failure(opened))
    staged = worker.stage(STUDENT, trial.arrays)
    if not isinstance(staged, Done):
        return in_simulator(of_failure(staged))
    launched = worker.launch(STUDENT)
    if not isinstance(launched, Timing):
        return in_simulator(of_failure(launched))
    kernels = worker.observe()
    if not isinstance(kernels, tuple):
        return in_simulator(of_failure(kernels))
    fetched = worker.fetch((*script.outputs, *script.uploads))
    if not isinstance(fetched, dict):
        return in_simulator(of_failure(fetched))
    worker.close()
    launches = zip(assignment.student_launches, kernels, strict=False)  # one that broke off may have said nothing
    scenes = tuple(_scene(subject, sizes, plan, launch, seen) for launch, seen in launches)
    return Simulated(sizes=sizes, kernels=kernels, scenes=scenes, problem=inspect(trial, script, fetched))


def in_simulator(problem: Problem) -> Problem:
    """A problem that showed there: it says so, since the same kernel may have run on the device."""
    return replace(problem, message=f"in the simulator: {problem.message}")


def _scene(subject: Subject, sizes: Sizes, plan: Plan, launch: Launch, seen: SeenKernel) -> Scene:
    """The launch by the student's names: Oclgrind numbers buffers in the order in which they were made."""
    assignment = subject.task.assignment
    names = {array.buffer: array.name for array in seen.arrays if array.space == GLOBAL}
    return Scene(
        source=subject.task.submission.source,
        dimensions=len(launch.global_size),
        elements={
            names[number]: spec.size // ELEMENT_BYTES
            for number, spec in enumerate(plan.buffers, start=1)
            if number in names
        },
        extent=assignment.extent(launch, sizes),
    )
