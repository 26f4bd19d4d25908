"""Makes the checks that are based on simulated runs."""

from dataclasses import replace

from grader.course.truth.oracle import load_oracle
from grader.grading.check_kinds import checks_of, observers
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import Tried, failed_sizes, first_endless
from grader.grading.checks.simulation.sanitizer_run import Endless, Failed
from grader.grading.checks.simulation.simulated_run import Subject
from grader.grading.checks.simulation.simulator_runs import Runs, Tested, Watched, absence
from grader.grading.checks.simulation.unsimulated import with_open_checks
from grader.grading.explain.problem import UNMADE, Problem
from grader.grading.phases.context import GradingContext
from grader.grading.rules import WatchingRules
from grader.protocol.messages import DeviceFacts
from grader.results.verdicts import Reason


def watch_accesses(context: GradingContext, runs: Runs, tried: tuple[Tried, ...]) -> Watched:
    """Report the phase, and return the checks that are based on simulated runs."""
    context.begin("watching every access in the simulator")
    context.environment.workers.note_idle_device()
    return watch(runs, context.device, context.environment.watching, failed_sizes(tried), first_endless(tried))


def simulated_runs(context: GradingContext, built: Built) -> Runs:
    """Return the simulated runs, which begin when they are needed."""
    oracle = load_oracle(context.task.assignment)
    subject = Subject(task=context.task, oracle=oracle, worker=context.simulator, built=built)
    return Runs(subject=subject, counter=context.counter, ours=context.model_simulator)


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
    return with_open_checks(watched, runs)
