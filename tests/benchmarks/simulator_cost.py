"""Measure how many seconds the checks in the simulator add to a grading of each assignment's model solution.

    python tests/benchmarks/simulator_cost.py [--rounds N] [ASSIGNMENT ...]

`with` and `without` are the median durations of whole gradings with and without the two checks, which are graded
alternately. `added` is their difference, which includes the start of the simulator. `sanitizer` and `memory` are the
durations of the checks themselves. The goal is that `added` is less than 6 s on two otherwise idle cores.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterable

from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings
from grader.results.check import Check
from grader.results.result import Result
from grader.results.verdicts import Verdict

ROUNDS = 5
GOAL = 6.0


def main() -> None:
    """Grade each assignment in both ways, and print one row for each."""
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", metavar="ASSIGNMENT")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    given = options.parse_args()
    settings = load_settings({})
    print(f"{'seconds':<14}" + "".join(f"{name:>11}" for name in ("without", "with", "added", "sanitizer", "memory")))
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        names = given.names or settings.places.names()
        for assignment in (part for name in names for part in settings.places.load(name).parts):
            bare = assignment.model_copy(update={"sanitizer": None, "memory": None})
            pairs = [(_graded(bare, environment), _graded(assignment, environment)) for _ in range(given.rounds)]
            without, watched = (statistics.median(seconds for seconds, _ in each) for each in zip(*pairs, strict=True))
            checks = [check for _, (_, result) in pairs for check in result.checks]
            spent = (_seconds(checks, kind) / given.rounds for kind in (Kind.SANITIZER, Kind.MEMORY))
            row = (without, watched, watched - without, *spent)
            late = "" if watched - without < GOAL else f"   more than {GOAL:g} s"
            print(f"{assignment.kernel:<14}" + "".join(f"{value:11.2f}" for value in row) + late)


def _graded(assignment: Assignment, environment: GradingEnvironment) -> tuple[float, Result]:
    task = Task(assignment=assignment, submission=read_submission(assignment.reference), seed=fresh_seed())
    begin = time.perf_counter()
    result = grade_submission(task, environment, lambda _: None)
    seconds = time.perf_counter() - begin
    skipped = [check.message for check in result.checks if check.verdict is Verdict.SKIPPED]
    if skipped:
        sys.exit(skipped[0])
    return seconds, result


def _seconds(checks: Iterable[Check], kind: Kind) -> float:
    """Return the total seconds of the checks of this kind."""
    return sum(check.seconds for check in checks if check.kind is kind)


if __name__ == "__main__":
    main()
