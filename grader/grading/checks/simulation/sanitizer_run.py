"""Simulated runs that are watched for wrong accesses and races, and their findings."""

from collections.abc import Iterator
from dataclasses import dataclass

from grader.course.criteria import Case, Sizes
from grader.course.rubric import Sanitizer
from grader.grading.checks.simulation.simulated_run import (
    SIMULATION_KEY,
    Simulated,
    SimulatedRun,
    Subject,
    run_at,
    run_on_trial,
    seen_in,
)
from grader.grading.checks.trials.case_trial import case_trial
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.findings import findings
from grader.results.findings import Finding

NUMBER = 0
"""Number of this simulated run, from which its inputs are derived."""

LARGER = 16
"""Maximum size of a failed case that is also simulated, as a multiple of the size of the sanitizer check. Sizes are
compared by their products. A larger case would take minutes, and the simulator would mistake its loops of millions of
iterations for endless ones.
"""

Failed = tuple[Sizes, ...]
"""Sizes of the failed cases, the smallest first; empty if all are right."""


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A case that does not end in the simulator, with all findings of its run."""

    sizes: Sizes
    findings: tuple[Finding, ...]

    @property
    def problem(self) -> Problem:
        """The problem of the endless loop, which is the first finding."""
        return problem_of(self.findings)


def sanitizer_run(subject: Subject, asked: Sanitizer) -> SimulatedRun:
    """Return the run on which the check is based."""
    return run_at(subject, asked.sizes, NUMBER)


def runs_alone(subject: Subject, asked: Sanitizer) -> Iterator[tuple[Case, Simulated | Problem]]:
    """Yield the runs in which a kernel runs alone. Each begins when the caller requests it."""
    for case in asked.alone_cases:
        key = (subject.task.seed, SIMULATION_KEY, NUMBER)
        trial = case_trial(subject.built.task.assignment, subject.oracle, case, key)
        yield case, seen_in(run_on_trial(subject, trial))


def findings_of(seen: Simulated) -> tuple[Finding, ...]:
    """Return all findings in the launches of a simulated run, each once."""
    launches = enumerate(zip(seen.kernels, seen.scenes, strict=True))
    found = (each for n, (kernel, scene) in launches for each in findings(kernel, scene, seen.kernels[:n]))
    return tuple({each.message: each for each in found}.values())  # repetitions have equal findings


def problem_of(found: tuple[Finding, ...]) -> Problem:
    """Return the problem of the first finding."""
    return Problem(reason=found[0].reason, message=found[0].message, help=found[0].help)
