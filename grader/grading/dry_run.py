"""Grades a submission by its shown checks alone, for a dry run."""

from grader.common.record import replace
from grader.course.submissions.submission import Submission
from grader.course.submissions.task import tasks_of
from grader.course.suite import Coursework
from grader.grading.explain.problem import UNMADE
from grader.grading.grade import drafts_of
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases import hidden_cases
from grader.grading.progress import Progress
from grader.results.check import Check, Reason
from grader.results.result import Result
from grader.results.suite_results import joined
from grader.results.withholding import hidden_kinds, withheld


def grade_shown_checks(
    coursework: Coursework, submission: Submission, seed: int, environment: GradingEnvironment, progress: Progress
) -> Result:
    """Grade one submission without its hidden checks: none of them runs, so neither the result nor its time depends on
    them.
    """
    tasks = [replace(task, unmade=hidden_kinds(task.assignment)) for task in tasks_of(coursework, submission, seed)]
    drafts = drafts_of(tasks, environment, progress)
    postponed = joined(coursework, list(map(hidden_cases.postpone, drafts)))
    shown = withheld(postponed, coursework)
    return replace(shown, checks=tuple(map(_unmade, shown.checks)))


def _unmade(check: Check) -> Check:
    return UNMADE.skip(check) if check.reason is Reason.HIDDEN else check
