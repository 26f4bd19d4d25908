"""Scores a stored result again after the thresholds of its assignment have changed, without running a kernel.

In results of old versions, a failed hidden case cost all points that only right kernels earn. These results are also
scored again, since students must not see such losses.
"""

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.suite import Coursework
from grader.grading.check_kinds import rescored_checks
from grader.grading.checks.requirements import are_shown_right, forfeit, is_forfeited, required
from grader.grading.explain.problem import NOT_RIGHT
from grader.results.result import Result
from grader.results.suite_results import joined, separated


def up_to_date(result: Result, assignment: Coursework) -> Result:
    """Return the result as this version of the assignment scores it. A result that was scored by this version is
    returned unchanged, unless a hidden case has cost it the points of other checks.
    """
    own = result.provenance.assignment_sha256 == assignment.sha256
    return result if own and not any(map(is_forfeited, result.checks)) else rescore(result, assignment)


def lacks_measurements(result: Result, assignment: Coursework) -> bool:
    """True if a case that is hidden now failed when it was still shown, so that memory and speed were not measured. The
    missing measurements would reveal the failure to students.
    """
    parts = zip(separated(assignment, result), assignment.parts, strict=True)
    unmeasured = NOT_RIGHT.reason, NOT_RIGHT.message
    return any(
        are_shown_right(part, own.checks) and any((each.reason, each.message) == unmeasured for each in own.checks)
        for own, part in parts
    )


def rescore(result: Result, assignment: Coursework) -> Result:
    """Return the result as this version of the assignment scores it. The assignment must ask for the same measurements
    as before.
    """
    parts = zip(separated(assignment, result), assignment.parts, strict=True)
    scored = joined(assignment, [_rescored(own, part) for own, part in parts])
    return replace(scored, seconds=result.seconds)


def _rescored(result: Result, assignment: Assignment) -> Result:
    device = result.provenance.device
    build = tuple(check for check in result.checks if check.kind is Kind.BUILD)
    scored = (*build, *rescored_checks(result, assignment))
    checks = forfeit(assignment, tuple(required(assignment, device, scored)))
    return replace(
        result,
        title=assignment.title,
        checks=checks,
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        provenance=replace(result.provenance, assignment_sha256=assignment.sha256),
    )
