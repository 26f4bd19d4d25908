"""Scores a stored result again after the thresholds of its assignment have changed. No kernel is run.

In results of old versions, a failed hidden case cost all points that only right kernels earn. These results are scored
again as well, since students must not see such losses.
"""

from collections.abc import Iterator

from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.speed_goals import speed_goal
from grader.course.suite import Coursework
from grader.grading.checks.correctness import FORFEITED, are_shown_right, forfeit
from grader.grading.checks.memory import check_memory, uncounted
from grader.grading.checks.requirements import required
from grader.grading.checks.sanitizer import unwatched
from grader.grading.checks.scoring import case_share
from grader.grading.explain.problem import NOT_RIGHT, Problem
from grader.grading.timing.performance import judge, unmeasured
from grader.protocol.messages import DeviceFacts
from grader.results.check import Check, Reason, Verdict
from grader.results.result import Result
from grader.results.suite_results import joined, separated


def up_to_date(result: Result, assignment: Coursework) -> Result:
    """Return the result as this version of the assignment scores it. A result that was scored by this version is
    returned unchanged, unless a hidden case has cost it points of other checks.
    """
    own = result.provenance.assignment_sha256 == assignment.sha256
    return result if own and not any(map(_is_forfeited, result.checks)) else rescore(result, assignment)


def lacks_measurements(result: Result, assignment: Coursework) -> bool:
    """True if a case that is hidden now failed while it was shown, so that memory and speed were not measured. The
    missing measurements would reveal the failure to students.
    """
    parts = zip(separated(assignment, result), assignment.parts, strict=True)
    return any(are_shown_right(part, own.checks) and any(map(_is_unmeasured, own.checks)) for own, part in parts)


def rescore(result: Result, assignment: Coursework) -> Result:
    """Return the result as this version of the assignment scores it, which must ask for the same measurements."""
    parts = zip(separated(assignment, result), assignment.parts, strict=True)
    scored = joined(assignment, [_rescored(own, part) for own, part in parts])
    return replace(scored, seconds=result.seconds)


def _rescored(result: Result, assignment: Assignment) -> Result:
    device = result.provenance.device
    scored = (
        *(_worth(check, 0.0) for check in _of(result, Kind.BUILD)),
        *_correctness(result, assignment),
        *_sanitizer(result, assignment),
        *_memory(result, assignment),
        *(_performance(check, assignment, device) for check in _of(result, Kind.PERFORMANCE)),
    )
    checks = forfeit(assignment, tuple(required(assignment, device, scored)))
    return replace(
        result,
        title=assignment.title,
        checks=checks,
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        provenance=replace(result.provenance, assignment_sha256=assignment.sha256),
    )


def _of(result: Result, kind: Kind) -> tuple[Check, ...]:
    return tuple(check for check in result.checks if check.kind is kind)


def _worth(check: Check, points: float) -> Check:
    """Return a check whose verdict does not depend on thresholds, with its points out of `points`."""
    earned = points if check.verdict is Verdict.PASSED else 0.0
    return replace(check, points=earned, max_points=points)


def _correctness(result: Result, assignment: Assignment) -> Iterator[Check]:
    worth = {Kind.CORRECTNESS: case_share(assignment.correctness), Kind.PRACTICE: 0.0}
    return (_worth(check, worth[check.kind]) for check in result.checks if check.kind in worth)


def _is_unmeasured(check: Check) -> bool:
    return (check.reason, check.message) == (NOT_RIGHT.reason, NOT_RIGHT.message)


def _is_forfeited(check: Check) -> bool:
    return (check.reason, check.message) == (FORFEITED.reason, FORFEITED.message)


def _sanitizer(result: Result, assignment: Assignment) -> Iterator[Check]:
    """Score the sanitizer check again. A clean run gets its points back if only hidden cases failed."""
    if assignment.sanitizer is None:
        return
    shown_right = are_shown_right(assignment, result.checks)
    for check in _of(result, Kind.SANITIZER):
        was_clean = shown_right and _is_forfeited(check)
        fresh = replace(unwatched(assignment.sanitizer), seconds=check.seconds)
        yield fresh if was_clean else _worth(check, assignment.sanitizer.points)


def _memory(result: Result, assignment: Assignment) -> tuple[Check, ...]:
    """Judge the memory checks again by the stored counts. Without counts, they fail again for the stored reason.
    Skipped checks stay skipped.
    """
    stored = _of(result, Kind.MEMORY)
    if assignment.memory is None or not stored:
        return stored
    if stored[0].verdict is Verdict.SKIPPED:
        return tuple(
            replace(stored[0], name=each.name, max_points=each.max_points) for each in uncounted(assignment.memory)
        )
    why = Problem(reason=stored[0].reason or Reason.NOT_RUN, message=stored[0].message, detail=stored[0].detail)
    counted = next(iter(result.profiles.values()), why)
    checks = check_memory(assignment, assignment.memory, counted)
    seconds = sum(check.seconds for check in stored) / len(assignment.memory.checks)
    return tuple(replace(check, seconds=seconds) for check in checks)


def _performance(check: Check, assignment: Assignment, device: DeviceFacts) -> Check:
    goal = speed_goal(assignment, device)
    if check.performance is None or check.reason in {Reason.IMPLAUSIBLE, Reason.DECIDED_ELSEWHERE}:
        return _worth(check, goal.points)
    fresh = replace(unmeasured(assignment, device), seconds=check.seconds, usage=check.usage)
    return judge(fresh, check.performance, goal, device)
