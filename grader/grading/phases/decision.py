"""Decides a grading: derives the checks from the cases, the simulated runs and the timed rounds."""

import dataclasses
from dataclasses import dataclass

from grader.common.record import replace
from grader.grading.check_kinds import left_out, untimed_checks
from grader.grading.checks.causes.compiler_failures import left_open
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.causes.source_slips import slip_of, with_slip
from grader.grading.checks.compilation.building import Build, Built
from grader.grading.checks.correctness import Tried, failed_sizes
from grader.grading.checks.requirements import required
from grader.grading.checks.simulation.simulator_runs import Runs, Watched
from grader.grading.draft import Draft, blamed_on_parameters
from grader.grading.explain.problem import HIDDEN, NOT_RIGHT, Problem
from grader.grading.phases.build import as_open
from grader.grading.phases.cause_search import ExplainedChecks, with_cause
from grader.grading.phases.context import GradingContext
from grader.grading.phases.speed import time_submission
from grader.grading.timing.timing_setup import TimingSetup
from grader.results.check import Check
from grader.results.verdicts import Verdict


@dataclass(frozen=True, kw_only=True)
class Observations:
    """The observations of a submission that was built. `timed` contains the performance check if the timed rounds are
    over. Otherwise `setup` is ready for them, or is the reason why nothing is timed.
    """

    build: Build
    runs: Runs
    tried: tuple[Tried, ...]
    watched: Watched
    setup: TimingSetup | Problem
    timed: tuple[Check, ...] | None

    @property
    def have_failures(self) -> bool:
        """True if a case or a check of a simulated run has failed."""
        checks = (*(each.check for each in self.tried), *self.watched.checks)
        return any(check.verdict is Verdict.FAILED for check in checks)

    @property
    def built(self) -> Built:
        """The program of the submission."""
        return self.runs.subject.built


def decide(context: GradingContext, observed: Observations) -> Draft:
    """Return the draft. Before that, explains the checks that have failed, and times the submission if this has not
    been done.
    """
    asked, built, waits = context.task.assignment, observed.built, None
    decided = ExplainedChecks(cases=tuple(each.check for each in observed.tried), watched=observed.watched)
    if observed.have_failures:
        waits = left_open(observed.tried, observed.runs.subject, observed.watched)
        decided = _explained(observed)
        if waits is None:
            context.tell([each.check for each in observed.tried if each.is_undecided], built.wrong_parameters)
            decided = with_cause(context, observed.runs.subject, decided)
    if waits is None:
        speed = _speed(context, observed, decided.watched.checks)
    else:
        speed = tuple(map(NOT_RIGHT.fail, untimed_checks(asked, context.device)))
    if not failed_sizes(observed.tried):
        speed = tuple(replace(check, usage=built.usage) for check in speed)
    draft = Draft(
        task=context.task,
        provenance=context.provenance,
        build=observed.build.check,
        cases=blamed_on_parameters(decided.cases, built),
        others=(*blamed_on_parameters(decided.watched.checks, built), *map(HIDDEN.skip, left_out(asked)), *speed),
        profile=observed.watched.profile,
        built=built,
    )
    return draft if waits is None else as_open(context, draft, waits)


def _explained(observed: Observations) -> ExplainedChecks:
    """Return the checks with the explanations that follow from the source, the results and the simulated runs."""
    built, watched = observed.built, observed.watched
    slip = slip_of(built, (watched.seen, watched.at_failed))
    cases = conclude(observed.tried, built, observed.runs.subject.oracle, watched.seen, slip)
    return ExplainedChecks(cases=cases, watched=dataclasses.replace(watched, checks=with_slip(watched.checks, slip)))


def _speed(context: GradingContext, observed: Observations, watched: tuple[Check, ...]) -> tuple[Check, ...]:
    """Return the performance check. Reports it and the checks that are based on simulated runs."""
    asked = context.task.assignment
    context.tell(required(asked, context.device, watched), observed.built.wrong_parameters)
    speed = observed.timed or time_submission(context, observed.setup)
    context.tell(tuple(required(asked, context.device, (*watched, *speed)))[len(watched) :])
    return speed
