"""Joins the results of a suite's parts, which are graded separately, and separates them again."""

from collections.abc import Sequence

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.suite import Coursework
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason


def joined(coursework: Coursework, results: Sequence[Result]) -> Result:
    """Return one result with the checks of all parts, each under the name of its part. A single result is returned
    unchanged.
    """
    if isinstance(coursework, Assignment):
        (result,) = results
        return result
    first, *_ = results
    checks = tuple(
        _of_part(part.part, check, () if result is first else first.checks)
        for part, result in zip(coursework.parts, results, strict=True)
        for check in result.checks
    )
    return replace(
        first,
        title=coursework.title,
        checks=checks,
        profiles={
            part.part: profile
            for part, result in zip(coursework.parts, results, strict=True)
            for profile in result.profiles.values()
        },
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        seconds=sum(result.seconds for result in results),
        provenance=replace(first.provenance, assignment_sha256=coursework.sha256),
    )


def _of_part(part: str, check: Check, told: tuple[Check, ...]) -> Check:
    """Return the check under the name of the part. A build failure that also occurs in the first part is explained only
    once.
    """
    named = check.of_part(part)
    failed = {(each.reason, each.message) for each in told if each.kind is Kind.BUILD}
    if check.kind is not Kind.BUILD or check.reason is None or (check.reason, check.message) not in failed:
        return named
    return replace(named, reason=Reason.NOT_RUN, message="the file does not build.", detail="")


def separated(coursework: Coursework, result: Result) -> tuple[Result, ...]:
    """Return the result of each part. This undoes `joined`, except for sums and times."""
    if isinstance(coursework, Assignment):
        return (result,)
    return tuple(_own(part.part, result) for part in coursework.parts)


def _own(part: str, result: Result) -> Result:
    checks = tuple(check.of_part("") for check in result.checks if check.part == part)
    profile = result.profiles.get(part)
    return replace(result, checks=checks, profiles={} if profile is None else {"": profile})
