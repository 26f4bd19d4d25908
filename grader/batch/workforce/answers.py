"""Checks the answer of a cluster's worker. It must be a result of the job, and its points must add up.

A station measures and scores, so its points can only be compared with the points that can be earned. The answer must
refer to the file, the inputs and the assignment of the job.
"""

import math
from collections.abc import Iterator
from itertools import groupby

from pydantic import TypeAdapter, ValidationError

from grader.batch.station import NAME, GradingJob, one_of_several_alike
from grader.common.errors import InputError, WorkerError
from grader.common.phrases import count
from grader.course.submissions.submission import parse_submission
from grader.results.result import Result, Ungraded

MAX_ANSWER_LENGTH = 64 * 1024 * 1024
"""Maximum number of characters of an answer. A result with all its samples and findings has about 50,000, and its
source has 1,000,000 at most.
"""

OUTCOME: TypeAdapter[Result | Ungraded] = TypeAdapter(Result | Ungraded)


def read_answer(text: object, job: GradingJob) -> Result | Ungraded:
    """Return the outcome in an answer. Raises WorkerError if the text is not an outcome of this job."""
    if not isinstance(text, str) or len(text) > MAX_ANSWER_LENGTH:
        raise WorkerError("a worker's answer is refused: it is not a result.")
    try:
        outcome = OUTCOME.validate_json(text)
    except ValidationError as error:
        faults = count(error.error_count(), "error")
        raise WorkerError(f"a worker's answer is refused: its format has {faults}.") from error
    if isinstance(outcome, Result):
        for fault in _faults(outcome, job):
            raise WorkerError(f"a worker's answer is refused: {fault}.")
    return outcome


def _faults(result: Result, job: GradingJob) -> Iterator[str]:
    said, theirs = result.provenance, job.facilities
    if (result.assignment, said.assignment_sha256) != (job.bundle.name, job.assignment_sha256):
        yield "it is about another assignment"
    if (said.submission_sha256, result.source) != (job.sha256, _source(job)):
        yield "it is about another file"
    if tuple(part for part, _ in groupby(check.part for check in result.checks)) != job.parts:
        yield "its checks do not follow the parts of the assignment"
    if not set(result.profiles) <= set(job.parts):
        yield "it counts memory accesses of parts that do not exist"
    if said.seed != job.seed:
        yield "it was graded with other inputs"
    if (said.grader, one_of_several_alike(said.device)) != (theirs.grader, theirs.device):
        yield "it comes from another grader or device than the batch's"
    if not all(0 <= check.points <= check.max_points < math.inf for check in result.checks):
        yield "a check has more points than it is worth"
    earned, most = sum(check.points for check in result.checks), sum(check.max_points for check in result.checks)
    if result.correction or result.deduction or not (_same(result.points, earned) and _same(result.max_points, most)):
        yield "its points differ from the sum of its checks"
    if not _same(result.max_points, job.max_points):
        yield f"its maximum is {result.max_points:g} points, but {job.max_points:g} can be earned"


def _source(job: GradingJob) -> str:
    """Return the source that the result must contain. It is empty if the submission is not source text."""
    try:
        return parse_submission(NAME, job.data).source
    except InputError:
        return ""


def _same(one: float, other: float) -> bool:
    """True if two sums are equal, apart from rounding that depends on the order of addition."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
