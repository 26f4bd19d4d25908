"""Observes a submission that was built: runs the shown cases, and makes the checks that are based on simulated runs.
The simulator begins while the cases run.
"""

from collections.abc import Sequence
from dataclasses import replace

from grader.course.truth.oracle import load_oracle
from grader.grading.check_kinds import checks_of, observers
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import Tried, failed_sizes, first_endless, try_cases
from grader.grading.checks.simulation.hanging import Lookout
from grader.grading.checks.simulation.sanitizer_run import Endless, Failed
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Runs, Tested, Watched, absence
from grader.grading.checks.simulation.unsimulated import with_open_checks
from grader.grading.explain.problem import UNMADE, Problem
from grader.grading.phases.context import GradingContext
from grader.grading.rules import WatchingRules
from grader.protocol.messages import DeviceFacts
from grader.results.verdicts import Reason


def simulated_runs(context: GradingContext, built: Built) -> Runs:
    """Return the simulated runs, which begin when they are needed."""
    oracle = load_oracle(context.task.assignment)
    subject = Subject(task=context.task, oracle=oracle, worker=context.simulator, built=built)
    return Runs(subject=subject, counter=context.counter, ours=context.model_simulator)


def try_shown(context: GradingContext, runs: Runs) -> tuple[Tried, ...]:
    """Run the shown cases, and report each one when it is decided. The run of the sanitizer begins after the first
    case. The run that counts memory accesses begins when all cases are right or, if processors are idle, when the first
    case is right.
    """
    context.begin("running the cases")
    if context.is_apart:
        context.environment.workers.note_idle_device()
    tried: list[Tried] = []
    cases, subject = context.task.assignment.correctness.shown, runs.subject
    promising = 1 if context.environment.has_plenty else len(cases)
    for each in try_cases(cases, subject.built, subject.oracle, context.student, Lookout(subject=subject)):
        if not each.is_undecided:
            context.tell([each.check], subject.built.wrong_parameters)
        if not tried and each.check.reason is not Reason.TIME_LIMIT:
            runs.begin_sanitizer()
        tried.append(each)
        if len(tried) == promising and not failed_sizes(tried):
            runs.begin_memory()
    return tuple(tried)


def are_decided(tried: Sequence[Tried]) -> bool:
    """True if the compiler did not fail on any of the cases."""
    return not any(each.is_undecided for each in tried)


def watch_accesses(context: GradingContext, runs: Runs, tried: tuple[Tried, ...]) -> Watched:
    """Report the phase, and return the checks that are based on simulated runs."""
    context.begin("watching every access in the simulator")
    context.environment.workers.note_idle_device()
    return watch(runs, context.device, context.environment.watching, failed_sizes(tried), first_endless(tried))


def watch(
    runs: Runs, device: DeviceFacts, rules: WatchingRules, failed: Failed = (), endless: Endless | None = None
) -> Watched:
    """Make the checks that follow the cases. `endless` is a case that does not end in the simulator, if there is one.
    If there is no simulator, the checks that need one are skipped. Raises NoSimulatorError in this case if the rules
    require a simulator.
    """
    assignment, unmade = runs.subject.task.assignment, runs.subject.task.unmade
    absent = absence(runs.subject.worker, rules) if assignment.is_watched else None
    tested = Tested(runs=runs, simulation=rules.simulation, failed=failed, endless=endless)
    watched = Watched(checks=())
    for section, observe in observers(assignment):
        if not unmade.isdisjoint(section.kinds):
            watched = replace(watched, checks=(*watched.checks, *map(UNMADE.skip, checks_of(section, device))))
        elif section.needs_simulator and absent is not None:
            missing = Problem(reason=Reason.NO_SIMULATOR, message=str(absent))
            watched = replace(watched, checks=(*watched.checks, *map(missing.skip, checks_of(section, device))))
        else:
            watched = observe(tested, watched)
    return watched if watched.unsupported is None else with_open_checks(watched, watched.unsupported, runs)
