"""Results of submissions that are not run, and the checks that a failed build makes impossible."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from grader.common.errors import GraderError
from grader.course.assignment import Assignment
from grader.course.submissions.submission import Submission, Task, tasks_of
from grader.course.suite import Coursework
from grader.grading.check_kinds import left_out, unobserved_checks, untimed_checks
from grader.grading.checks.compilation.building import build_check
from grader.grading.checks.correctness import unrun_cases
from grader.grading.device_lock import shared_cpu
from grader.grading.draft import result_of
from grader.grading.explain.problem import HIDDEN, Problem
from grader.grading.grading_environment import GradingEnvironment
from grader.protocol.messages import DeviceFacts
from grader.protocol.text import showable
from grader.results.check import Check
from grader.results.result import Result, Ungraded
from grader.results.suite_results import joined
from grader.results.verdicts import Reason

BUILD_FAILED = Problem(reason=Reason.NOT_RUN, message="skipped: fix the build first.")
LACKS_KERNELS = Problem(reason=Reason.NOT_RUN, message="skipped: write the missing kernels first.")


def refuse_coursework(
    coursework: Coursework, submission: Submission, seed: int, why: str, environment: GradingEnvironment
) -> Result:
    """Return the result of a file that is not source text. All checks fail, and the file is not run."""
    tasks = tasks_of(coursework, submission, seed)
    return joined(coursework, [_refuse(task, why, environment) for task in tasks])


def _refuse(task: Task, why: str, environment: GradingEnvironment) -> Result:
    started, clock = datetime.now(UTC), time.perf_counter()
    with shared_cpu(environment.locks), environment.worker() as worker:
        device = worker.ready()
        build = Problem(reason=Reason.BUILD_ERROR, message=why).fail(build_check(0.0))
        cases = unrun_cases(task.assignment, task.assignment.correctness.cases)
        checks = (build, *map(BUILD_FAILED.fail, cases), *unreached(task.assignment, device))
    seconds = time.perf_counter() - clock
    return result_of(task, checks, None, seconds, environment.provenance(task, device, started))


def unreached(assignment: Assignment, device: DeviceFacts) -> Iterator[Check]:
    """Yield the checks, except the cases, that a failed build makes impossible."""
    yield from map(BUILD_FAILED.fail, unobserved_checks(assignment, device))
    yield from map(BUILD_FAILED.fail, left_out(assignment))
    yield from map(BUILD_FAILED.fail, untimed_checks(assignment, device))


def unreached_without_kernels(assignment: Assignment, device: DeviceFacts) -> Iterator[Check]:
    """Yield the checks that cannot be made because kernels are missing, except the cases. The cases that a student kit
    omits are left to the course's machine, since they may need only kernels that the file has.
    """
    yield from map(LACKS_KERNELS.fail, unobserved_checks(assignment, device))
    yield from map(HIDDEN.skip, left_out(assignment))
    yield from map(LACKS_KERNELS.fail, untimed_checks(assignment, device))


def ungraded(assignment: str, submission: Path, error: Exception) -> Ungraded:
    """Return the record of a grading that was ended by an error."""
    told = str(error) if isinstance(error, GraderError) else f"a fault in grader itself: {error!r}"
    return Ungraded(assignment=assignment, submission=showable(str(submission)), fault=showable(told))
