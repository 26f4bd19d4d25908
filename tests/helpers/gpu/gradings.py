"""Grading without progress messages."""

from grader.authoring.selftest import in_full
from grader.common.errors import NoiseError
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.grading.grade import grade_submission
from grader.grading.phases.speed import prepare_own

ATTEMPTS = 3


def grade(assignment, path, environment, seed=None, prepare=prepare_own):
    """Return the result with its speed, if `prepare` prepares timed rounds. If the machine is too noisy, grade again,
    as an instructor would.
    """
    task = Task(
        assignment=assignment,
        submission=read_submission(path),
        seed=fresh_seed() if seed is None else seed,
    )
    for attempt in range(ATTEMPTS):
        try:
            return in_full(grade_submission(task, environment, lambda _: None, prepare))
        except NoiseError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")
