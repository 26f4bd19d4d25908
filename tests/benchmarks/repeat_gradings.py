"""Grade each model solution N times, and print how often it passed and how much its measured speed varied.

    python tests/benchmarks/repeat_gradings.py N [ASSIGNMENT ...]

`fraction` is the median speed over all gradings, relative to the model solution (it should be 1). `spread` is the
distance from the 5th to the 95th percentile of these speeds. `ungraded` counts the gradings for which the machine was
too noisy.
"""

import statistics
import sys

from grader.authoring.selftest import in_full
from grader.common.errors import UngradedError
from grader.course.assignment import Assignment
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings


def main() -> None:
    """Print one row for each assignment or part."""
    count = int(sys.argv[1])
    settings = load_settings({})
    print(f"{'':<14}{'passed':>8}{'failed':>8}{'ungraded':>10}{'fraction':>10}{'spread':>8}{'seconds':>9}")
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        for name in sys.argv[2:] or settings.places.names():
            for assignment in settings.places.load(name).parts:
                _print_row(assignment, environment, count)


def _print_row(assignment: Assignment, environment: GradingEnvironment, count: int) -> None:
    submission = read_submission(assignment.reference)
    fractions, seconds, passed, ungraded = [], [], 0, 0
    for _ in range(count):
        try:
            task = Task(assignment=assignment, submission=submission, seed=fresh_seed())
            result = in_full(grade_submission(task, environment, lambda _: None))
        except UngradedError as error:
            print(f"{assignment.name}: {error}", file=sys.stderr)
            ungraded += 1
            continue
        passed += result.passed
        seconds.append(result.seconds)
        performance = result.checks[-1].performance
        if performance is not None and performance.fraction_of_reference is not None:
            fractions.append(performance.fraction_of_reference.median)
    cuts = statistics.quantiles(fractions, n=20) if len(fractions) > 1 else [0.0]
    failed = count - passed - ungraded
    print(
        f"{assignment.kernel:<14}{passed:8d}{failed:8d}{ungraded:10d}{statistics.median(fractions):10.3f}"
        f"{cuts[-1] - cuts[0]:8.3f}{statistics.median(seconds):9.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
