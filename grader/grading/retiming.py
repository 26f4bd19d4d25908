"""Repeats the measurement of speeds that a noisy machine has left open.

Cases and simulated runs are not repeated, so a second attempt does not change other checks.
"""

import dataclasses

from grader.common.record import replace
from grader.course.rubric import Correctness, Section, SpeedGoals
from grader.course.submissions.submission import Submission, Task, fresh_seed, tasks_of
from grader.course.suite import Coursework
from grader.grading.checks.requirements import forfeit, required
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress
from grader.results.result import Result
from grader.results.suite_results import joined, separated
from grader.results.verdicts import UNTIMED


def time_again(
    coursework: Coursework, submission: Submission, result: Result, environment: GradingEnvironment, progress: Progress
) -> Result:
    """Return the result with the speeds that were not measured before.

    The inputs are new because the submission has already seen the earlier ones.
    """
    own = zip(tasks_of(coursework, submission, fresh_seed()), separated(coursework, result), strict=True)
    timed = joined(coursework, [_timed(task, part, environment, progress) for task, part in own])
    return replace(timed, seconds=result.seconds)


def _only_speed(section: Section) -> Section | None:
    """Keep only the section of speed. The section of correctness cannot be left out, so it is kept without cases."""
    if isinstance(section, Correctness):
        return replace(section, cases=())
    return section if isinstance(section, SpeedGoals) else None


def _timed(task: Task, result: Result, environment: GradingEnvironment, progress: Progress) -> Result:
    """The result of a part. Only its speed is graded again, and only if the speed is not known."""
    before = result.performance_check
    if before is None or before.reason not in UNTIMED:
        return result
    asked = task.assignment.with_sections(_only_speed)
    speed = grade_submission(dataclasses.replace(task, assignment=asked), environment, progress).performance_check
    assert speed is not None, "the assignment still has a performance check"
    others = (check for check in result.checks if check is not before)
    scored = forfeit(task.assignment, (*others, replace(speed, usage=before.usage)))
    checks = tuple(required(task.assignment, result.provenance.device, scored))
    return replace(result, checks=checks, points=sum(check.points for check in checks))
