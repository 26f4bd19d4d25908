"""Grades only the shown checks of a submission, for a dry run."""

import dataclasses

from grader.common.record import replace
from grader.course.submissions.submission import Submission, tasks_of
from grader.course.suite import Coursework
from grader.grading.explain.problem import UNMADE
from grader.grading.grade import grade_tasks
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Reason
from grader.results.withholding import hidden_kinds, withheld


def grade_shown_checks(
    coursework: Coursework, submission: Submission, seed: int, environment: GradingEnvironment, progress: Progress
) -> Result:
    """Grade one submission without its hidden checks. None of them runs, so neither the result nor its time depends on
    them.
    """
    tasks = [
        dataclasses.replace(task, unmade=hidden_kinds(task.assignment))
        for task in tasks_of(coursework, submission, seed)
    ]
    shown = withheld(grade_tasks(coursework, tasks, environment, progress), coursework)
    return replace(shown, checks=tuple(map(_unmade, shown.checks)))


def _unmade(check: Check) -> Check:
    return UNMADE.skip(check) if check.reason is Reason.HIDDEN else check
