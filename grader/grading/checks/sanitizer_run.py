"""Runs in the simulator that are watched for wrong accesses and races, and their findings."""

from dataclasses import dataclass

from grader.course.criteria import Sizes
from grader.course.rubric import Sanitizer
from grader.grading.checks.simulated_run import Simulated, SimulatedRun, Subject, run_at
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.findings import findings
from grader.results.check import Finding

NUMBER = 0
"""Number of the simulated run, which determines its inputs."""

LARGER = 16
"""Largest failed case that is simulated as well, as a multiple of the size that the check asks for. Sizes are compared
by their products. A larger case takes minutes, and the simulator takes its loops of millions of iterations for endless.
"""

Failed = tuple[Sizes, ...]
"""Sizes of the cases that failed, the smallest first; empty if all are right."""


@dataclass(frozen=True, kw_only=True)
class Endless:
    """Case that does not end in the simulator, with all findings of its run."""

    sizes: Sizes
    findings: tuple[Finding, ...]

    @property
    def problem(self) -> Problem:
        """Problem of the endless loop, which is the first of the findings."""
        return problem_of(self.findings)


def sanitizer_run(subject: Subject, asked: Sanitizer) -> SimulatedRun:
    """Return the run that the check rests on."""
    return run_at(subject, asked.sizes, NUMBER)


def findings_of(seen: Simulated) -> tuple[Finding, ...]:
    """Return all findings in the launches of a simulated run, each once."""
    launches = enumerate(zip(seen.kernels, seen.scenes, strict=True))
    found = (each for n, (kernel, scene) in launches for each in findings(kernel, scene, seen.kernels[:n]))
    return tuple({each.message: each for each in found}.values())  # a repeated kernel has the same finding each time


def problem_of(found: tuple[Finding, ...]) -> Problem:
    """Return the problem of the first finding."""
    return Problem(reason=found[0].reason, message=found[0].message, help=found[0].help)
