"""`grader explain`: explains a submission without points."""

from collections.abc import Iterator

from grader.course.rubric import Kind
from grader.course.submissions.submission import Submission, tasks_of
from grader.course.suite import Coursework
from grader.grading.draft import Draft
from grader.grading.grade import drafts_of
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.speed import prepare_none
from grader.grading.progress import Progress
from grader.results.check import Check
from grader.results.explanation import Explained


def explain_coursework(
    coursework: Coursework, submission: Submission, seed: int, environment: GradingEnvironment, progress: Progress
) -> Explained:
    """Explain the mistakes in a submission, as far as students may see them. Does not time kernels or run
    hidden cases.
    """
    drafts = drafts_of(tasks_of(coursework, submission, seed), environment, progress, prepare_none)
    return Explained(
        title=coursework.title,
        checks=tuple(check for draft in drafts for check in _explaining(draft)),
        source=submission.source,
    )


def _explaining(draft: Draft) -> Iterator[Check]:
    """Yield the build check, the checks of shown cases, and the sanitizer check unless it is hidden."""
    asked = draft.task.assignment
    is_seen = asked.sanitizer is not None and not asked.sanitizer.hidden
    seen = (check for check in draft.others if is_seen and check.kind is Kind.SANITIZER)
    yield from (check.of_part(asked.part) for check in (draft.build, *draft.cases, *seen))
