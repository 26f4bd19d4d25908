"""Drafts of gradings, which lack hidden cases, and the results that are made from them."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.course.submissions.submission import Task
from grader.grading.checks.causes.compiler_failures import LeftOpen
from grader.grading.checks.compilation.building import Built
from grader.grading.explain.problem import blamed
from grader.protocol.text import showable
from grader.results.check import Check
from grader.results.metrics import Profile
from grader.results.result import Provenance, Result


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A grading before its hidden cases, with the checks of the shown cases and all other checks. `built` is the
    program for the hidden cases; it is None if the build failed. `left_open` is set if points stay open because the
    compiler of the device failed.
    """

    task: Task
    provenance: Provenance
    build: Check
    cases: tuple[Check, ...]
    others: tuple[Check, ...]
    profile: Profile | None = None
    built: Built | None = None
    left_open: LeftOpen | None = None
    seconds: float = 0.0


def blamed_on_parameters(checks: Iterable[Check], built: Built) -> tuple[Check, ...]:
    """Return the checks. If the kernel's parameters are wrong, the messages of failed checks begin with that."""
    return tuple(blamed(check, built.wrong_parameters) for check in checks)


def result_of(
    task: Task, checks: tuple[Check, ...], profile: Profile | None, seconds: float, provenance: Provenance
) -> Result:
    """Return the result of one assignment, or of one part of a suite."""
    return Result(
        assignment=task.assignment.name,
        title=task.assignment.title,
        submission=showable(str(task.submission.path)),
        source=showable(task.submission.source),
        checks=checks,
        profiles={} if profile is None else {"": profile},
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        seconds=seconds,
        provenance=provenance,
    )
