"""Decides a grading: derives the checks from the cases, the simulated runs and the timed rounds."""

import dataclasses
from dataclasses import dataclass

from grader.common.record import replace
from grader.grading.check_kinds import untimed_checks
from grader.grading.checks.causes.compiler_failures import is_undecided, left_open
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.causes.source_slips import slip_of, with_slip
from grader.grading.checks.compilation.building import Build, Built
from grader.grading.checks.correctness import Tried, failed_sizes
from grader.grading.checks.requirements import required
from grader.grading.checks.simulation.simulator_runs import Runs, Watched
from grader.grading.draft import Draft, blamed_on_parameters
from grader.grading.explain.problem import HIDDEN, NOT_RIGHT, Problem
from grader.grading.phases.build import as_open
from grader.grading.phases.cause_search import LocatedChecks, with_cause
from grader.grading.phases.context import GradingContext
from grader.grading.phases.speed import time_submission
from grader.grading.refusal import left_out
from grader.grading.timing.timing_setup import TimingSetup
from grader.results.check import Check


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
    def built(self) -> Built:
        """The program of the submission."""
        return self.runs.subject.built


def decide(context: GradingContext, observed: Observations) -> Draft:
    """Return the draft. Before that, searches for the line of a mistake and times the submission if this has not been
    done.
    """
    asked, watched, built = context.task.assignment, observed.watched, observed.built
    waits = left_open(observed.tried, observed.runs.subject, watched)
    slip = slip_of(built, (watched.seen, watched.at_failed))
    cases = conclude(observed.tried, built, observed.runs.subject.oracle, watched.seen, slip)
    watched = dataclasses.replace(watched, checks=with_slip(watched.checks, slip))
    if waits is None:
        explained, speed = _decided(context, dataclasses.replace(observed, watched=watched), cases)
        cases, watched = explained.cases, dataclasses.replace(watched, checks=explained.watched)
    else:
        speed = tuple(map(NOT_RIGHT.fail, untimed_checks(asked, context.device)))
    if not failed_sizes(observed.tried):
        speed = tuple(replace(check, usage=built.usage) for check in speed)
    draft = Draft(
        task=context.task,
        provenance=context.provenance,
        build=observed.build.check,
        cases=blamed_on_parameters(cases, built),
        others=(*blamed_on_parameters(watched.checks, built), *map(HIDDEN.skip, left_out(asked)), *speed),
        profile=watched.profile,
        built=built,
    )
    return draft if waits is None else as_open(context, draft, waits)


def _decided(
    context: GradingContext, observed: Observations, cases: tuple[Check, ...]
) -> tuple[LocatedChecks, tuple[Check, ...]]:
    """Return the checks with the cause of wrong results, and the performance check. Reports each decided check."""
    asked, watched, wrong = context.task.assignment, observed.watched, observed.built.wrong_parameters
    context.tell([each.check for each in observed.tried if is_undecided(each)], wrong)
    explained = with_cause(context, observed.runs.subject, cases, watched)
    context.tell(required(asked, context.device, explained.watched), wrong)
    speed = observed.timed or time_submission(context, observed.setup)
    told = tuple(required(asked, context.device, (*explained.watched, *speed)))
    context.tell(told[len(explained.watched) :])
    return explained, speed
