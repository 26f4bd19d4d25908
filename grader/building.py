"""The build check: is the text one that may run, does it compile, and does it hold the kernels that are asked for?"""

import time
from dataclasses import dataclass, replace

from grader.build_log import Source
from grader.choices import chosen, unfit_sizes
from grader.diagnosis import Problem, of_build_log, of_failure, of_forbidden
from grader.forbidden import Construct, first_sighting
from grader.metrics import Usage
from grader.plan import NOTHING, SUBMISSION, Bindings
from grader.program import submitted_definitions
from grader.protocol import BuildFailed, Opened
from grader.result import Check, Kind, Verdict
from grader.runner import Worker
from grader.signature import bind
from grader.steps import Program
from grader.task import Task
from grader.usage import usage_of


@dataclass(frozen=True, kw_only=True)
class Built:
    """A submission that compiles: the task with what it has chosen itself, the program that every driver is given, how
    it spells the kernels, and what these take of the device.
    """

    task: Task
    program: Program
    bindings: Bindings
    usage: tuple[Usage, ...]


@dataclass(frozen=True, kw_only=True)
class Build:
    """The check, and what it let through (None if it failed)."""

    check: Check
    built: Built | None


def check_build(task: Task, worker: Worker) -> Build:
    """Load the worker with the submission, build it in a session, and compare its kernels with the assignment."""
    start = time.perf_counter()
    outcome = build(task, worker)
    passed = build_check(time.perf_counter() - start)
    if isinstance(outcome, Problem):
        return Build(check=outcome.fail(passed), built=None)
    return Build(check=passed, built=outcome)


def build_check(seconds: float) -> Check:
    """The check as if it had passed."""
    return Check(name="build", kind=Kind.BUILD, verdict=Verdict.PASSED, points=0, max_points=0, seconds=seconds)


def build(task: Task, worker: Worker) -> Built | Problem:
    """The submission as it will be run, or why it will not."""
    assignment = chosen(task.assignment, task.submission)
    if isinstance(assignment, Problem):
        return assignment
    return build_settled(replace(task, assignment=assignment), worker)


def build_settled(task: Task, worker: Worker) -> Built | Problem:
    """The same for an assignment that leaves nothing to the student any more."""
    text = expand(task, worker)
    return text if isinstance(text, Problem) else _bind(task, worker, Program(source=text))


def expand(task: Task, worker: Worker) -> str | Problem:
    """The text that every driver is given, unless it holds what is forbidden, openly or behind its macros."""
    source, allowed = task.submission.source, task.assignment.allow
    sighting = first_sighting(source, allowed)
    if sighting is not None:
        return of_forbidden(sighting)
    text = worker.preprocess(source, submitted_definitions(task))
    if isinstance(text, BuildFailed):
        return of_build_log(text.log, Source(written=source, compiled=source))
    if not isinstance(text, str):
        return of_failure(text)
    sighting = first_sighting(text, {*allowed, Construct.LONG_LINE})  # macros may well make a line long
    return text if sighting is None else of_forbidden(sighting)


def _bind(task: Task, worker: Worker, program: Program) -> Built | Problem:
    outcome = worker.load({SUBMISSION: program}).open(NOTHING)
    if isinstance(outcome, BuildFailed):
        return of_build_log(outcome.log, Source(written=task.submission.source, compiled=program.source))
    if not isinstance(outcome, Opened):
        return of_failure(outcome)
    device = worker.ready()
    worker.close()
    unfit = unfit_sizes(task.assignment, device)
    if unfit is not None:
        return unfit
    bindings = {}
    for launch in task.assignment.student_launches:
        bound = bind(task.assignment, launch, outcome.kernels)
        if isinstance(bound, Problem):
            return bound
        bindings[launch.kernel] = bound
    names = dict.fromkeys(binding.name for binding in bindings.values())
    return Built(task=task, program=program, bindings=bindings, usage=usage_of(names, outcome, device))
