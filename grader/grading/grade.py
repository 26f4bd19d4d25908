"""Grades a submission, phase by phase.

build -> shown cases -> two runs in the simulator -> search for a mistake that no rule explains
-> timed rounds -> hidden cases -> points

The simulator begins while cases still run. If processors are idle, both of its runs overlap, and grader's own kernels
are built from the start. On a GPU with idle processors, the timed rounds and the next part of a suite also begin while
the simulator runs.

Hidden cases come last, for all parts of a suite together, and in a new worker, so everything that may be shown before
the release is complete before they run. They affect only their own points.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial

from grader.course.submissions.submission import Submission, Task, tasks_of
from grader.course.suite import Coursework
from grader.grading.checks.correctness import failed_sizes
from grader.grading.device_lock import SharedCpu, also_shared
from grader.grading.draft import Draft
from grader.grading.explain.problem import NOT_RIGHT
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases import build, decision, hidden_cases, observation, speed
from grader.grading.phases.context import GradingContext, enter_submission, probe_after, thawed
from grader.grading.progress import Progress
from grader.results.result import Result
from grader.results.suite_results import joined

Drafting = Generator[None, None, Draft]
"""A generator that works on a draft. It yields at most once, when it no longer needs the device."""


def grade_coursework(
    coursework: Coursework, submission: Submission, seed: int, environment: GradingEnvironment, progress: Progress
) -> Result:
    """Grade one submission for one assignment, or for each part of a suite."""
    drafts = drafts_of(tasks_of(coursework, submission, seed), environment, progress)
    return joined(coursework, [hidden_cases.finish(draft, environment, progress) for draft in drafts])


def grade_without_hidden_cases(
    coursework: Coursework, submission: Submission, seed: int, environment: GradingEnvironment, progress: Progress
) -> Result:
    """Grade one submission, but leave its hidden cases pending (completion.py)."""
    return grade_tasks(coursework, tasks_of(coursework, submission, seed), environment, progress)


def grade_tasks(
    coursework: Coursework, tasks: Sequence[Task], environment: GradingEnvironment, progress: Progress
) -> Result:
    """Grade the tasks of one submission, but leave its hidden cases pending."""
    drafts = drafts_of(tasks, environment, progress)
    return joined(coursework, list(map(hidden_cases.postpone, drafts)))


def grade_submission(
    task: Task,
    environment: GradingEnvironment,
    progress: Progress,
    prepare: speed.Preparation = speed.prepare_own,
) -> Result:
    """Grade one submission for one assignment, or for one part of a suite.

    Mistakes in the student's code are part of the result. Raises UngradedError for a fault of grader or of the machine.
    """
    (draft,) = drafts_of([task], environment, progress, prepare)
    return hidden_cases.finish(draft, environment, progress)


def drafts_of(
    tasks: Sequence[Task],
    environment: GradingEnvironment,
    progress: Progress,
    prepare: speed.Preparation = speed.prepare_own,
) -> list[Draft]:
    """Return the grading of each task without its hidden cases."""
    cpu = SharedCpu(environment.locks)
    return overlapped(tasks, partial(_draft, environment=environment, progress=progress, cpu=cpu, prepare=prepare))


def _draft(
    task: Task, environment: GradingEnvironment, progress: Progress, cpu: SharedCpu, prepare: speed.Preparation
) -> Drafting:
    with ExitStack() as workers:
        context = enter_submission(task, environment, progress, cpu, workers)
        draft = yield from _test(context, prepare)
    probe_after((*draft.cases, *draft.others), environment, context.device)
    return draft


def _test(context: GradingContext, prepare: speed.Preparation) -> Drafting:
    """Build the submission, run the shown cases, and make the checks that depend on them."""
    with context.cpu, thawed(context.student, context.device):
        with also_shared(context.device, context.environment.locks):
            own = prepare(context) if context.environment.has_plenty else None
            submitted = build.build_submission(context)
            if submitted.built is None:
                return build.without_build(context, submitted)
            if submitted.built.missing:
                return build.without_kernels(context, submitted)
            runs = observation.simulated_runs(context, submitted.built)
            tried = observation.try_shown(context, runs)
            failed = failed_sizes(tried)
            setup = NOT_RIGHT if failed else speed.set_up(context, own or prepare(context), submitted.built)
        is_apart = context.is_apart and observation.are_decided(tried)
        timed = speed.time_submission(context, speed.opened(setup)) if is_apart else None
        if timed and not failed:
            context.leave_the_device()
            yield
        watched = observation.watch_accesses(context, runs, tried)
        setup = setup if timed else speed.opened(setup)
    observed = decision.Observations(build=submitted, runs=runs, tried=tried, watched=watched, setup=setup, timed=timed)
    return decision.decide(context, observed)


@dataclass(frozen=True)
class _Advanced:
    """The work on a draft, the draft if it is complete, and the seconds so far."""

    work: Drafting
    draft: Draft | None
    seconds: float


def overlapped(tasks: Sequence[Task], begin: Callable[[Task], Drafting]) -> list[Draft]:
    """Return a draft for each task. A task begins when all earlier tasks are complete or wait for simulators."""
    with ExitStack() as running:
        works = [running.enter_context(closing(begin(task))) for task in tasks]
        begun = [_advance(work) for work in works]
        return [_completed(each) for each in begun]


def _advance(work: Drafting) -> _Advanced:
    """Continue the work on a draft until it waits or is complete."""
    clock = time.perf_counter()
    try:
        next(work)
    except StopIteration as end:
        return _Advanced(work, end.value, time.perf_counter() - clock)
    return _Advanced(work, None, time.perf_counter() - clock)


def _completed(begun: _Advanced) -> Draft:
    """Complete the draft. Its seconds do not include the work on other parts."""
    if begun.draft is not None:
        return replace(begun.draft, seconds=begun.seconds)
    rest = _advance(begun.work)
    assert rest.draft is not None, "the work on a draft yields once"
    return replace(rest.draft, seconds=begun.seconds + rest.seconds)
