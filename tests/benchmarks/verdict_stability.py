"""Prints whether verdicts about speed hold: gradings of submissions that are slowed to speeds around a threshold.

    python tests/benchmarks/verdict_stability.py ASSIGNMENT GRADINGS [SPEED ...]

SPEED is a multiple of the speed that full points ask for, such as 0.9; without any, a plain submission is graded as it
is. In a slowed one, some of the work-groups do their work again; how many is read off a curve that is measured first.
Each grading is the whole performance check, by workers that were never used; several are made side by side, and wait
for each other where the device must be theirs alone.

`deserved` is the median of all fractions of a speed: of the verdicts, those are `flipped` that this fraction does not
deserve. `undecided` are those whose own interval holds the threshold. `spread` is the distance of the 5th from the 95th
percentile of the fractions.
"""

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from grader.common.errors import SolutionError
from grader.course.assignment import Assignment
from grader.course.submissions.submission import parse_submission
from grader.course.submissions.task import Task
from grader.course.truth.inputs import fresh_seed
from grader.grading.checks.building import build
from grader.grading.explain.problem import Problem
from grader.grading.grade import _speed
from grader.grading.settings import load_settings
from grader.grading.timing.intervals import is_decided
from grader.grading.timing.lineup import enter, line_up
from grader.results.metrics import Interval, Performance
from grader.results.result import Check, Verdict

PARTS, POINTS = 1000, 8
"""SLOW of so many work-groups do their work again; and at how many values of it the speed is measured first."""

SLOWED = {
    "coalsTransp": """
__kernel void coalsTransp(__global real *A, __global real *B, uint height, uint width) {
    __local real tile[TILE][TILE + 1];
    const uint lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;
    const uint number = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const uint times = (number * 2654435761u >> 12) % 1000 < SLOW ? 9 : 1;
    for (uint time = 0; time < times; time++) {
        if (y + ly < height && x + lx < width) tile[ly][lx] = A[(y + ly) * width + x + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x + ly < width && y + lx < height) B[(x + ly) * height + y + lx] = tile[lx][ly];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
""",
    "blockMMM": """
__kernel void blockMMM(__global real *A, __global real *B, __global real *C,
                       uint heightA, uint widthB, uint widthA) {
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    const uint number = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const uint times = (number * 2654435761u >> 12) % 1000 < SLOW ? 2 : 1;
    for (uint time = 0; time < times; time++) {
        real sum = 0;
        for (uint k0 = 0; k0 < widthA; k0 += TILE) {
            a[ly][lx] = row < heightA && k0 + lx < widthA ? A[row * widthA + k0 + lx] : 0.0f;
            b[ly][lx] = k0 + ly < widthA && col < widthB ? B[(k0 + ly) * widthB + col] : 0.0f;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < TILE; k++) sum += a[ly][k] * b[k][lx];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (row < heightA && col < widthB) C[row * widthB + col] = sum;
    }
}
""",
}
"""Plain submissions, some of whose work-groups do it all again."""


def main() -> None:
    """Tune, grade, and print a row a speed."""
    name, count, speeds = sys.argv[1], int(sys.argv[2]), [float(word) for word in sys.argv[3:]]
    (assignment,) = load_settings({}).places.load(name).parts
    with ProcessPoolExecutor(max(1, (os.cpu_count() or 1) // 4)) as pool:
        print(f"{name:<12}  slow  deserved  spread  full  flipped  undecided  alone s", flush=True)
        slow_for = _tune(assignment, pool) if speeds else None
        for speed in speeds or [1.0]:
            slow = slow_for(speed) if slow_for else 0
            start = time.perf_counter()
            checks = list(pool.map(partial(_grade, assignment, slow), range(count)))
            _print(assignment, f"{speed:g} x" if slow_for else "as it is", slow, checks)
            print(f"{'':<12} {time.perf_counter() - start:.0f} s for {count} gradings", flush=True)


def _grade(assignment: Assignment, slow: int, _: int = 0) -> Check:
    """The performance check of the slowed submission."""
    text = f"#define SLOW {slow}\n{SLOWED[assignment.name]}"
    task = Task(
        assignment=assignment, submission=parse_submission(Path("kernels.cl"), text.encode()), seed=fresh_seed()
    )
    settings = load_settings({"sandbox": "process"})
    with settings.open_bench("process") as bench, bench.worker() as student, ExitStack() as workers:
        built = build(task, student)
        if isinstance(built, Problem):
            raise SolutionError(built.message)
        lineup = line_up(task, student, built, lambda _: workers.enter_context(bench.worker()))
        check = _speed(lineup, enter(lineup, built), None, bench, lambda _: None)
    if check.performance is None:
        raise SolutionError(f"{check.reason}: {check.message}")
    return check


def _performance(check: Check) -> Performance:
    assert check.performance is not None, "_grade returns none without"
    return check.performance


def _interval(check: Check) -> Interval:
    fraction = _performance(check).fraction_of_reference
    assert fraction is not None, "there is a model solution here"
    return fraction


def _fraction(check: Check) -> float:
    return _interval(check).median


def _threshold(assignment: Assignment, check: Check) -> float:
    return assignment.performance.classes[_performance(check).device_class].bands[0].fraction


def _tune(assignment: Assignment, pool: ProcessPoolExecutor) -> Callable[[float], int]:
    """How many of PARTS groups must work again for a speed, read off a curve that is measured first."""
    slows = range(0, PARTS + 1, PARTS // POINTS)
    checks = list(pool.map(partial(_grade, assignment), slows))
    speeds = [_fraction(check) / _threshold(assignment, check) for check in checks]
    return lambda speed: round(float(np.interp(speed, speeds[::-1], slows[::-1])))


def _print(assignment: Assignment, label: str, slow: int, checks: list[Check]) -> None:
    fractions = [_fraction(check) for check in checks]
    deserved, threshold = median(fractions), _threshold(assignment, checks[0])
    full = sum(check.verdict is Verdict.PASSED for check in checks)
    flipped = sum((check.verdict is Verdict.PASSED) is not (deserved >= threshold) for check in checks)
    undecided = sum(not is_decided(_interval(check), [threshold]) for check in checks)
    cuts = quantiles(fractions, n=20)
    print(
        f"{label:<12} {slow:5d} {deserved / threshold:7.3f} x {(cuts[-1] - cuts[0]) / deserved:7.2%} {full:5d}"
        f" {flipped:8d} {undecided:10d} {median(check.seconds for check in checks):8.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
