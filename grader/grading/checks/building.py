"""The build check: is the text one that may run, does it compile, and does it hold the kernels that are asked for?"""

import time
from dataclasses import dataclass

from grader.common.record import replace
from grader.course.forbidden import Construct, first_sighting
from grader.course.submissions.scanner import TooCostly, scanned
from grader.course.submissions.task import Task
from grader.grading.checks.choices import chosen, unfit_sizes
from grader.grading.checks.program import submitted_definitions
from grader.grading.checks.signature import bind
from grader.grading.explain.build_log import Source
from grader.grading.explain.problem import Problem, of_build_log, of_costly_text, of_failure, of_forbidden
from grader.grading.explain.resource_usage import usage_of
from grader.protocol.messages import BuildFailed, Opened
from grader.protocol.steps import ProgramSource
from grader.results.metrics import Usage
from grader.results.result import Check, Kind, full_marks
from grader.workers.client import Worker
from grader.workers.plan import NOTHING, SUBMISSION, Bindings


@dataclass(frozen=True, kw_only=True)
class Built:
    """A submission that compiles: the task with what it has chosen itself, the program that every driver is given, how
    it spells the kernels, and what these take of the device.
    """

    task: Task
    program: ProgramSource
    bindings: Bindings
    usage: tuple[Usage, ...]


@dataclass(frozen=True, kw_only=True)
class Build:
    """The check, and what it let through (None if it failed)."""

    check: Check
    built: Built | None


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """The text that every driver is given, its macros expanded, and the lines of its code, for what a compiler says."""

    text: str
    code: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A submission before it meets a device: the task with what it has chosen itself, and the text that every driver
    will be given; or why there is none.
    """

    outcome: tuple[Task, Expanded] | Problem
    seconds: float


def prepare(task: Task, worker: Worker) -> Prepared:
    """All that is done with a student's text without a device."""
    start = time.perf_counter()
    outcome = _prepare(task, worker)
    return Prepared(outcome=outcome, seconds=time.perf_counter() - start)


def check_build(prepared: Prepared, worker: Worker) -> Build:
    """Load the worker with the submission, build it in a session, and compare its kernels with the assignment."""
    start = time.perf_counter()
    outcome = _built(prepared.outcome, worker)
    passed = build_check(prepared.seconds + time.perf_counter() - start)
    if isinstance(outcome, Problem):
        return Build(check=outcome.fail(passed), built=None)
    return Build(check=passed, built=outcome)


def build_check(seconds: float) -> Check:
    """The check as if it had passed."""
    return replace(full_marks(Kind.BUILD, 0), seconds=seconds)


def build(task: Task, worker: Worker) -> Built | Problem:
    """The submission as it will be run, or why it will not."""
    return _built(_prepare(task, worker), worker)


def build_settled(task: Task, worker: Worker) -> Built | Problem:
    """The same for an assignment that leaves nothing to the student any more."""
    return _built(_prepare_settled(task, worker), worker)


def _prepare(task: Task, worker: Worker) -> tuple[Task, Expanded] | Problem:
    assignment = chosen(task.assignment, task.submission)
    if isinstance(assignment, Problem):
        return assignment
    return _prepare_settled(replace(task, assignment=assignment), worker)


def _prepare_settled(task: Task, worker: Worker) -> tuple[Task, Expanded] | Problem:
    expanded = expand(task, worker)
    return expanded if isinstance(expanded, Problem) else (task, expanded)


def _built(prepared: tuple[Task, Expanded] | Problem, worker: Worker) -> Built | Problem:
    return prepared if isinstance(prepared, Problem) else _bind(*prepared, worker)


def expand(task: Task, worker: Worker) -> Expanded | Problem:
    """The text that every driver is given, unless it holds what is forbidden, openly or behind its macros."""
    written, allowed = task.submission, task.assignment.allow
    sighting = first_sighting(written.scan.sightings, allowed)
    if sighting is not None:
        return of_forbidden(sighting)
    text = worker.preprocess(written.source, submitted_definitions(task))
    if isinstance(text, BuildFailed):
        return of_build_log(
            text.log, Source(text=written.source, written=written.scan.code, compiled=written.scan.code)
        )
    if not isinstance(text, str):
        return of_failure(text)
    compiled = scanned(text)
    if isinstance(compiled, TooCostly):
        return of_costly_text(compiled)
    sighting = first_sighting(compiled.sightings, {*allowed, Construct.LONG_LINE})  # macros may well make a line long
    return Expanded(text=text, code=compiled.code) if sighting is None else of_forbidden(sighting)


def _bind(task: Task, expanded: Expanded, worker: Worker) -> Built | Problem:
    program, written = ProgramSource(source=expanded.text), task.submission
    outcome = worker.load({SUBMISSION: program}).open(NOTHING)
    if isinstance(outcome, BuildFailed):
        source = Source(text=written.source, written=written.scan.code, compiled=expanded.code)
        return of_build_log(outcome.log, source)
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
